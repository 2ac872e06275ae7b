"""What the reward model learns from: batches of rows of several kinds, with what the readings should say at each token.

- Answers spoiled by rule, and the generator's own: each line end says whether its line is right; where a path has gone wrong, it promises nothing.
- Right answers: each line end promises the probability that the generator itself gives to what is left of the answer. That is what samples from there
  would find out, exact where a line has one right form, without their noise. A countdown answer has many right forms: there a prefix promises whether
  the target can be reached.
- Drills (drill.py).
"""

import tempfile
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

import numpy
import torch
import torch.nn.functional as F
from torch import Tensor

from . import countdown, residues, tokenizer
from .config import Config
from .data import ALONE, QUIET, Shards
from .model import Llama
from .readings import ALIVE_SHIFT, DEPTH_MASK, DEPTH_SHIFT, GOOD, PROMISE_MASK, PROMISE_SHIFT, STEP_MASK, STEP_SHIFT, SURE, TOKEN, WITH_NEWLINE
from .train import autocast, on_device

AFTERWARDS = 0.25  # weight of a promise after a path has gone wrong: the answer is known there
LARGEST_WEIGHT = 4.0  # of a depth that few paths reach
AT_ONCE = 8  # batches that are labelled at a time


@dataclass(frozen=True)
class Stream:
    """Rows of one kind in each batch."""

    source: str  # of data.py
    kind: str
    rows: int
    workers: int  # processes that make them


DRILLED = ''
STREAMS = (
    Stream('spoiled', 'countdown', rows=40, workers=5),
    Stream('spoiled', 'word-problem', rows=16, workers=1),
    Stream('spoiled', 'ledger', rows=11, workers=1),
    Stream('solutions', 'word-problem', rows=8, workers=1),
    Stream('solutions', 'ledger', rows=5, workers=1),
    Stream('drills', DRILLED, rows=40, workers=1),
)
# Rows of the generator's own answers in each batch.
OWN = {'countdown': 5, 'word-problem': 2, 'ledger': 1}


@contextmanager
def streams_of(config: Config, encoder_path: Path):
    """For each stream its rows, made beside the training in a folder that is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix='saplings-') as folder:
        opened, streams = [], [one for one in STREAMS if one.kind in (*config.kinds, DRILLED)]
        for index, stream in enumerate(streams):
            rows = share_of(config, stream.rows)
            part = replace(config, kinds=(stream.kind,), alone=stream.kind in ALONE, rows=rows, workers=min(stream.workers, config.workers))
            opened.append((stream, Shards(Path(folder) / str(index), encoder_path, part, stream.source)))
        try:
            yield opened
        finally:
            for _, shards in opened:
                shards.close()


def share_of(config: Config, rows: int) -> int:
    """As many of the rows of this batch."""
    return max(1, round(rows * config.rows / (sum(one.rows for one in STREAMS) + sum(OWN.values()))))


class Again:
    """Batches of rows that are there, in another order each time."""

    def __init__(self, rows: numpy.ndarray, size: int, rng: Random):
        self.rows, self.size, self.rng, self.passes = rows, min(size, len(rows)), rng, 0

    def batches(self):
        while True:
            order = numpy.array(self.rng.sample(range(len(self.rows)), len(self.rows)))
            for start in range(0, len(order) - self.size + 1, self.size):
                yield self.rows[order[start : start + self.size]]
            self.passes += 1


def again(config: Config, own: dict[str, numpy.ndarray]) -> list:
    """The streams of own answers."""
    rng = Random(config.seed)
    return [(Stream('own', kind, OWN[kind], 0), Again(rows, share_of(config, OWN[kind]), rng)) for kind, rows in own.items()]


def lessons(streams: list, generators: dict[str, Llama], signs: residues.Signs, newline: int, device: torch.device):
    """Batches with all that is to be learnt from them. Some are made at a time: many small steps, which would keep the device waiting."""
    sources = [shards.batches() for _, shards in streams]
    while True:
        texts, labels = [], []
        for (stream, _), source in zip(streams, sources):
            whole = on_device(numpy.concatenate([next(source) for _ in range(AT_ONCE)]), device)
            if stream.source == 'solutions':
                tokens = (whole & (QUIET - 1)).long()[:, :-1]
                label = of_solutions(whole, tokens, generators[stream.kind], newline, device)
                tokens = often_with_a_newline(tokens, newline)
            else:
                tokens = (whole & TOKEN).long()
                label = of_readings(whole, stream.kind != countdown.KIND)
            texts.append(mixed(tokens))
            labels.append([mixed(getattr(label, name)) for name in Labels.__annotations__])
        together, size = torch.cat(texts, 1).flatten(0, 1), sum(one.shape[1] for one in texts)
        parts = zip(*(torch.cat(one, 1).unbind() for one in zip(*labels)))
        for text, part, marks in zip(together.split(size), parts, residues.marks_of(together, signs).parts(size)):
            yield text, Labels(*part), marks


def often_with_a_newline(tokens: Tensor, newline: int) -> Tensor:
    """Spoiled answers end in a newline or in the end token (readings.py); right ones must, too, or the newline alone would tell them apart."""
    chosen = torch.rand(len(tokens), 1, device=tokens.device) < WITH_NEWLINE
    return torch.where((tokens == tokenizer.END) & chosen, newline, tokens)


def mixed(rows: Tensor) -> Tensor:
    """Rows of several batches, batch by batch."""
    return rows.unflatten(0, (AT_ONCE, -1))


@dataclass(frozen=True)
class Labels:
    """What the readings should say, each of shape (rows, tokens); a weight of 0 is no label."""

    right: Tensor
    promise: Tensor
    step_weight: Tensor
    promise_weight: Tensor
    digit_weight: Tensor
    drill_weight: Tensor


def of_readings(whole: Tensor, dead_only: bool) -> Labels:
    """Labels of spoiled answers and drills. Depths count alike. `dead_only`: what a living prefix promises is learnt from right answers."""
    step, promise = whole >> STEP_SHIFT & STEP_MASK, whole >> PROMISE_SHIFT & PROMISE_MASK
    ends, alive = promise > 0, whole >> ALIVE_SHIFT & 1 > 0
    depth = even_depths(whole >> DEPTH_SHIFT & DEPTH_MASK, ends & alive)
    known = ends & (promise == 1) if dead_only else ends
    digits = (step > 0) & ~ends
    drills = digits & ~ends.any(1, keepdim=True)
    return Labels(
        (step == GOOD).float(),
        (promise - 1).clamp(min=0) / SURE,
        ends * depth,
        known * depth * torch.where(alive, 1.0, AFTERWARDS),
        (digits & ~drills).float(),
        drills.float(),
    )


def even_depths(depth: Tensor, living: Tensor) -> Tensor:
    """A weight that makes the living prefixes of all depths of a batch count alike."""
    counts = torch.zeros(DEPTH_MASK + 1, device=depth.device).index_add_(0, depth.flatten(), living.flatten().float())
    typical = counts.sum() / (counts > 0).sum().clamp(min=1)
    return (typical / counts.clamp(min=1)).clamp(1 / LARGEST_WEIGHT, LARGEST_WEIGHT)[depth]


@torch.no_grad()
def of_solutions(whole: Tensor, tokens: Tensor, generator: Llama, newline: int, device: torch.device) -> Labels:
    """Labels of right answers: each line is right, and promises the probability that the generator gives to what is left of the answer: what
    samples from there would find out, exact where a line has one right form."""
    with autocast(device):
        logits = generator(tokens).float()
    targets, learnt = (whole & (QUIET - 1)).long()[:, 1:], (whole & QUIET) == 0
    missed = F.cross_entropy(logits.transpose(1, 2), targets, reduction='none') * learnt[:, 1:]
    left = missed.flip(1).cumsum(1).flip(1)  # from each token to the end of the row
    places = torch.arange(tokens.shape[1], device=device).expand_as(tokens)
    last = torch.where(tokens == tokenizer.END, places, tokens.shape[1] - 1).flip(1).cummin(1).values.flip(1)  # of this answer
    promise = torch.exp(left.gather(1, last) - left)
    ends = (learnt[:, :-1] & ((tokens == newline) | (tokens == tokenizer.END))).float()
    none = torch.zeros_like(ends)
    return Labels(torch.ones_like(ends), promise, ends, ends, none, none)
