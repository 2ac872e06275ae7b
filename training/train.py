"""Trains the generator on packed rows, and the draft to predict what the generator would say."""

import math
import time

import torch
import torch.nn.functional as F

from .config import Config, Phase
from .data import QUIET, Shards
from .model import Llama


class Schedule:
    """Learning rate: linear warm-up, then a cosine down to zero at the last step or at the end of the allowed time."""

    def __init__(self, phase: Phase):
        self.phase, self.step, self.began = phase, 0, time.monotonic()

    def progress(self) -> float:
        return max(self.step / self.phase.steps, (time.monotonic() - self.began) / self.phase.seconds)

    def rate(self) -> float:
        warm = min(1.0, (self.step + 1) / self.phase.warmup)
        return self.phase.rate * warm * 0.5 * (1 + math.cos(math.pi * min(1.0, self.progress())))


def optimizer_of(parameters: list[torch.nn.Parameter]) -> torch.optim.AdamW:
    matrices = [p for p in parameters if p.dim() >= 2]
    vectors = [p for p in parameters if p.dim() < 2]
    groups = [{'params': matrices, 'weight_decay': 0.05}, {'params': vectors, 'weight_decay': 0.0}]
    fused = parameters[0].is_cuda
    return torch.optim.AdamW(groups, lr=0.0, betas=(0.9, 0.98), eps=1e-10, fused=fused)


def autocast(device: torch.device):
    return torch.autocast(device.type, dtype=torch.bfloat16, enabled=device.type == 'cuda')


WATCH_SECONDS = 30


def descend(model: Llama, phase: Phase, losses, name: str, watch=None, parameters: list | None = None) -> dict:
    """Takes steps on the losses that `losses` yields until the phase is over; gives what there is to report. `watch`, now and then, tells more.
    `parameters`: those of the network, unless others learn beside it."""
    parameters = parameters or list(model.parameters())
    optimizer, schedule, smooth, watched = optimizer_of(parameters), Schedule(phase), None, time.monotonic()
    for loss in losses:
        for group in optimizer.param_groups:
            group['lr'] = schedule.rate()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        schedule.step += 1
        if schedule.step % 100 == 0 or schedule.progress() >= 1:
            smooth = loss.item()
            assert math.isfinite(smooth), f'{name} diverged at step {schedule.step}: lower the rate {phase.rate}'
            print(f'{name}: step {schedule.step}, loss {smooth:.4f}, {time.monotonic() - schedule.began:.0f} s', flush=True)
        if watch and time.monotonic() - watched > WATCH_SECONDS:
            print(f'{name}: step {schedule.step}, {watch(model)}', flush=True)
            watched = time.monotonic()
        if schedule.progress() >= 1:
            break
    return {'steps': schedule.step, 'seconds': round(time.monotonic() - schedule.began, 1), 'loss': round(smooth or 0.0, 4)}


def on_device(rows, device: torch.device) -> torch.Tensor:
    whole = torch.from_numpy(rows.astype('int32'))
    return whole.pin_memory().to(device, non_blocking=True) if device.type == 'cuda' else whole


def lessons(shards: Shards, device: torch.device):
    """Pairs of inputs and targets; a target that is not to be learnt is -100."""
    for rows in shards.batches():
        whole = on_device(rows, device)
        tokens = (whole & (QUIET - 1)).long()
        targets = torch.where((whole & QUIET) > 0, -100, tokens)
        yield tokens[:, :-1], targets[:, 1:]


def train_generator(config: Config, shards: Shards, device: torch.device, start: Llama | None, watch) -> tuple[Llama, dict]:
    """From `start` where there is one, else from chance."""
    torch.manual_seed(config.seed)
    model = (start or Llama(config.generator, config.vocabulary)).to(device)
    compile_blocks(model)

    def losses():
        for tokens, targets in lessons(shards, device):
            with autocast(device):
                logits = model(tokens)
            yield F.cross_entropy(logits.float().flatten(0, 1), targets.flatten())

    return model, descend(model, config.generator_phase, losses(), 'generator', watch)


def train_draft(config: Config, generator: Llama, shards: Shards, device: torch.device) -> tuple[Llama, dict]:
    """The draft learns the generator's distribution, not the data's: that is what raises acceptance. Too short to pay for compiling."""
    torch.manual_seed(config.seed + 1)
    model = Llama(config.draft, config.vocabulary).to(device)

    def losses():
        for tokens, targets in lessons(shards, device):
            with autocast(device), torch.no_grad():
                teacher = F.log_softmax(generator(tokens).float(), -1)
            with autocast(device):
                student = F.log_softmax(model(tokens).float(), -1)
            apart = F.kl_div(student, teacher, log_target=True, reduction='none').sum(-1)
            learnt = targets.ge(0)
            yield (apart * learnt).sum() / learnt.sum()

    return model, descend(model, config.draft_phase, losses(), 'draft')


def compile_blocks(model: Llama, dynamic: bool = False):
    """Compiling one block serves all of them; the whole network would take a minute to compile."""
    if next(model.parameters()).is_cuda:
        for block in model.blocks:
            block.compile(dynamic=dynamic)
