"""One step of GRPO on exported rollouts, and what shows that its loss is on the right tokens."""

import torch
from torch import Tensor, nn

from .rows import Batch

CLIP = 0.2  # of the ratio to the policy that sampled, as in PPO and GRPO


def log_probabilities(logits: Tensor, ids: Tensor) -> Tensor:
    """Of each token given those before it, at its own place; 0 for the first, which follows nothing."""
    chosen = torch.log_softmax(logits[:, :-1].float(), -1).gather(-1, ids[:, 1:, None])[..., 0]
    return nn.functional.pad(chosen, (1, 0))


def drift(logits: Tensor, rows: Batch) -> Tensor:
    """How far the trainer's log probability of each drawn token lies from the one it was sampled with."""
    return (log_probabilities(logits, rows.ids) - rows.sampled).abs()[rows.drawn]


def loss(logits: Tensor, rows: Batch) -> Tensor:
    """GRPO's clipped objective (arXiv 2402.03300, without its KL term), a mean over drawn tokens, each row as often as it was drawn."""
    ratio = torch.exp(log_probabilities(logits, rows.ids) - rows.sampled)
    clipped = ratio.clamp(1 - CLIP, 1 + CLIP)
    gain = torch.minimum(ratio * rows.advantages, clipped * rows.advantages)
    weight = rows.drawn * rows.copies[:, None]
    return -(gain * weight).sum() / weight.sum()


def gradients(model: nn.Module, rows: Batch) -> Tensor:
    """Of the loss with respect to the logits: a row for the place of each token that they predict; the first predicts from nothing."""
    logits = model(rows.ids)
    logits.retain_grad()
    loss(logits, rows).backward()
    size = logits.grad.abs().sum(-1)[:, :-1]
    model.zero_grad()
    return nn.functional.pad(size, (1, 0))


def train(model: nn.Module, rows: Batch, rate: float) -> tuple[float, float]:
    """The loss before and after one step."""
    optimizer = torch.optim.SGD(model.parameters(), lr=rate)
    before = loss(model(rows.ids), rows)
    before.backward()
    optimizer.step()
    with torch.no_grad():
        return before.item(), loss(model(rows.ids), rows).item()
