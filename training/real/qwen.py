"""Qwen2 in plain PyTorch with a LoRA adapter: reads packed documents and gives the log odds of the verdicts. The weights of the base are never trained.

Linear layers see the tokens of a batch back to back, without padding; only attention sees one row a document, padded on the right, so that a causal
mask is all it needs. (cuDNN's attention returned NaN gradients with explicit masks in torch 2.11 on an H200, so it is switched off.)"""

import json
import math
from dataclasses import dataclass
from pathlib import Path

import torch
import torch.nn.functional as F
from safetensors.torch import load_file
from torch import Tensor, nn

TARGETS = ('q_proj', 'v_proj', 'o_proj', 'down_proj')
FOLDER = {'q_proj': 'self_attn', 'k_proj': 'self_attn', 'v_proj': 'self_attn', 'o_proj': 'self_attn', 'gate_proj': 'mlp', 'up_proj': 'mlp', 'down_proj': 'mlp'}


@dataclass(frozen=True)
class Rows:
    """How packed tokens lie in padded rows: `slots[i]` is the place of token i in rows × longest."""

    rows: int
    longest: int
    slots: Tensor
    positions: Tensor


def rows_of(lengths: list[int], device) -> Rows:
    longest = -(-max(lengths) // 64) * 64
    positions = torch.cat([torch.arange(length) for length in lengths])
    starts = torch.repeat_interleave(torch.arange(len(lengths)) * longest, torch.tensor(lengths))
    return Rows(len(lengths), longest, (starts + positions).to(device), positions.to(device))


class _Spread(torch.autograd.Function):
    """Packed to padded; the slots are distinct, so that the way back is a plain lookup."""

    @staticmethod
    def forward(context, packed: Tensor, slots: Tensor, size: int) -> Tensor:
        context.save_for_backward(slots)
        return packed.new_zeros(size, packed.shape[1]).index_copy_(0, slots, packed)

    @staticmethod
    def backward(context, gradient: Tensor):
        return gradient.index_select(0, context.saved_tensors[0]), None, None


class _Gather(torch.autograd.Function):
    """Padded to packed."""

    @staticmethod
    def forward(context, padded: Tensor, slots: Tensor) -> Tensor:
        context.save_for_backward(slots)
        context.size = padded.shape[0]
        return padded.index_select(0, slots)

    @staticmethod
    def backward(context, gradient: Tensor):
        return gradient.new_zeros(context.size, gradient.shape[1]).index_copy_(0, context.saved_tensors[0], gradient), None


class Qwen(nn.Module):
    def __init__(self, folder: Path, device='cpu', dtype=torch.bfloat16, rank: int = 0, alpha: float = 16, targets=TARGETS, seed: int = 0):
        super().__init__()
        torch.backends.cuda.enable_cudnn_sdp(False)
        self.config = json.loads((folder / 'config.json').read_text())
        self.base = {name: weight.to(device, dtype) for name, weight in load_file(str(folder / 'model.safetensors')).items()}
        self.base.setdefault('lm_head.weight', self.base['model.embed_tokens.weight'])
        self.device, self.dtype, self.rank, self.alpha, self.targets = device, dtype, rank, alpha, tuple(targets)
        self.heads, self.kv_heads = self.config['num_attention_heads'], self.config['num_key_value_heads']
        self.size = self.config['hidden_size'] // self.heads
        frequencies = self.config['rope_theta'] ** (-torch.arange(0, self.size, 2, dtype=torch.float64) / self.size)
        self.frequencies = frequencies.float().to(device)
        self.down, self.up = nn.ParameterDict(), nn.ParameterDict()
        generator = torch.Generator().manual_seed(seed)
        for layer in range(self.config['num_hidden_layers'] if rank else 0):
            for target in self.targets:
                to, of = self.base[f'model.layers.{layer}.{FOLDER[target]}.{target}.weight'].shape
                start = (torch.rand(rank, of, generator=generator) * 2 - 1) / math.sqrt(of)
                self.down[f'{layer}-{target}'] = nn.Parameter(start.to(device))
                self.up[f'{layer}-{target}'] = nn.Parameter(torch.zeros(to, rank, device=device))

    def linear(self, layer: int, name: str, x: Tensor) -> Tensor:
        place = f'model.layers.{layer}.{FOLDER[name]}.{name}'
        y = F.linear(x, self.base[f'{place}.weight'], self.base.get(f'{place}.bias'))
        if not self.rank or name not in self.targets:
            return y
        key = f'{layer}-{name}'
        up = self.up[key] * (self.alpha / self.rank)
        return torch.addmm(y, F.linear(x, self.down[key].to(x.dtype)), up.to(x.dtype).T)

    def norm(self, name: str, x: Tensor) -> Tensor:
        return F.rms_norm(x, (x.shape[-1],), self.base[f'{name}.weight'], self.config['rms_norm_eps'])

    def turn(self, x: Tensor, cosine: Tensor, sine: Tensor) -> Tensor:
        """Rotary positions, on the two halves of each head."""
        heads = x.view(x.shape[0], -1, self.size)
        first, second = heads.chunk(2, -1)
        return torch.cat((first * cosine - second * sine, second * cosine + first * sine), -1).view_as(x)

    def attend(self, layer: int, x: Tensor, rows: Rows, cosine: Tensor, sine: Tensor) -> Tensor:
        q, k, v = (self.linear(layer, name, x) for name in ('q_proj', 'k_proj', 'v_proj'))
        q, k = self.turn(q, cosine, sine), self.turn(k, cosine, sine)
        spread = lambda each: _Spread.apply(each, rows.slots, rows.rows * rows.longest).view(rows.rows, rows.longest, -1, self.size).transpose(1, 2)
        seen = F.scaled_dot_product_attention(spread(q), spread(k), spread(v), is_causal=True, enable_gqa=True)
        packed = _Gather.apply(seen.transpose(1, 2).reshape(rows.rows * rows.longest, -1), rows.slots)
        return self.linear(layer, 'o_proj', packed)

    def forward(self, ids: Tensor, rows: Rows, layers: int | None = None) -> Tensor:
        """The hidden state of every token after all layers and the last norm, or after the first `layers` as it is."""
        angles = rows.positions[:, None].float() * self.frequencies
        cosine, sine = angles.cos()[:, None].to(self.dtype), angles.sin()[:, None].to(self.dtype)
        x = F.embedding(ids, self.base['model.embed_tokens.weight'])
        for layer in range(self.config['num_hidden_layers'] if layers is None else layers):
            place = f'model.layers.{layer}'
            x = x + self.attend(layer, self.norm(f'{place}.input_layernorm', x), rows, cosine, sine)
            inner = self.norm(f'{place}.post_attention_layernorm', x)
            x = x + self.linear(layer, 'down_proj', F.silu(self.linear(layer, 'gate_proj', inner)) * self.linear(layer, 'up_proj', inner))
        return x if layers is not None else self.norm('model.norm', x)

    def logits(self, hidden: Tensor) -> Tensor:
        return F.linear(hidden, self.base['lm_head.weight']).float()

    def pack(self, documents) -> tuple[Tensor, Rows, Tensor]:
        """Token ids, their rows, and the places of the verdicts, document by document."""
        ids = torch.tensor([token for each in documents for token in each.ids], device=self.device)
        at, start = [], 0
        for each in documents:
            at += [start + place for place in each.at]
            start += len(each.ids)
        return ids, rows_of([len(each.ids) for each in documents], self.device), torch.tensor(at, device=self.device)

    def at_verdicts(self, documents) -> Tensor:
        """The hidden state where each verdict is read, document by document."""
        ids, rows, at = self.pack(documents)
        return self(ids, rows).index_select(0, at)

    @torch.no_grad()
    def verdicts(self, documents, tokens: tuple[int, int]) -> list[list[float]]:
        """The log odds of good against bad after each step of each document."""
        hidden = self.at_verdicts(documents)
        two = F.linear(hidden, self.base['lm_head.weight'][list(tokens)]).float()
        odds = (two[:, 0] - two[:, 1]).tolist()
        cut, start = [], 0
        for each in documents:
            cut.append(odds[start : start + len(each.at)])
            start += len(each.at)
        return cut
