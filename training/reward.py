"""The reward model: the generator, trained further to say at each line end whether the path is good.

After the newline that ends a line (or the end token after the last one) it is read as sigmoid(logit(a) - logit(b)) for two pairs of
tokens. `+` against `-`, step: is this line right in itself, given the path? A product along a path keeps its meaning: the probability
that every line is right. `!` against `?`, promise: the probability that an answer sampled from here ends right.
"""

from random import Random

import numpy
import torch
import torch.nn.functional as F
from torch import Tensor

from . import tokenizer
from .config import Config
from .data import Shards, pack
from .model import Llama
from .paths import Path
from .readings import (
    ALIVE_SHIFT, DEPTH_MASK, DEPTH_SHIFT, GOOD, KIND_MASK, KIND_SHIFT, PROMISE_MASK, PROMISE_SHIFT, STEP_MASK, STEP_SHIFT, SURE, TOKEN,
)  # fmt: skip
from .train import autocast, compile_blocks, descend, on_device

PAIRS = {'step': ('+', '-'), 'promise': ('!', '?')}
AGGREGATION = {'step': 'product', 'promise': 'last'}  # what a path's score is made of
DEFAULT = 'step'  # what an engine reads unless told otherwise
AFTERWARDS = 0.25  # weight of a promise after a path has gone wrong: the answer is known there
OWN_PASSES = 4  # through the generator's own answers: after some twelve they are known by heart, and the odds on new ones are worthless
LARGEST_WEIGHT = 4.0  # of a depth that few paths reach


def pair_tokens(encoder) -> dict[str, tuple[int, int]]:
    return {name: tuple(tokenizer.byte_token(encoder, c) for c in pair) for name, pair in PAIRS.items()}


def metadata(encoder) -> dict:
    """How the reward model is to be read, as GGUF metadata, so that an engine needs no other file."""
    table: dict = {'coppice.prm.delimiter': '\n'}
    for name, (good, bad) in pair_tokens(encoder).items():
        prefix = f'coppice.prm.{name}.'
        table |= {prefix + 'positive_token': good, prefix + 'negative_token': bad, prefix + 'aggregation': AGGREGATION[name]}
    good, bad = pair_tokens(encoder)[DEFAULT]
    return table | {'coppice.prm.positive_token': good, 'coppice.prm.negative_token': bad, 'coppice.prm.aggregation': AGGREGATION[DEFAULT]}


def read(model: Llama, hidden: Tensor, tokens: dict[str, tuple[int, int]]) -> tuple[Tensor, Tensor]:
    """The log odds of each pair, and how far the label tokens are from holding all probability."""
    logits = model.logits(hidden).float()
    odds = torch.stack([logits[..., good] - logits[..., bad] for good, bad in tokens.values()], -1)
    named = [token for pair in tokens.values() for token in pair]
    return odds, logits.logsumexp(-1) - logits[..., named].logsumexp(-1)


def train_reward(config: Config, start: Llama, shards: Shards, own: list[numpy.ndarray], encoder, device: torch.device) -> tuple[Llama, dict]:
    """First learns to check, on mistakes made by rule and without end; then what the generator's own mistakes are like, and how its answers
    end. Mistakes made by rule go on beside these, and alone once the own answers have been seen OWN_PASSES times."""
    model = Llama(start.shape, start.vocabulary).to(device)
    model.load_state_dict(start.state_dict())
    compile_blocks(model)
    tokens, rng = pair_tokens(encoder), Random(config.seed)
    rows = numpy.stack(list(pack(rng.sample(own, len(own)), config.row_tokens, config.alone)))
    even, balanced = torch.ones(KIND_MASK + 1, DEPTH_MASK + 1, device=device), torch.from_numpy(depth_weights(rows)).to(device)

    def losses(batches, weights: Tensor):
        for part in batches:
            whole = on_device(part, device)
            with autocast(device):
                odds, outside = read(model, model.hidden((whole & TOKEN).long()), tokens)
            yield loss_of(odds, outside, whole, weights)

    logs = {}
    if config.checking_phase:
        logs['checking'] = descend(model, config.checking_phase, losses(shards.batches(), even), 'checking')
    both = alternating(losses(shards.batches(), even), losses(shuffled(rows, config, rng), balanced))
    logs['reward'] = descend(model, config.reward_phase, both, 'reward')
    return model, logs | {'rows of own answers': len(rows)}


def alternating(endless, other):
    """One of each in turn, until the other has ended; then the endless one alone."""
    for one in other:
        yield next(endless)
        yield one
    yield from endless


def depth_weights(rows: numpy.ndarray) -> numpy.ndarray:
    """Per task and depth, a weight that makes the living prefixes of all depths of a task count alike."""
    ends = rows[(rows >> PROMISE_SHIFT & PROMISE_MASK > 0) & (rows >> ALIVE_SHIFT & 1 > 0)]
    counts = numpy.zeros((KIND_MASK + 1, DEPTH_MASK + 1), dtype=numpy.float32)
    numpy.add.at(counts, (ends >> KIND_SHIFT & KIND_MASK, ends >> DEPTH_SHIFT & DEPTH_MASK), 1)
    typical = counts.sum(1, keepdims=True) / numpy.maximum(1, (counts > 0).sum(1, keepdims=True))
    return numpy.clip(typical / numpy.maximum(1, counts), 0.25, LARGEST_WEIGHT).astype(numpy.float32)


def loss_of(odds: Tensor, outside: Tensor, whole: Tensor, weights: Tensor) -> Tensor:
    """Equal parts of: lines as steps, lines as promises, digits."""
    step, promise = whole >> STEP_SHIFT & STEP_MASK, whole >> PROMISE_SHIFT & PROMISE_MASK
    ends = promise > 0
    depth = weights[whole >> KIND_SHIFT & KIND_MASK, whole >> DEPTH_SHIFT & DEPTH_MASK]
    alive = torch.where(whole >> ALIVE_SHIFT & 1 > 0, 1.0, AFTERWARDS)
    right, kept = (step == GOOD).float(), (promise - 1).clamp(min=0) / SURE
    parts = [
        (odds[..., 0], right, ends * depth),
        (odds[..., 1], kept, ends * depth * alive),
        (odds[..., 0], right, ((step > 0) & ~ends).float()),
    ]
    total = 0.1 * mean_over(outside, ends.float())
    for logit, label, weight in parts:
        total = total + mean_over(F.binary_cross_entropy_with_logits(logit, label, reduction='none'), weight)
    return total


def mean_over(values: Tensor, weight: Tensor) -> Tensor:
    return (values * weight).sum() / weight.sum().clamp(min=1)


def shuffled(rows: numpy.ndarray, config: Config, rng: Random):
    """Batches of these rows, in another order each time."""
    for _ in range(OWN_PASSES):
        order = numpy.array(rng.sample(range(len(rows)), len(rows)))
        for start in range(0, max(1, len(rows) - config.rows + 1), config.rows):
            yield rows[order[start : start + config.rows]]


@torch.no_grad()
def score(model: Llama, paths: list[Path], encoder, size: int) -> dict[str, list[numpy.ndarray]]:
    """The log odds of each line of each path, per pair, in the order of the paths."""
    device = next(model.parameters()).device
    newline, tokens = tokenizer.byte_token(encoder, '\n'), pair_tokens(encoder)
    odds: dict[str, list] = {name: [None] * len(paths) for name in PAIRS}
    order = sorted(range(len(paths)), key=lambda i: len(paths[i].tokens))
    for start in range(0, len(order), size):
        chosen = order[start : start + size]
        rows, ends = padded([paths[i] for i in chosen], newline)
        counts = [len(end) for end in ends]
        hidden = model.hidden(torch.from_numpy(rows).to(device))
        at = torch.from_numpy(numpy.repeat(numpy.arange(len(chosen)), counts)), torch.from_numpy(numpy.concatenate(ends))
        values = read(model, hidden[at], tokens)[0].cpu().numpy()
        for column, name in enumerate(PAIRS):
            for index, part in zip(chosen, numpy.split(values[:, column], numpy.cumsum(counts)[:-1])):
                odds[name][index] = part
    return odds


def padded(paths: list[Path], newline: int) -> tuple[numpy.ndarray, list[numpy.ndarray]]:
    """The tokens of paths, each with a last newline, padded on the right; and where the lines of each end."""
    rows = numpy.full((len(paths), max(len(path.tokens) for path in paths) + 1), tokenizer.END, dtype=numpy.int64)
    ends = []
    for row, path in zip(rows, paths):
        row[: len(path.tokens) + 1] = [*path.tokens, newline]
        ends.append(path.prompt + numpy.flatnonzero(row[path.prompt :] == newline))
    return rows, ends
