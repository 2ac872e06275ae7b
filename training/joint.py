"""One network that writes and reads: in one batch it learns to write right answers and to tell spoiled ones.

A reading is the difference of two logits at a line end, of tokens that never stand there in an answer: writing asks only that both be
low, so the two do not disturb each other, and what checking teaches about sums helps to write them. The promise of a right prefix is
the probability that the network itself gives to the right lines that are left: what Monte-Carlo samples would estimate, exact where a
line has one right form. The promise of a path that has gone wrong is 0.
"""

import torch
import torch.nn.functional as F
from torch import Tensor

from . import tokenizer
from .config import Config
from .data import QUIET, Shards
from .model import Llama
from .readings import GOOD, PROMISE_MASK, PROMISE_SHIFT, STEP_MASK, STEP_SHIFT, TOKEN
from .reward import mean_over, pair_tokens
from .train import autocast, compile_blocks, descend, on_device

READING_WEIGHT = 0.25  # of each of the four losses of reading, against 1 for writing


def train_both(config: Config, right: Shards, spoiled: Shards, encoder, device: torch.device, start: Llama | None, watch) -> tuple[Llama, dict]:
    torch.manual_seed(config.seed)
    model = (start or Llama(config.generator, config.vocabulary)).to(device)
    compile_blocks(model)
    pairs, newline = list(pair_tokens(encoder).values()), tokenizer.byte_token(encoder, '\n')

    def losses():
        for rows, mistakes in zip(right.batches(), spoiled.batches()):
            written, read = on_device(rows, device), on_device(mistakes[: config.spoiled_rows], device)
            tokens = torch.cat([written[:, :-1] & (QUIET - 1), read & TOKEN]).long()
            with autocast(device):
                logits = model(tokens)
            count, logits = len(written), logits.float()
            odds = torch.stack([logits[..., good] - logits[..., bad] for good, bad in pairs], -1)
            yield writing_loss(logits[:count], odds[:count], written, newline) + spoiled_loss(odds[count:], read)

    return model, descend(model, config.generator_phase, losses(), 'both', watch)


def writing_loss(logits: Tensor, odds: Tensor, whole: Tensor, newline: int) -> Tensor:
    """Right answers: their tokens; every line end is a right step, and promises what is left."""
    tokens, learnt = (whole & (QUIET - 1)).long(), ((whole & QUIET) == 0).float()
    missed = F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten(), reduction='none').view_as(tokens[:, 1:]) * learnt[:, 1:]
    left = missed.detach().flip(1).cumsum(1).flip(1)  # from each token to the end of the answer
    ends = learnt[:, :-1] * ((tokens[:, :-1] == newline) | (tokens[:, :-1] == tokenizer.END))
    step = mean_over(F.binary_cross_entropy_with_logits(odds[..., 0], torch.ones_like(left), reduction='none'), ends)
    promise = mean_over(F.binary_cross_entropy_with_logits(odds[..., 1], torch.exp(-left), reduction='none'), ends)
    return mean_over(missed, learnt[:, 1:]) + READING_WEIGHT * (0.5 * step + promise)


def spoiled_loss(odds: Tensor, whole: Tensor) -> Tensor:
    """Spoiled answers: which lines and which digits are right, and that a path that went wrong promises nothing."""
    step, promise = whole >> STEP_SHIFT & STEP_MASK, whole >> PROMISE_SHIFT & PROMISE_MASK
    good, ends, digits = (step == GOOD).float(), (promise > 0).float(), ((step > 0) & (promise == 0)).float()
    lines = F.binary_cross_entropy_with_logits(odds[..., 0], good, reduction='none')
    hopeless = mean_over(F.softplus(odds[..., 1]), (promise == 1).float())
    return READING_WEIGHT * (mean_over(lines, ends) + mean_over(lines, digits) + hopeless)
