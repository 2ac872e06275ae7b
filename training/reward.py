"""The reward model: the generator, trained further to say at each line end whether the path is good.

After the newline that ends a line (or the end token after the last one) it is read as sigmoid(logit(a) - logit(b)) for two pairs of
tokens. `+` against `-`, step: is this line right in itself, given the path? A product along a path keeps its meaning: the probability
that every line is right. `!` against `?`, promise: the probability that an answer sampled from here ends right.
"""

from functools import lru_cache

import numpy
import torch
import torch.nn.functional as F
from torch import Tensor

from . import residues, tokenizer
from .config import Config
from .lessons import Labels, lessons
from .model import Llama
from .paths import Path
from .train import autocast, compile_blocks, descend

PAIRS = {'step': ('+', '-'), 'promise': ('!', '?')}
AGGREGATION = {'step': 'product', 'promise': 'last'}  # what a path's score is made of
DEFAULT = 'step'  # what an engine reads unless told otherwise
DIGIT_WEIGHT = 0.2
LOOKED_AT = 16  # rows of a batch on which all logits are calculated
RESIDUE_WEIGHT = 0.2  # of each kind of remainder


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


def read(model: Llama, hidden: Tensor, tokens: dict[str, tuple[int, int]]) -> Tensor:
    """The log odds of each pair."""
    said = F.linear(hidden, model.embedding.weight[named(tokens, hidden.device)]).float()
    return said[..., 0::2] - said[..., 1::2]


def outside(model: Llama, hidden: Tensor, tokens: dict[str, tuple[int, int]]) -> Tensor:
    """How far the label tokens are from holding all probability."""
    logits = model.logits(hidden).float()
    return logits.logsumexp(-1) - logits.index_select(-1, named(tokens, hidden.device)).logsumexp(-1)


@lru_cache(maxsize=1)
def _named(tokens: tuple[int, ...], device: torch.device) -> Tensor:
    return torch.tensor(tokens, device=device)


def named(tokens: dict[str, tuple[int, int]], device: torch.device) -> Tensor:
    return _named(tuple(token for pair in tokens.values() for token in pair), device)


def train_reward(config: Config, start: Llama, generators: dict[str, Llama], streams: list, encoder, device: torch.device, keep) -> tuple[Llama, dict]:
    """On mistakes made by rule and on right answers, all of them fresh, and on the generator's own answers. `keep` gets the network now and then."""
    torch.manual_seed(config.seed)
    model = Llama(start.shape, start.vocabulary).to(device)
    model.load_state_dict(start.state_dict())
    compile_blocks(model)
    classifiers = residues.Classifiers(start.shape.width, start.shape.layers).to(device)
    signs, tokens = residues.Signs(encoder, start.vocabulary, device), pair_tokens(encoder)
    newline = tokenizer.byte_token(encoder, '\n')
    told = Told(keep)

    def losses():
        for texts, labels, marks in lessons(streams, generators, signs, newline, device):
            with autocast(device):
                states = model.states(texts)
                hidden = model.norm(states[-1])
                odds, lost = read(model, hidden, tokens), outside(model, hidden[:LOOKED_AT], tokens)
                missed = classifiers(states, marks)
            reading = loss_of(odds, lost, labels)
            told.note(reading, missed)
            yield reading.sum() + RESIDUE_WEIGHT * missed.sum()

    return model, descend(model, config.reward_phase, losses(), 'reward', told, [*model.parameters(), *classifiers.parameters()])


class Told:
    """The losses of late, in one line; whoever asks for it keeps the network, too."""

    def __init__(self, keep):
        self.keep = keep

    def note(self, *losses: Tensor):
        self.last = [loss.detach() for loss in losses]

    def __call__(self, model: Llama) -> str:
        self.keep(model)
        reading, missed = (' '.join(f'{value:.3f}' for value in part.tolist()) for part in self.last)
        return f'step, promise, digits, drills, outside {reading}; remainders {missed}'


def loss_of(odds: Tensor, lost: Tensor, labels: Labels) -> Tensor:
    """Lines as steps, lines as promises, digits, drills, and how much probability is outside of the label tokens."""
    step = F.binary_cross_entropy_with_logits(odds[..., 0], labels.right, reduction='none')
    promise = F.binary_cross_entropy_with_logits(odds[..., 1], labels.promise, reduction='none')
    return torch.stack([
        mean_over(step, labels.step_weight),
        mean_over(promise, labels.promise_weight),
        DIGIT_WEIGHT * mean_over(step, labels.digit_weight),
        mean_over(step, labels.drill_weight),
        0.1 * mean_over(lost, labels.step_weight[:LOOKED_AT]),
    ])  # fmt: skip


def mean_over(values: Tensor, weight: Tensor) -> Tensor:
    return (values * weight).sum() / weight.sum().clamp(min=1)


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
        values = read(model, hidden[at], tokens).cpu().numpy()
        for column, name in enumerate(PAIRS):
            for index, part in zip(chosen, numpy.split(values[:, column], numpy.cumsum(counts)[:-1])):
                odds[name][index] = part
    return odds


def padded(paths: list[Path], newline: int) -> tuple[numpy.ndarray, list[numpy.ndarray]]:
    """The tokens of paths, each with its end token, padded on the right; and where the lines of each end."""
    rows = numpy.full((len(paths), max(len(path.tokens) for path in paths) + 1), tokenizer.END, dtype=numpy.int64)
    ends = []
    for row, path in zip(rows, paths):
        row[: len(path.tokens)] = path.tokens
        ends.append(numpy.append(path.prompt + numpy.flatnonzero(row[path.prompt :] == newline), len(path.tokens)))
    return rows, ends
