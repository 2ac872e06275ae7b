"""The network: llama-shaped, tied embeddings, rotary positions over interleaved pairs (GGUF's order, so no permutation on export)."""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from .config import Shape

ROTARY_BASE = 10_000.0
EPSILON = 1e-5


class Cache:
    """Keys and values of a batch of sequences that all end at the same position (they are padded on the left)."""

    def __init__(self, shape: Shape, batch: int, length: int, device, dtype):
        size = (shape.layers, batch, shape.heads, length, shape.width // shape.heads)
        self.keys = torch.empty(size, device=device, dtype=dtype)
        self.values = torch.empty(size, device=device, dtype=dtype)
        self.length = 0

    def keep(self, rows: Tensor):
        """Drops all sequences but these."""
        self.keys, self.values = self.keys[:, rows], self.values[:, rows]


class Attention(nn.Module):
    def __init__(self, shape: Shape):
        super().__init__()
        self.heads = shape.heads
        self.q = nn.Linear(shape.width, shape.width, bias=False)
        self.k = nn.Linear(shape.width, shape.width, bias=False)
        self.v = nn.Linear(shape.width, shape.width, bias=False)
        self.output = nn.Linear(shape.width, shape.width, bias=False)

    def forward(self, x: Tensor, turn: Tensor, mask: Tensor | None, cached: tuple[Tensor, Tensor, int] | None) -> Tensor:
        batch, length, width = x.shape
        q, k, v = (part(x).view(batch, length, self.heads, -1).transpose(1, 2) for part in (self.q, self.k, self.v))
        q, k = rotate(q, turn), rotate(k, turn)
        if cached is not None:
            keys, values, start = cached
            keys[:, :, start : start + length] = k
            values[:, :, start : start + length] = v
            k, v = keys[:, :, : start + length], values[:, :, : start + length]
        if length == 1:
            mixed = attend_one(q, k, v, mask)
        else:
            mixed = F.scaled_dot_product_attention(q, k, v, attn_mask=mask, is_causal=mask is None)
        return self.output(mixed.transpose(1, 2).reshape(batch, length, width))


def attend_one(q: Tensor, k: Tensor, v: Tensor, mask: Tensor) -> Tensor:
    """Attention of a single query per sequence. Reads the cache in place, where the general kernel would copy it to float32."""
    scores = (q @ k.transpose(-1, -2)) * q.shape[-1] ** -0.5
    return torch.softmax(scores.float().masked_fill(~mask, -torch.inf), -1).to(v.dtype) @ v


class Block(nn.Module):
    def __init__(self, shape: Shape):
        super().__init__()
        self.attention_norm = nn.RMSNorm(shape.width, eps=EPSILON)
        self.attention = Attention(shape)
        self.feed_norm = nn.RMSNorm(shape.width, eps=EPSILON)
        self.gate = nn.Linear(shape.width, shape.feed_forward, bias=False)
        self.up = nn.Linear(shape.width, shape.feed_forward, bias=False)
        self.down = nn.Linear(shape.feed_forward, shape.width, bias=False)

    def forward(self, x: Tensor, turn: Tensor, mask: Tensor | None = None, cached=None) -> Tensor:
        x = x + self.attention(self.attention_norm(x), turn, mask, cached)
        fed = self.feed_norm(x)
        return x + self.down(F.silu(self.gate(fed)) * self.up(fed))


class Llama(nn.Module):
    def __init__(self, shape: Shape, vocabulary: int):
        super().__init__()
        self.shape, self.vocabulary = shape, vocabulary
        self.embedding = nn.Embedding(vocabulary, shape.width)
        self.blocks = nn.ModuleList(Block(shape) for _ in range(shape.layers))
        self.norm = nn.RMSNorm(shape.width, eps=EPSILON)
        self.apply(self._initialise)

    def _initialise(self, module: nn.Module):
        if isinstance(module, nn.Embedding):
            nn.init.normal_(module.weight, std=0.02)
        if isinstance(module, nn.Linear):
            nn.init.normal_(module.weight, std=0.5 * module.in_features**-0.5)

    def hidden(self, tokens: Tensor, mask: Tensor | None = None, cache: Cache | None = None) -> Tensor:
        start = cache.length if cache else 0
        turn = turns(start, tokens.shape[1], self.shape.width // self.shape.heads, tokens.device)
        x = self.embedding(tokens)
        for index, block in enumerate(self.blocks):
            x = block(x, turn, mask, (cache.keys[index], cache.values[index], start) if cache else None)
        if cache:
            cache.length += tokens.shape[1]
        return self.norm(x)

    def states(self, tokens: Tensor) -> list[Tensor]:
        """What stands after each layer, not normed."""
        turn = turns(0, tokens.shape[1], self.shape.width // self.shape.heads, tokens.device)
        states = [self.embedding(tokens)]
        for block in self.blocks:
            states.append(block(states[-1], turn))
        return states[1:]

    def logits(self, hidden: Tensor) -> Tensor:
        return F.linear(hidden, self.embedding.weight)

    def forward(self, tokens: Tensor) -> Tensor:
        return self.logits(self.hidden(tokens))


def turns(start: int, length: int, width: int, device) -> Tensor:
    """Cosine and sine of every position and pair: shape (2, length, width / 2)."""
    rates = ROTARY_BASE ** (-torch.arange(0, width, 2, device=device, dtype=torch.float32) / width)
    angles = torch.arange(start, start + length, device=device, dtype=torch.float32)[:, None] * rates
    return torch.stack([angles.cos(), angles.sin()])


def rotate(x: Tensor, turn: Tensor) -> Tensor:
    cosine, sine = turn
    even, odd = x.float()[..., 0::2], x.float()[..., 1::2]
    return torch.stack([even * cosine - odd * sine, even * sine + odd * cosine], dim=-1).flatten(-2).to(x.dtype)
