"""Scores solutions while they are drawn, beside the processes that draw them: reads what was added to their files, whole samples before continuations, and adds one line
per solution to its own file. A line there counts as done: a second start goes on behind it."""

import json
import multiprocessing
import time
from pathlib import Path

from . import forms
from .answers import normal, stated
from .rollouts import key_of, open_lines, read_lines

ROUND = 1500  # solutions that are scored before new ones are looked for
HEAD = ('set', 'index', 'system', 'sample', 'parent', 'shared', 'cut', 'right', 'end', 'tokens')

_encoder = _questions = None


def _document(record: dict) -> forms.Document:
    return forms.shepherd(_encoder, _questions[record['set']][record['index']]['question'], forms.steps_of(record['text']) or [''])


class Tail:
    """What was added to a file of lines since it was last read."""

    def __init__(self, file: Path):
        self.file, self.at = file, 0

    def read(self) -> list[dict]:
        with self.file.open('rb') as source:
            source.seek(self.at)
            data = source.read()
        whole = data.rfind(b'\n') + 1
        self.at += whole
        return [json.loads(line) for line in data[:whole].decode().split('\n') if line]


class Follower:
    def __init__(self, folder: Path, sets: list[str], out: Path, control: Path | None):
        self.folder, self.sets, self.out, self.control = folder, set(sets), out, control
        self.tails: dict[Path, Tail] = {}
        self.waiting: list[list[dict]] = [[], []]
        self.known = {key_of(each) for each in read_lines(out)}
        self.scored, self.tokens = 0, 0

    def look(self):
        for file in sorted(self.folder.glob('solutions-*.jsonl')):
            for each in self.tails.setdefault(file, Tail(file)).read():
                if each['set'] in self.sets and each['sample'] >= 0 and key_of(each) not in self.known:
                    self.known.add(key_of(each))
                    self.waiting[each['parent'] is not None].append(each)

    def ends(self) -> bool:
        return self.control is not None and time.time() >= json.loads(self.control.read_text())['end']

    def run(self, model, pool, verdicts: tuple[int, int]):
        from .score import by_length

        began, said = time.time(), time.time()
        with open_lines(self.out) as out:
            while not self.ends():
                self.look()
                if not any(self.waiting):
                    if self.control is None:
                        break
                    time.sleep(1)
                    continue
                queue = self.waiting[0] or self.waiting[1]
                part, queue[:] = queue[:ROUND], queue[ROUND:]
                documents = pool.map(_document, part, chunksize=32)
                for batch in by_length(documents):
                    for at, odds in zip(batch, model.verdicts([documents[at] for at in batch], verdicts)):
                        head = {name: part[at].get(name) for name in HEAD}
                        out.write(json.dumps({**head, 'answer': normal(stated(part[at]['text'])), 'odds': [round(value, 4) for value in odds]}) + '\n')
                out.flush()
                self.scored += len(part)
                self.tokens += sum(len(each.ids) for each in documents)
                if time.time() - said > 10:
                    said = time.time()
                    print(f'{said - began:.0f} s, {self.scored} scored, {self.tokens / (said - began):.0f} tokens/s, {len(self.waiting[0])} samples and {len(self.waiting[1])} continuations wait', flush=True)
        print(f'{self.scored} scored, {self.tokens} tokens in {time.time() - began:.0f} s', flush=True)


class ToyModel:
    """Stands in for the reward model where there is no GPU."""

    def verdicts(self, documents, tokens) -> list[list[float]]:
        return [[(hash(tuple(each.ids)) + at) % 97 / 16 - 3 for at in range(len(each.at))] for each in documents]


def document_pool(encoder, questions: dict, processes: int):
    """Processes that make documents, forked before the GPU is first used."""
    global _encoder, _questions
    _encoder, _questions = encoder, questions
    return multiprocessing.get_context('fork').Pool(processes)
