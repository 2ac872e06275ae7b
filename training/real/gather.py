"""All that one stay on a GPU shall draw, by one engine and in order of importance; several such processes share the GPU. First samples of the test questions, for recorded
trees; then continuations below prefixes of some of those, which tell what a draw below a prefix is worth; then, until time is up, families over training questions: whole
solutions under many system messages and branches below their steps, for reward models.

A control file, read every second, says until when families are begun (`until`) and when to stop (`end`), in seconds since 1970. A line in a file counts as done: a
second start goes on behind it, on another machine too if it is told the keys (`keys`) of what was drawn before. What is drawn below a solution depends on its text and
the seed alone, so that a second start draws below the same places."""

import json
import random
import time
from collections import deque
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

from . import forms
from .rollouts import BRANCHES, SAMPLES, TEMPERATURE, UNMIXED_SHARE, Task, key_of, open_lines, prompt_of, read_lines, record_of, room_for
from .sets import TRAINED, held_out

AHEAD = 64  # requests that wait in the engine beside those it decodes
RECORDED = ('amc23', 'aime24', 'math500', 'carp', 'college-math-odd')
BELOW = {'gsm8k': 150, 'math500': 100, 'carp': 150}  # questions whose prefixes are continued
BELOW_SHARES = (0.25, 0.5)  # of a path's tokens
BELOW_ROOTS, BELOW_SAMPLES = 3, 8  # solutions that are cut; solutions of a question that is not recorded
ROOTS, CUTS = 6, 2  # whole solutions of a family; places below which one of them is drawn again
LINES_SHARE = 0.3  # of the families, those that are cut after a line in place of a paragraph
# How often a training question is put in which way; a later round puts it in another.
ASKED = {'boxed': 40, 'untold': 10, 'helpful': 10, 'think': 10, 'tutor': 10, 'steps': 8, 'numbered': 6, 'paragraphs': 6}


@dataclass
class Family:
    """The solutions of one question under one system message. `below`: how it is gone on with once the first `enough` are there."""

    set: str
    index: int
    system: str
    samples: int
    below: str = ''
    enough: int = 0
    texts: dict[int, str] = field(default_factory=dict)
    right: dict[int, bool] = field(default_factory=dict)

    @property
    def key(self) -> tuple[str, int, str]:
        return self.set, self.index, self.system


def spaced(size: int, wanted: int) -> list[int]:
    """So many questions, spread evenly over a set."""
    return [at * size // min(size, wanted) for at in range(min(size, wanted))]


def test_families(questions: dict, system: str, recorded=RECORDED, below=BELOW) -> list[Family]:
    chosen = {name: set(spaced(len(questions[name]), wanted)) for name, wanted in below.items()}
    found = []
    for name in (*recorded, *(name for name in below if name not in recorded)):
        for at in range(len(questions[name])) if name in recorded else sorted(chosen[name]):
            cut = at in chosen.get(name, ())
            found.append(Family(name, at, system, SAMPLES if name in recorded else BELOW_SAMPLES, 'shares' if cut else '', BELOW_ROOTS if cut else 0))
    return found


def systems_of(name: str, index: int, seed: int) -> list[str]:
    """The system messages of a question, in the order of the rounds: drawn by weight, each once."""
    chance, left, order = random.Random(f'{seed}:{name}:{index}'), dict(ASKED), []
    while left:
        (taken,) = chance.choices(list(left), list(left.values()))
        order.append(taken)
        del left[taken]
    return order


def training_families(questions: dict, seed: int, rounds: int = len(ASKED)):
    """Every training question once in each round, in random order."""
    tests = held_out(questions)
    places = [(name, at) for name in TRAINED for at, each in enumerate(questions.get(name, ())) if each['question'] not in tests]
    for turn in range(rounds):
        order = list(places)
        random.Random(f'{seed}:{turn}').shuffle(order)
        yield from (Family(name, at, systems_of(name, at, seed)[turn], ROOTS, 'branches', ROOTS) for name, at in order)


def borders(text: str, delimiter: str) -> list[int]:
    """Where text may be cut: behind a delimiter, with something on both sides."""
    found, at = [], text.find(delimiter)
    while at >= 0:
        end = at + len(delimiter)
        if text[:at].strip() and text[end:].strip() and not text[end].isspace():
            found.append(end)
        at = text.find(delimiter, at + 1)
    return found


def tasks_below(family: Family, root: int, cuts: list[int], encoder) -> list[Task]:
    text, found = family.texts[root], []
    for place, cut in enumerate(cuts):
        prefix = tuple(encoder.encode(text[:cut], add_special_tokens=False).ids)
        whole = text[:cut].rfind(forms.DELIMITER)
        shared = len(forms.steps_of(text[: whole + len(forms.DELIMITER)])) if whole >= 0 else 0
        for number in range(BRANCHES):
            found.append(Task(*family.key, place * BRANCHES + number, TEMPERATURE, root, prefix, shared, cut))
    return found


def cuts_at_shares(text: str, encoder) -> list[int]:
    """The step borders nearest to each share of the tokens; a path of one step has none."""
    places = borders(text, forms.DELIMITER)
    if not places:
        return []
    offsets = encoder.encode(text, add_special_tokens=False).offsets
    share = {place: sum(end <= place for _, end in offsets) / len(offsets) for place in places}
    return sorted({min(places, key=lambda place: abs(share[place] - wanted)) for wanted in BELOW_SHARES})


def below_shares(family: Family, encoder) -> list[Task]:
    return [task for root in range(BELOW_ROOTS) for task in tasks_below(family, root, cuts_at_shares(family.texts[root], encoder), encoder)]


def below_branches(family: Family, encoder, seed: int) -> list[Task]:
    """Below two random places of one right and of one wrong solution; of families that agree, a few."""
    chance = random.Random(f'{seed}:{family.key}')
    sides = [sorted(at for at, right in family.right.items() if right == side) for side in (True, False)]
    if all(sides):
        chosen = [chance.choice(side) for side in sides]
    else:
        chosen = [chance.choice(sorted(family.texts))] if chance.random() < UNMIXED_SHARE else []
    delimiter, found = '\n' if chance.random() < LINES_SHARE else forms.DELIMITER, []
    for root in chosen:
        places = borders(family.texts[root], delimiter)
        found += tasks_below(family, root, sorted(chance.sample(places, min(CUTS, len(places)))), encoder)
    return found


class Gatherer:
    def __init__(self, engine, encoder, questions: dict, out: Path, shard: int, shards: int, control: Path, seed: int, system: str, known: set[str]):
        self.engine, self.encoder, self.questions, self.control, self.seed = engine, encoder, questions, control, seed
        self.file = out / f'solutions-{shard}.jsonl'
        self.known, self.earlier = set(known), {}
        for each in (each for file in sorted(out.glob('solutions-*.jsonl')) for each in read_lines(file)):
            self.known.add(key_of(each))
            if each['parent'] is None:
                self.earlier.setdefault((each['set'], each['index'], each['system']), []).append(each)
        self.first, self.below, self.urgent = deque(), deque(), deque()
        self.families: dict[tuple, Family] = {}
        self.flying: dict[str, Task] = {}
        self.tokens, self.begun = 0, 0
        for family in test_families(questions, system)[shard::shards]:
            self.first.extend(self.begin(family))
        mine = (family for at, family in zip(count(), training_families(questions, seed)) if at % shards == shard)
        self.training = (family for family in mine if known.isdisjoint(key_of(vars(Task(*family.key, sample))) for sample in range(ROOTS)))

    def begin(self, family: Family) -> list[Task]:
        """The solutions that a family still lacks."""
        self.families[family.key] = family
        for each in self.earlier.get(family.key, ()):
            self.note(family, each['sample'], each['text'], each['right'])
        return self.new(Task(*family.key, sample) for sample in range(family.samples))

    def new(self, tasks) -> list[Task]:
        return [task for task in tasks if key_of(vars(task)) not in self.known]

    def note(self, family: Family, sample: int, text: str, right: bool):
        family.texts[sample], family.right[sample] = text, right
        if not family.below or not all(at in family.texts for at in range(family.enough)):
            return
        if family.below == 'shares':
            self.below.extend(self.new(below_shares(family, self.encoder)))
        else:
            self.urgent.extend(self.new(below_branches(family, self.encoder, self.seed)))
        family.below = ''
        if family.set in TRAINED:
            del self.families[family.key]

    def next_task(self, more: bool) -> Task | None:
        for queue in (self.first, self.below, self.urgent):
            if queue:
                return queue.popleft()
        while more and (family := next(self.training, None)) is not None:
            self.begun += 1
            self.urgent.extend(self.begin(family))
            if self.urgent:
                return self.urgent.popleft()
        return None

    def send(self, task: Task):
        key, prompt = key_of(vars(task)), prompt_of(task, self.questions, self.encoder)
        self.flying[key] = task
        self.engine.add(key, [*prompt, *task.prefix], task.temperature, room_for(task, prompt))

    def take(self, key: str, ids: list[int], end: str) -> dict:
        task = self.flying.pop(key)
        self.tokens += len(ids)
        record = record_of(task, ids, end, self.questions, self.encoder)
        family = self.families.get((task.set, task.index, task.system))
        if family is not None and task.parent is None:
            self.note(family, task.sample, record['text'], record['right'])
        return record

    def run(self):
        clock, said, began, limits = 0.0, time.time(), time.time(), {'until': 0.0, 'end': 0.0}
        before = 0
        with open_lines(self.file) as out:
            while True:
                now = time.time()
                if now - clock > 1:
                    clock, limits = now, json.loads(self.control.read_text())
                    out.flush()
                if now - said > 10:
                    tests = sum(each.set not in TRAINED for each in self.flying.values())
                    left = f'{len(self.first)} recorded, {len(self.below)} below prefixes, {len(self.urgent)} of families left, {self.begun} families begun'
                    print(f'{now - began:.0f} s, {(self.tokens - before) / (now - said):.0f} tokens/s, {len(self.flying)} in flight ({tests} of tests), {left}', flush=True)
                    said, before = now, self.tokens
                while now < limits['end'] and len(self.flying) < self.engine.sequences + AHEAD:
                    task = self.next_task(now < limits['until'])
                    if task is None:
                        break
                    self.send(task)
                if not self.flying or now >= limits['end']:
                    break
                for ended in self.engine.step():
                    out.write(json.dumps(self.take(*ended), ensure_ascii=False) + '\n')
        print(f'{self.tokens} tokens in {time.time() - began:.0f} s, {len(self.flying)} unfinished', flush=True)
