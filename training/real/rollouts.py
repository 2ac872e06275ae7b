"""Samples solutions with vLLM: trees over training questions, then plain samples and greedy answers over test questions. Several such processes share a GPU.

Of each training question some whole solutions are drawn; where they disagree, two of them are drawn again from a random step on, so that the share of right ones
below that step is its label (labels.py). One line is written per solution. A control file, read every second, says how long training questions are drawn
(`trainUntil`) and when to stop (`until`), in seconds since 1970. A line in a file counts as done: a second start goes on behind it."""

import json
import random
import time
from collections import deque
from dataclasses import dataclass, field
from pathlib import Path

from . import forms
from .answers import solves
from .sets import TESTS, TRAINING, load

BRANCHES, SAMPLES = 4, 16
TEMPERATURE = 0.8
# Tokens of one solution. MATH's had 1,000 until the sets from mawps on were added: the longest questions had no complete samples.
LIMITS = {'gsm8k': 700, 'gsm8k-train': 700, 'mawps': 700}
LIMIT = 1500
OTHER_SYSTEMS = ('paragraphs', 'boxed', 'numbered', 'steps')  # a training question in four is put in another way than the rest
OTHER_SHARE = 0.25
UNMIXED_SHARE = 0.15  # of the questions whose solutions agree, those that are branched all the same
GREEDY = ('steps', 'untold', 'boxed', 'paragraphs')
STOPS = [151645, 151643]
CONTEXT = 2560


@dataclass(frozen=True)
class Task:
    """One solution to draw. `prefix` holds the tokens of an answer that it goes on from, `shared` how many steps those are."""

    set: str
    index: int
    system: str
    sample: int
    temperature: float = TEMPERATURE
    parent: int | None = None
    prefix: tuple[int, ...] = ()
    shared: int = 0
    cut: int = 0  # characters of the prefix, where it was cut in the text


@dataclass
class Tree:
    """The solutions of one training question so far."""

    wanted: int
    roots: dict[int, list[int]] = field(default_factory=dict)
    right: dict[int, bool] = field(default_factory=dict)


class VllmEngine:
    def __init__(self, folder: Path, seed: int, sequences: int, kv_bytes: int, weights: str = 'auto'):
        self.sequences, self.made = sequences, (folder, seed, sequences, kv_bytes)
        self.open('dummy' if weights != 'auto' else 'auto')
        if weights == 'later':
            self.load(folder / 'model.safetensors')

    def open(self, weights: str):
        from vllm import LLM

        folder, seed, sequences, kv_bytes = self.made
        sizes = [size for size in (1, 2, 4, 8, 16, 32, 64, 96, *range(128, 1025, 64)) if size <= sequences]
        self.model = LLM(
            model=str(folder), dtype='bfloat16', seed=seed, max_model_len=CONTEXT, max_num_seqs=sequences, kv_cache_memory_bytes=kv_bytes, load_format=weights,
            gpu_memory_utilization=0.2, max_num_batched_tokens=8192, generation_config='vllm', disable_log_stats=True, cudagraph_capture_sizes=sizes,
        )  # fmt: skip
        self.engine = self.model.llm_engine

    def load(self, file: Path):
        """Takes the weights once they are there; an engine that cannot, or that cannot add afterwards, is made anew."""
        while not file.exists():
            time.sleep(0.2)
        try:
            self.model.collective_rpc('update_config', args=({'load_config': {'load_format': 'auto'}},))
            self.model.collective_rpc('reload_weights')
            sane = self.is_sane()
        except Exception as error:  # whatever vLLM raises, a fresh engine is the way out
            print(f'reload failed: {error}', flush=True)
            sane = False
        print(f'weights taken, sane: {sane}', flush=True)
        if not sane:
            self.model.llm_engine.engine_core.shutdown()
            del self.model, self.engine
            self.open('auto')

    def is_sane(self) -> bool:
        from vllm import SamplingParams

        prompt = forms.chat('untold', 'What is 17 + 25? Answer with the number alone.')
        (said,) = self.model.generate([prompt], SamplingParams(temperature=0, max_tokens=12), use_tqdm=False)
        return '42' in said.outputs[0].text

    def add(self, key: str, ids: list[int], temperature: float, limit: int):
        from vllm import SamplingParams
        from vllm.inputs import tokens_input
        from vllm.sampling_params import RequestOutputKind

        only = RequestOutputKind.FINAL_ONLY
        params = SamplingParams(temperature=temperature, max_tokens=limit, stop_token_ids=STOPS, detokenize=False, output_kind=only)
        self.engine.add_request(key, tokens_input(ids), params)

    def step(self) -> list[tuple[str, list[int], str]]:
        ended = [each for each in self.engine.step() if each.finished]
        return [(each.request_id, list(each.outputs[0].token_ids), each.outputs[0].finish_reason) for each in ended]


class ToyEngine:
    """Stands in for vLLM where there is no GPU: answers at random, right half of the time."""

    sequences = 64

    def __init__(self, encoder, golds: dict[str, str], seed: int):
        self.encoder, self.golds, self.chance, self.queue = encoder, golds, random.Random(seed), deque()

    def add(self, key: str, ids: list[int], temperature: float, limit: int):
        self.queue.append((key, ids))

    def step(self):
        time.sleep(0.001)
        done = [self.queue.popleft() for _ in range(min(16, len(self.queue)))]
        return [(key, self._answer(key), 'stop') for key, _ in done]

    def _answer(self, key: str) -> list[int]:
        gold = self.golds[':'.join(key.split(':')[:2])]
        said = gold if self.chance.random() < 0.5 else str(self.chance.randrange(100))
        steps = [f'We take {self.chance.randrange(9)}.' for _ in range(self.chance.randrange(1, 6))]
        return self.encoder.encode('\n\n'.join([*steps, f'The answer is \\boxed{{{said}}}.']), add_special_tokens=False).ids


def read_lines(path: Path) -> list[dict]:
    """Whole lines only: the last one may have been cut off."""
    if not path.exists():
        return []
    lines = path.read_text().split('\n')
    return [json.loads(line) for line in lines[:-1] if line]


def open_lines(path: Path):
    """For more lines behind the last whole one."""
    if path.exists():
        data = path.read_bytes()
        if not data.endswith(b'\n'):
            with path.open('r+b') as file:
                file.truncate(data.rfind(b'\n') + 1)
    return path.open('a')


class Sampler:
    def __init__(self, engine, encoder, data: Path, out: Path, shard: int, shards: int, control: Path, seed: int, sizes: dict[str, int], system: str, roots: int):
        self.engine, self.encoder, self.control, self.system, self.roots = engine, encoder, control, system, roots
        self.chance = random.Random(f'{seed}:{shard}')
        self.questions = load(data)
        self.file = out / f'solutions-{shard}.jsonl'
        self.done_file = out / f'trained-{shard}'
        self.known = {key_of(each) for each in read_lines(self.file)}
        self.begun = {(each['set'], each['index']) for file in out.glob('solutions-*.jsonl') for each in read_lines(file)}
        self.blank = {at for at in range(encoder.get_vocab_size()) if (text := encoder.decode([at], skip_special_tokens=False)) and text.endswith(forms.DELIMITER)}
        mine = [(name, at) for name in TRAINING for at in range(min(sizes[name], len(self.questions[name])))]
        random.Random(seed).shuffle(mine)
        self.training = deque(mine[shard::shards])
        self.tests = deque(self._tests(shard, shards, sizes))
        self.urgent: deque[Task] = deque()
        self.trees: dict[tuple[str, int], Tree] = {}
        self.flying: dict[str, Task] = {}
        self.tokens = 0

    def _tests(self, shard: int, shards: int, sizes: dict[str, int]):
        count = {name: min(sizes[name], len(self.questions[name])) for name in TESTS}
        for at in range(shard, count['gsm8k'], shards):
            yield from (Task('gsm8k', at, self.system, sample) for sample in range(SAMPLES))
        for system in GREEDY:
            yield from (Task('gsm8k', at, system, -1, 0.0) for at in range(shard, min(sizes['greedy'], len(self.questions['gsm8k'])), shards))
        for at in range(shard, count['math500'], shards):
            yield from (Task('math500', at, self.system, sample) for sample in range(SAMPLES))

    def next_task(self, training: bool) -> Task | None:
        if training and not self.urgent and self.training:
            name, index = self.training.popleft()
            others = [each for each in OTHER_SYSTEMS if each != self.system]
            system = self.chance.choice(others) if self.chance.random() < OTHER_SHARE else self.system
            if (name, index) not in self.begun:
                self.trees[name, index] = Tree(self.roots)
                self.urgent.extend(Task(name, index, system, sample) for sample in range(self.roots))
        if training and self.urgent:
            return self.urgent.popleft()
        while not training and self.tests:
            task = self.tests.popleft()
            if key_of(vars(task)) not in self.known:
                return task
        return None

    def send(self, task: Task):
        key, prompt = key_of(vars(task)), prompt_of(task, self.questions, self.encoder)
        self.flying[key] = task
        self.engine.add(key, [*prompt, *task.prefix], task.temperature, room_for(task, prompt))

    def take(self, key: str, ids: list[int], end: str) -> dict:
        task = self.flying.pop(key)
        self.tokens += len(ids)
        record = record_of(task, ids, end, self.questions, self.encoder)
        tree = self.trees.get((task.set, task.index))
        if tree is not None and task.parent is None and task.set in TRAINING:
            tree.roots[task.sample], tree.right[task.sample] = whole_of(task, ids), record['right']
            if len(tree.roots) == tree.wanted:
                del self.trees[task.set, task.index]
                self.urgent.extend(self.branch(task, tree))
        return record

    def branch(self, task: Task, tree: Tree):
        """Where to draw again: below a random step of one right and one wrong solution."""
        sides = [[at for at, right in tree.right.items() if right == side] for side in (True, False)]
        if all(sides):
            chosen = [self.chance.choice(side) for side in sides]
        else:
            chosen = [self.chance.randrange(tree.wanted)] if self.chance.random() < UNMIXED_SHARE else []
        for parent in chosen:
            ids = tree.roots[parent]
            cuts = [at + 1 for at, token in enumerate(ids[:-1]) if token in self.blank]
            if not cuts:
                continue
            cut = self.chance.choice(cuts)
            shared = len(forms.steps_of(self.encoder.decode(ids[:cut])))
            for sample in range(BRANCHES):
                yield Task(task.set, task.index, task.system, sample, TEMPERATURE, parent, tuple(ids[:cut]), shared)

    def run(self):
        clock, began, said = 0.0, time.time(), time.time()
        limits = {'trainUntil': 0.0, 'until': 0.0}
        with open_lines(self.file) as out:
            while True:
                now = time.time()
                if now - clock > 1:
                    clock, limits = now, json.loads(self.control.read_text())
                    out.flush()
                if now - said > 10:
                    print(f'{now - began:.0f} s, {self.tokens / (now - began):.0f} tokens/s, {len(self.flying)} in flight, {len(self.training)} questions and {len(self.tests)} tests left', flush=True)
                    said = now
                training = now < limits['trainUntil'] and bool(self.training or self.urgent or self.trees)
                if not training and not self.done_file.exists() and not any(task.set in TRAINING for task in self.flying.values()):
                    out.flush()
                    self.done_file.write_text(f'{now}\n')
                while now < limits['until'] and len(self.flying) < self.engine.sequences + 64:
                    task = self.next_task(training) or self.next_task(False)
                    if task is None:
                        break
                    self.send(task)
                if not self.flying:
                    break
                for ended in self.engine.step():
                    out.write(json.dumps(self.take(*ended), ensure_ascii=False) + '\n')
        print(f'{self.tokens} tokens in {time.time() - began:.0f} s', flush=True)


def key_of(record: dict) -> str:
    parent = '' if record['parent'] is None else record['parent']
    return f'{record["set"]}:{record["index"]}:{record["system"]}:{record["sample"]}:{parent}'


def prompt_of(task: Task, questions: dict, encoder) -> list[int]:
    return encoder.encode(forms.chat(task.system, questions[task.set][task.index]['question']), add_special_tokens=False).ids


def room_for(task: Task, prompt: list[int]) -> int:
    return max(1, min(LIMITS.get(task.set, LIMIT), CONTEXT - 8 - len(prompt)) - len(task.prefix))


def whole_of(task: Task, ids: list[int]) -> list[int]:
    return [token for token in (*task.prefix, *ids) if token not in STOPS]


def record_of(task: Task, ids: list[int], end: str, questions: dict, encoder) -> dict:
    text = encoder.decode(whole_of(task, ids))
    head = {name: getattr(task, name) for name in ('set', 'index', 'system', 'sample', 'parent', 'shared', 'cut')}
    right = solves(text, questions[task.set][task.index]['answer'])
    return {**head, 'right': right, 'end': end, 'tokens': len(ids), 'text': text}
