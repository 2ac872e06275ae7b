"""Trains an adapter: cross entropy of the two verdict tokens over the whole vocabulary at every step (so that a server finds them among its likeliest tokens), and losses
over solutions of the same question, since that is how they are compared: pairs of a right and a wrong one at their last steps (`last`), after a third and two thirds of
their steps too (`places`), and how much of the odds of all stands with the right ones (`hard`: a wrong one that is scored high weighs most)."""

import json
import math
import time
from itertools import accumulate
from pathlib import Path

import torch
import torch.nn.functional as F

from . import adapter
from .figures import PLACES, area, at_share
from .labels import Example
from .qwen import Qwen

WEIGHTS = {'last': {1: 0.5}, 'places': {1: 0.5, 2 / 3: 0.25, 1 / 3: 0.25}}
WEIGHTS['hard'] = WEIGHTS['places']
LIST_WEIGHT = 0.25
WARMUP = 15
CLIP = 1.0


def batches_of(groups: list[list[Example]], tokens: int) -> list[list[Example]]:
    """Whole questions until the tokens are full; of a question that has more by itself, as many solutions as there is room for."""
    batches, batch, size = [], [], 0
    for group in groups:
        ends = accumulate(len(each.document.ids) for each in group)
        group = [each for each, end in zip(group, ends) if end <= tokens] or group[:1]
        length = sum(len(each.document.ids) for each in group)
        if batch and size + length > tokens:
            batches.append(batch)
            batch, size = [], 0
        batch, size = batch + group, size + length
    return batches + [batch] if batch else batches


def read_at(batch: list[Example], share: float) -> list[int]:
    """Where the verdict after this share of its steps stands among all verdicts of the batch."""
    found, start = [], 0
    for each in batch:
        found.append(at_share(range(start, start + len(each.targets)), share))
        start += len(each.targets)
    return found


def loss_of(model: Qwen, batch: list[Example], verdicts: tuple[int, int], ranking: str) -> tuple[torch.Tensor, torch.Tensor]:
    said = model.logits(model.at_verdicts([each.document for each in batch])).log_softmax(-1)[:, list(verdicts)]
    targets = torch.tensor([value for each in batch for value in each.targets], device=model.device)
    weights = torch.tensor([value for each in batch for value in each.weights], device=model.device)
    steps = -(weights * (targets * said[:, 0] + (1 - targets) * said[:, 1])).sum() / weights.sum()
    odds = said[:, 0] - said[:, 1]
    return steps, ranking_loss(odds, batch, ranking)


def ranking_loss(odds: torch.Tensor, batch: list[Example], ranking: str) -> torch.Tensor:
    names = {name: at for at, name in enumerate(dict.fromkeys(each.question for each in batch))}
    question = torch.tensor([names[each.question] for each in batch], device=odds.device)
    right = torch.tensor([each.right for each in batch], device=odds.device)
    same = question[:, None] == question[None, :]
    pairs = same & right[:, None] & ~right[None, :]
    loss = odds.sum() * 0
    if not bool(pairs.any()):
        return loss
    for share, weight in WEIGHTS[ranking].items():
        value = odds[read_at(batch, share)]
        loss = loss + weight * F.softplus(value[None, :] - value[:, None])[pairs].mean()
    if ranking == 'hard':
        last, mixed = odds[read_at(batch, 1)], pairs.any(1)
        of = lambda mask: last[None, :].masked_fill(~mask, -math.inf).logsumexp(1)
        loss = loss + LIST_WEIGHT * (of(same) - of(same & right[None, :]))[mixed].mean()
    return loss


def fit(model: Qwen, groups, verdicts, out: Path, name: str, seconds: float, rate: float, tokens: int, together: int, ranking: str) -> dict:
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
            steps, pairs = loss_of(model, batch, verdicts, ranking)
            ((steps + pairs) / len(part)).backward()
            sums = [sums[0] + steps.detach() / len(part), sums[1] + pairs.detach() / len(part)]
            read += sum(len(each.document.ids) for each in batch)
        norm = torch.nn.utils.clip_grad_norm_(parameters, CLIP)
        if torch.isfinite(norm):
            optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        log.append([step, float(sums[0]), float(sums[1]), float(norm), now, round(time.time() - began, 1)])
        if step % 10 == 0:
            print(f'step {step} of {total}: loss {log[-1][1]:.4f}, ranking {log[-1][2]:.4f}, norm {log[-1][3]:.3f}, {read / (time.time() - began):.0f} tokens/s', flush=True)
        if time.time() - saved > 60:
            adapter.save(model, out, name)
            saved = time.time()
    adapter.save(model, out, name)
    seen = sum(len(batch) for batch in batches[: (step + 1) * together])
    report = {'steps': len(log), 'of': total, 'tokens': read, 'seconds': round(time.time() - began, 1), 'documents': seen, 'rate': rate, 'ranking': ranking, 'log': log}
    (out / 'training.json').write_text(json.dumps(report) + '\n')
    return report


def tells(model: Qwen, groups: list[list[Example]], verdicts: tuple[int, int], tokens: int) -> dict[str, float]:
    """AUC within a question on what was held back: after a third and two thirds of the steps, and after the last."""
    pairs = {name: [] for name in PLACES}
    for batch in batches_of([group for group in groups if len({each.right for each in group}) == 2], tokens):
        said = model.verdicts([each.document for each in batch], verdicts)
        for name, found in pairs.items():
            for one, odds in zip(batch, said):
                for other, others in zip(batch, said):
                    if one.question == other.question and one.right and not other.right:
                        found.append((at_share(odds, PLACES[name]), at_share(others, PLACES[name])))
    return {name: round(area(found), 4) for name, found in pairs.items() if found}
