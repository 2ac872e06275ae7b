"""Samples many answers at once: sequences padded on the left, one key-value cache, the finished ones dropped as they end."""

import torch
from torch import Tensor

from . import tokenizer
from .model import Cache, Llama

COMPACT_EVERY = 16


def for_sampling(model: Llama, device: torch.device) -> Llama:
    """A copy without compiled blocks; bfloat16 on a GPU."""
    plain = Llama(model.shape, model.vocabulary).to(device)
    plain.load_state_dict(model.state_dict())
    plain.eval()
    return plain.to(torch.bfloat16) if device.type == 'cuda' else plain


@torch.no_grad()
def sample(model: Llama, prompts: list[list[int]], temperature: float, limit: int, seed: int, batch: int) -> list[list[int]]:
    """One continuation of each prompt, up to the end token (left out) or `limit` tokens."""
    device = next(model.parameters()).device
    chance = torch.Generator(device=device).manual_seed(seed)
    order = sorted(range(len(prompts)), key=lambda i: len(prompts[i]))
    answers: list[list[int]] = [[] for _ in prompts]
    for start in range(0, len(order), batch):
        chosen = order[start : start + batch]
        for index, answer in zip(chosen, _sample_batch(model, [prompts[i] for i in chosen], temperature, limit, chance)):
            answers[index] = answer
    return answers


def _sample_batch(model: Llama, prompts: list[list[int]], temperature: float, limit: int, chance) -> list[list[int]]:
    weight = model.embedding.weight
    longest = max(map(len, prompts))
    padded = [[tokenizer.END] * (longest - len(p)) + p for p in prompts]
    tokens = torch.tensor(padded, device=weight.device)
    pads = torch.tensor([longest - len(p) for p in prompts], device=weight.device)
    cache = Cache(model.shape, len(prompts), longest + limit, weight.device, weight.dtype)
    positions = torch.arange(longest + limit, device=weight.device)
    seen = positions[None, :] >= pads[:, None]  # (sequence, position): not padding
    near = positions[:longest, None] == positions[None, :longest]  # a pad sees itself, so that no row is empty
    causal = positions[:longest, None] >= positions[None, :longest]
    mask = (seen[:, None, :longest] & causal) | near
    logits = model.logits(model.hidden(tokens, mask[:, None], cache)[:, -1])
    written = torch.full((len(prompts), limit), tokenizer.END, device=weight.device)
    alive = torch.arange(len(prompts), device=weight.device)
    ended = torch.zeros(len(prompts), dtype=torch.bool, device=weight.device)
    for step in range(limit):
        chosen = _choose(logits, temperature, chance)
        chosen = torch.where(ended, tokenizer.END, chosen)
        written[alive, step] = chosen
        ended = ended | (chosen == tokenizer.END)
        if step % COMPACT_EVERY == COMPACT_EVERY - 1 and ended.any():
            rows = (~ended).nonzero().squeeze(1)
            if not len(rows):
                break
            if len(rows) < 0.8 * len(ended):
                alive, chosen, seen, ended = alive[rows], chosen[rows], seen[rows], ended[rows]
                cache.keep(rows)
        now = cache.length + 1
        logits = model.logits(model.hidden(chosen[:, None], seen[:, None, None, :now], cache)[:, -1])
    return [_until_end(row) for row in written.tolist()]


def _choose(logits: Tensor, temperature: float, chance) -> Tensor:
    """A token by chance; the likeliest one at temperature 0."""
    if temperature == 0:
        return logits.argmax(-1)
    return torch.multinomial(torch.softmax(logits.float() / temperature, -1), 1, generator=chance).squeeze(1)


def _until_end(row: list[int]) -> list[int]:
    return row[: row.index(tokenizer.END)] if tokenizer.END in row else row
