"""Training data, made without PyTorch: documents drawn in worker processes, encoded, packed into rows, and written as shards that the trainer picks up.

A row holds whole documents. A token that is not to be learnt (the question, padding) carries the flag QUIET.
"""

import multiprocessing
import os
import time
from functools import lru_cache
from pathlib import Path
from random import Random

import numpy

from . import countdown, drill, ledger, sudoku, tokenizer, words
from .config import Config
from .document import Document, Verdict
from .readings import Labeller
from .split import keeps_apart, split_of_document

TASKS = {task.KIND: task for task in (countdown, words, ledger, sudoku)}
KINDS = list(TASKS)
# Of the documents of a run that has all of them.
SHARES = {countdown.KIND: 0.20, words.KIND: 0.22, ledger.KIND: 0.38, sudoku.KIND: 0.20}
QUIET = 1 << 15
ROWS_PER_SHARD = 1024
AHEAD = 8  # shards that wait to be read, at most
KEPT = 48  # shards that can be read again when the workers fall behind
NICE = 10  # of the workers: the thread that keeps the device busy goes first
OPEN_ROWS = 24
ALONE = (ledger.KIND,)  # tasks with a row for each answer: a second ledger has the same letters


def draw(rng: Random, kind: str, split: str, level: int | None = None) -> Document:
    """A question of this kind and split, of a level drawn by the training shares unless one is given."""
    task = TASKS[kind]
    while True:
        chosen = level or rng.choices(list(task.SHARES), list(task.SHARES.values()))[0]
        document = task.draw(rng, chosen)
        if split_of_document(document) == split and (split != 'train' or keeps_apart(document, document.solution)):
            return document


def training_documents(rng: Random, kinds: tuple[str, ...]):
    shares = [SHARES[kind] for kind in kinds]
    while True:
        yield draw(rng, rng.choices(kinds, shares)[0], 'train')


def judge(document: Document, text: str) -> Verdict:
    return TASKS[document.kind].judge(document, text)


def text_of(document: Document) -> str:
    return f'{document.question}\n{document.solution}'


def encode(encoder: tokenizer.QuickEncoder, documents: list[Document]) -> list[numpy.ndarray]:
    """Token ids of each document with begin and end; the question's are QUIET."""
    rows = []
    for document in documents:
        prompt, answer = encoder.encode(document.question + '\n'), encoder.encode(document.solution)
        row = numpy.array([tokenizer.BEGIN, *prompt, *answer, tokenizer.END], dtype=numpy.uint16)
        row[: len(prompt) + 1] |= QUIET
        rows.append(row)
    return rows


class Packer:
    """Packs documents into rows of one length: each goes into the fullest open row that has room."""

    def __init__(self, length: int):
        self.length = length
        self.open: list[list[numpy.ndarray]] = [[] for _ in range(OPEN_ROWS)]
        self.used = [0] * OPEN_ROWS

    def add(self, document: numpy.ndarray) -> numpy.ndarray | None:
        """Takes one document; gives a finished row where one had to make place."""
        size, finished = len(document), None
        fitting = [i for i in range(OPEN_ROWS) if self.used[i] + size <= self.length]
        if fitting:
            chosen = max(fitting, key=self.used.__getitem__)
        else:
            chosen = max(range(OPEN_ROWS), key=self.used.__getitem__)
            finished = self._close(chosen)
        self.open[chosen].append(document)
        self.used[chosen] += size
        return finished

    def rest(self):
        """The rows that are still open."""
        return [self._close(index) for index in range(OPEN_ROWS) if self.open[index]]

    def _close(self, index: int) -> numpy.ndarray:
        row = filled(numpy.concatenate(self.open[index]), self.length)
        self.open[index], self.used[index] = [], 0
        return row


class Alone:
    """As a packer, with a row for each document."""

    def __init__(self, length: int):
        self.length = length

    def add(self, document: numpy.ndarray) -> numpy.ndarray:
        return filled(document, self.length)

    def rest(self):
        return ()


def filled(documents: numpy.ndarray, length: int) -> numpy.ndarray:
    """A row that begins with these tokens; the rest is padding."""
    row = numpy.full(length, tokenizer.END | QUIET, dtype=documents.dtype)
    row[: len(documents)] = documents
    return row


def solutions(encoder: tokenizer.QuickEncoder, rng: Random, kinds: tuple[str, ...]):
    """What the generator learns from: encoded documents without end."""
    for document in training_documents(rng, kinds):
        yield from encode(encoder, [document])


def spoiled(encoder: tokenizer.QuickEncoder, rng: Random, kinds: tuple[str, ...]):
    """What the reward model learns to check from: answers with mistakes, labelled, without end."""
    labeller = Labeller(encoder.tokenizer, rng)
    for document in training_documents(rng, kinds):
        text = TASKS[document.kind].spoil(rng, document)
        if keeps_apart(document, text):
            prompt, verdict = encoder.encode(document.question + '\n'), judge(document, text)
            tokens = [tokenizer.BEGIN, *prompt, *encoder.encode(text)]
            yield labeller.label(tokens, len(prompt) + 1, text, verdict, verdict.promise, KINDS.index(document.kind))


def draw_many(seed: str, kind: str, count: int) -> list[Document]:
    rng = Random(seed)
    return [draw(rng, kind, 'train') for _ in range(count)]


def label_own(encoder_path: Path, document: Document, prompt: list[int], answer: list[int], text: str) -> numpy.ndarray | None:
    """An answer of the generator, labelled; None: it passes through a test question, or is no clean text."""
    labeller, verdict = _labeller(encoder_path), judge(document, text)
    if not keeps_apart(document, text) or answer.count(labeller.newline) != text.count('\n'):
        return None
    return labeller.label([*prompt, *answer], len(prompt), text, verdict, verdict.promise, KINDS.index(document.kind))


@lru_cache(maxsize=1)
def _labeller(path: Path) -> Labeller:
    os.environ['TOKENIZERS_PARALLELISM'] = 'false'
    return Labeller(tokenizer.load(path), Random(str(path)))


SOURCES = {'solutions': solutions, 'spoiled': spoiled, 'drills': drill.drills}
EXTRA = {'solutions': 1, 'spoiled': 0, 'drills': 0}  # a row of `solutions` holds one token more: the last one is only ever a target


def pack(encoded, length: int, alone: bool = False):
    """Rows of documents, or of one document each; one that is longer than a row is left out."""
    packer = Alone(length) if alone else Packer(length)
    for document in encoded:
        row = packer.add(document) if len(document) <= length else None
        if row is not None:
            yield row
    yield from packer.rest()


def write_shards(folder: Path, encoder_path: Path, config: Config, source: str, worker: int):
    """Writes shards until the process is ended, never far ahead of the reader. A shard appears under its name only when it is whole."""
    os.environ['TOKENIZERS_PARALLELISM'] = 'false'
    os.nice(NICE)
    encoder, rng = tokenizer.QuickEncoder(tokenizer.load(encoder_path)), Random(f'{config.seed}:{source}:{worker}')
    rows, shard = [], 0
    for row in pack(SOURCES[source](encoder, rng, config.kinds), config.row_tokens + EXTRA[source], config.alone):
        rows.append(row)
        if len(rows) >= min(ROWS_PER_SHARD, config.rows * 16):
            while sum(1 for _ in folder.glob('*.npy')) > AHEAD + KEPT:
                time.sleep(0.05)
            name = folder / f'{shard:05d}-{worker:02d}.npy'
            numpy.save(name.with_suffix('.part.npy'), numpy.stack(rows))
            name.with_suffix('.part.npy').rename(name)
            rows, shard = [], shard + 1


class Shards:
    """The trainer's side: batches of rows in order of shard, again from the first when the workers fall behind."""

    def __init__(self, folder: Path, encoder_path: Path, config: Config, source: str):
        self.folder, self.config, self.seen, self.repeats = folder, config, [], 0
        folder.mkdir(parents=True, exist_ok=True)
        context = multiprocessing.get_context('spawn')
        self.workers = [
            context.Process(target=write_shards, args=(folder, encoder_path, config, source, worker), daemon=True)
            for worker in range(config.workers)
        ]
        for worker in self.workers:
            worker.start()

    def batches(self):
        """Batches without end, as arrays of (rows, tokens)."""
        while True:
            fresh = sorted(p.name for p in self.folder.glob('*.npy') if '.part' not in p.name and p.name not in self.seen)
            if not fresh and not self.seen:
                time.sleep(0.05)
                continue
            if not fresh:
                self.repeats += 1
                fresh = [self.seen[self.repeats % len(self.seen)]]
            for name in fresh[:4]:
                rows = numpy.load(self.folder / name)
                self._note(name)
                for start in range(0, len(rows) - self.config.rows + 1, self.config.rows):
                    yield rows[start : start + self.config.rows]

    def _note(self, name: str):
        """A shard has been read; the oldest of those makes place."""
        if name not in self.seen:
            self.seen.append(name)
        if len(self.seen) > KEPT:
            (self.folder / self.seen.pop(0)).unlink()

    def stop(self):
        """Ends the workers; what they have written can still be read."""
        for worker in self.workers:
            worker.terminate()
        for worker in self.workers:
            worker.join()
        self.workers = []

    def close(self):
        self.stop()
        for path in self.folder.glob('*.npy'):
            path.unlink()
