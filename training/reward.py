"""The reward model: the generator, trained further to say at each line end whether the path is good.

After the newline that ends a line (or the end token after the last one) it is read as sigmoid(logit(a) - logit(b)) for two pairs of
tokens. `+` against `-`, step: is this line right in itself, given the path? A product along a path keeps its meaning: the probability
that every line is right. `!` against `?`, promise: are all lines so far right, and can the right answer still be reached?
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
from .readings import GOOD, PROMISE_SHIFT, STEP_SHIFT, TOKEN, Labeller
from .train import autocast, compile_blocks, descend, on_device

PAIRS = {'step': ('+', '-'), 'promise': ('!', '?')}
AGGREGATION = {'step': 'product', 'promise': 'last'}  # what a path's score is made of
DEFAULT = 'step'  # what an engine reads unless told otherwise


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


def train_reward(config: Config, generator: Llama, shards: Shards, paths: list[Path], encoder, device: torch.device) -> tuple[Llama, dict]:
    """First learns to check, on mistakes made by rule and without end; then what the generator's own mistakes are like."""
    model = Llama(generator.shape, generator.vocabulary).to(device)
    model.load_state_dict(generator.state_dict())
    compile_blocks(model)
    tokens, rng = pair_tokens(encoder), Random(config.seed)

    def losses(batches):
        for rows in batches:
            whole = on_device(rows, device)
            with autocast(device):
                odds, outside = read(model, model.hidden((whole & TOKEN).long()), tokens)
            yield loss_of(odds, outside, whole)

    logs = {'checking': descend(model, config.checking_phase, losses(shards.batches()), 'checking')}
    labeller = Labeller(encoder, rng)
    labelled = (labeller.label(path.tokens, path.prompt, path.text, path.verdict) for path in rng.sample(paths, len(paths)))
    rows = numpy.stack(list(pack(labelled, config.row_tokens)))
    return model, logs | {'reward': descend(model, config.reward_phase, losses(shuffled(rows, config, rng)), 'reward')}


def loss_of(odds: Tensor, outside: Tensor, whole: Tensor) -> Tensor:
    """Equal parts of: lines as steps, lines as promises, digits."""
    step, promise = whole >> STEP_SHIFT & 3, whole >> PROMISE_SHIFT & 3
    ends = promise > 0
    parts = [
        (odds[..., 0], step, ends),
        (odds[..., 1], promise, ends),
        (odds[..., 0], step, (step > 0) & ~ends),
    ]
    total = 0.1 * mean_over(outside, ends)
    for logit, label, where in parts:
        total = total + mean_over(F.binary_cross_entropy_with_logits(logit, (label == GOOD).float(), reduction='none'), where)
    return total


def mean_over(values: Tensor, where: Tensor) -> Tensor:
    return (values * where).sum() / where.sum().clamp(min=1)


def shuffled(rows: numpy.ndarray, config: Config, rng: Random):
    """Batches of these rows, again and again in another order."""
    while True:
        order = numpy.array(rng.sample(range(len(rows)), len(rows)))
        for start in range(0, max(1, len(rows) - config.rows + 1), config.rows):
            yield rows[order[start : start + config.rows]]


@torch.no_grad()
def score(model: Llama, paths: list[Path], encoder, size: int) -> dict[str, list[numpy.ndarray]]:
    """The rewards of each line of each path, per pair, in the order of the paths."""
    device = next(model.parameters()).device
    newline, tokens = tokenizer.byte_token(encoder, '\n'), pair_tokens(encoder)
    rewards: dict[str, list] = {name: [None] * len(paths) for name in PAIRS}
    order = sorted(range(len(paths)), key=lambda i: len(paths[i].tokens))
    for start in range(0, len(order), size):
        chosen = order[start : start + size]
        rows, ends = padded([paths[i] for i in chosen], newline)
        counts = [len(end) for end in ends]
        hidden = model.hidden(torch.from_numpy(rows).to(device))
        at = torch.from_numpy(numpy.repeat(numpy.arange(len(chosen)), counts)), torch.from_numpy(numpy.concatenate(ends))
        values = torch.sigmoid(read(model, hidden[at], tokens)[0]).cpu().numpy()
        for column, name in enumerate(PAIRS):
            for index, part in zip(chosen, numpy.split(values[:, column], numpy.cumsum(counts)[:-1])):
                rewards[name][index] = part
    return rewards


def padded(paths: list[Path], newline: int) -> tuple[numpy.ndarray, list[numpy.ndarray]]:
    """The tokens of paths, each with a last newline, padded on the right; and where the lines of each end."""
    rows = numpy.full((len(paths), max(len(path.tokens) for path in paths) + 1), tokenizer.END, dtype=numpy.int64)
    ends = []
    for row, path in zip(rows, paths):
        row[: len(path.tokens) + 1] = [*path.tokens, newline]
        ends.append(path.prompt + numpy.flatnonzero(row[path.prompt :] == newline))
    return rows, ends


def area_under_curve(labels: numpy.ndarray, values: numpy.ndarray) -> float:
    """The probability that a good line scores above a bad one."""
    order = numpy.argsort(values, kind='stable')
    _, inverse, counts = numpy.unique(values[order], return_inverse=True, return_counts=True)
    ranks = (numpy.cumsum(counts) - (counts - 1) / 2)[inverse]  # ties share their mean rank
    good = labels[order] == 1
    positives, negatives = good.sum(), (~good).sum()
    if not positives or not negatives:
        return float('nan')
    return float((ranks[good].sum() - positives * (positives + 1) / 2) / (positives * negatives))
