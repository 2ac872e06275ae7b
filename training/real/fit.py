"""Trains an adapter: cross entropy of the two verdict tokens over the whole vocabulary at every step (so that a server finds them among its likeliest tokens),
and a loss over pairs of a right and a wrong solution of the same question at their last steps, since that is how they are compared."""

import json
import math
import time
from pathlib import Path

import torch
import torch.nn.functional as F

from . import adapter
from .labels import Example
from .qwen import Qwen

PAIR_WEIGHT = 0.5
WARMUP = 15
CLIP = 1.0


def batches_of(groups: list[list[Example]], tokens: int) -> list[list[Example]]:
    """Whole questions until the tokens are full."""
    batches, batch, size = [], [], 0
    for group in groups:
        length = sum(len(each.document.ids) for each in group)
        if batch and size + length > tokens:
            batches.append(batch)
            batch, size = [], 0
        batch, size = batch + group, size + length
    return batches + [batch] if batch else batches


def loss_of(model: Qwen, batch: list[Example], verdicts: tuple[int, int]) -> tuple[torch.Tensor, torch.Tensor]:
    ids, rows, at = model.pack([each.document for each in batch])
    said = model.logits(model(ids, rows).index_select(0, at)).log_softmax(-1)[:, list(verdicts)]
    targets = torch.tensor([value for each in batch for value in each.targets], device=model.device)
    weights = torch.tensor([value for each in batch for value in each.weights], device=model.device)
    steps = -(weights * (targets * said[:, 0] + (1 - targets) * said[:, 1])).sum() / weights.sum()
    ends = torch.tensor([len(each.targets) for each in batch]).cumsum(0) - 1
    last = (said[:, 0] - said[:, 1])[ends.to(model.device)]
    right, wrong = [], []
    for i, one in enumerate(batch):
        for j, other in enumerate(batch):
            if one.question == other.question and one.right and not other.right:
                right.append(i)
                wrong.append(j)
    pairs = F.softplus(last[wrong] - last[right]).mean() if right else last.sum() * 0
    return steps, pairs


def fit(model: Qwen, groups, verdicts, out: Path, name: str, seconds: float, rate: float, tokens: int, together: int) -> dict:
    """One pass, or as much of it as `seconds` allow; the rate falls with whichever is nearer to its end."""
    batches = batches_of(groups, tokens)
    parameters = [*model.down.values(), *model.up.values()]
    optimizer = torch.optim.AdamW(parameters, lr=rate, betas=(0.9, 0.95), weight_decay=0.0)
    total, began, log, read, saved = math.ceil(len(batches) / together), time.time(), [], 0, time.time()
    for step in range(total):
        part = batches[step * together : (step + 1) * together]
        progress = max(step / total, (time.time() - began) / seconds)
        if progress >= 1:
            break
        now = rate * min(1.0, (step + 1) / WARMUP) * (0.05 + 0.95 * 0.5 * (1 + math.cos(math.pi * progress)))
        for group in optimizer.param_groups:
            group['lr'] = now
        sums = [0.0, 0.0]
        for batch in part:
            steps, pairs = loss_of(model, batch, verdicts)
            ((steps + PAIR_WEIGHT * pairs) / len(part)).backward()
            sums = [sums[0] + steps.detach() / len(part), sums[1] + pairs.detach() / len(part)]
            read += sum(len(each.document.ids) for each in batch)
        norm = torch.nn.utils.clip_grad_norm_(parameters, CLIP)
        if torch.isfinite(norm):
            optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        log.append([step, float(sums[0]), float(sums[1]), float(norm), now, round(time.time() - began, 1)])
        if step % 10 == 0:
            print(f'step {step} of {total}: loss {log[-1][1]:.4f}, pairs {log[-1][2]:.4f}, norm {log[-1][3]:.3f}, {read / (time.time() - began):.0f} tokens/s', flush=True)
        if time.time() - saved > 60:
            adapter.save(model, out, name)
            saved = time.time()
    adapter.save(model, out, name)
    seen = sum(len(batch) for batch in batches[: (step + 1) * together])
    report = {'steps': len(log), 'of': total, 'tokens': read, 'seconds': round(time.time() - began, 1), 'documents': seen, 'rate': rate, 'log': log}
    (out / 'training.json').write_text(json.dumps(report) + '\n')
    return report
