"""Training data, made without PyTorch: documents drawn in worker processes, encoded, packed into rows, and written as shards that the trainer picks up.

A row holds whole documents. A token that is not to be learnt (the question, padding) carries the flag QUIET.
"""

import multiprocessing
import os
import time
from pathlib import Path
from random import Random

import numpy

from . import countdown, tokenizer, words
from .config import Config
from .document import Document, Verdict
from .readings import Labeller
from .split import split_of

TASKS = {countdown.KIND: countdown, words.KIND: words}
QUIET = 1 << 15
COUNTDOWN_SHARE = 0.55  # of the documents; word problems are longer
UNSOLVABLE_SHARE = 0.08  # of the countdown questions that the reward model learns from
ROWS_PER_SHARD = 1024
OPEN_ROWS = 24


def draw(rng: Random, kind: str, split: str, level: int | None = None) -> Document:
    """A question of this kind and split, of a level drawn by the training shares unless one is given."""
    task = TASKS[kind]
    while True:
        chosen = level or rng.choices(list(task.SHARES), list(task.SHARES.values()))[0]
        document = task.draw(rng, chosen)
        if split_of(kind, document.question) == split:
            return document


def training_documents(rng: Random):
    while True:
        kind = countdown.KIND if rng.random() < COUNTDOWN_SHARE else words.KIND
        yield draw(rng, kind, 'train')


def draw_for_reward(seed: int, count: int) -> list[Document]:
    """`count` training questions of each kind, and some countdown questions that have no solution."""
    rng = Random(seed)
    documents = [draw(rng, kind, 'train') for kind in TASKS for _ in range(count)]
    wanted = len(documents) + int(count * UNSOLVABLE_SHARE)
    while len(documents) < wanted:
        document = countdown.draw_unsolvable(rng)
        if split_of(countdown.KIND, document.question) == 'train':
            documents.append(document)
    return documents


def judge(document: Document, text: str) -> Verdict:
    if document.kind == words.KIND:
        return words.judge(document.plan, text)
    return countdown.judge(document.question, text)


def text_of(document: Document) -> str:
    return f'{document.question}\n{document.solution}'


def encode(encoder, documents: list[Document]) -> list[numpy.ndarray]:
    """Token ids of each document with begin and end; the question's are QUIET."""
    newline = tokenizer.byte_token(encoder, '\n')
    rows = []
    for encoded in encoder.encode_batch_fast([text_of(document) for document in documents], add_special_tokens=False):
        ids = encoded.ids
        row = numpy.array([tokenizer.BEGIN, *ids, tokenizer.END], dtype=numpy.uint16)
        row[: ids.index(newline) + 2] |= QUIET
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

    def _close(self, index: int) -> numpy.ndarray:
        row = numpy.full(self.length, tokenizer.END | QUIET, dtype=numpy.uint16)
        row[: self.used[index]] = numpy.concatenate(self.open[index])
        self.open[index], self.used[index] = [], 0
        return row


def solutions(encoder, rng: Random):
    """What the generator learns from: encoded documents without end."""
    documents = training_documents(rng)
    while True:
        yield from encode(encoder, [next(documents) for _ in range(256)])


def spoiled(encoder, rng: Random):
    """What the reward model learns to check from: answers with mistakes, labelled, without end."""
    documents, labeller = training_documents(rng), Labeller(encoder, rng)
    while True:
        some = [next(documents) for _ in range(256)]
        texts = [TASKS[document.kind].spoil(rng, document) for document in some]
        prompts = encoder.encode_batch_fast([document.question + '\n' for document in some], add_special_tokens=False)
        answers = encoder.encode_batch_fast(texts, add_special_tokens=False)
        for document, text, prompt, answer in zip(some, texts, prompts, answers):
            tokens = [tokenizer.BEGIN, *prompt.ids, *answer.ids]
            yield labeller.label(tokens, len(prompt.ids) + 1, text, judge(document, text))


SOURCES = {'solutions': solutions, 'spoiled': spoiled}


def pack(encoded, length: int):
    """Rows of documents; one that is longer than a row is left out."""
    packer = Packer(length)
    for document in encoded:
        row = packer.add(document) if len(document) <= length else None
        if row is not None:
            yield row


def write_shards(folder: Path, encoder_path: Path, config: Config, source: str, worker: int):
    """Writes shards until the process is ended. A shard appears under its name only when it is whole."""
    os.environ['TOKENIZERS_PARALLELISM'] = 'false'
    encoder, rng = tokenizer.load(encoder_path), Random(f'{config.seed}:{source}:{worker}')
    rows, shard = [], 0
    for row in pack(SOURCES[source](encoder, rng), config.row_tokens + 1):
        rows.append(row)
        if len(rows) >= min(ROWS_PER_SHARD, config.rows * 4):
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
        """Batches without end, as arrays of (rows, row_tokens + 1)."""
        waiting: set[str] = set()
        while True:
            fresh = sorted(p.name for p in self.folder.glob('*.npy') if '.part' not in p.name and p.name not in waiting)
            if not fresh and not self.seen:
                time.sleep(0.05)
                continue
            if not fresh:
                self.repeats += 1
                fresh = [self.seen[self.repeats % len(self.seen)]]
            for name in fresh[:4]:
                if name not in waiting:
                    waiting.add(name)
                    self.seen.append(name)
                rows = numpy.load(self.folder / name)
                for start in range(0, len(rows) - self.config.rows + 1, self.config.rows):
                    yield rows[start : start + self.config.rows]

    def close(self):
        for worker in self.workers:
            worker.terminate()
            worker.join()
        for path in self.folder.glob('*.npy'):
            path.unlink()
