"""An adapter that is switched on at the tag alone (activated LoRA): the path before it is read with the bare base, whose keys and values the generator has already,
so that a verdict costs the tokens of the tag. Documents are the generator's own tokens; a tag stands behind each step, sees what came before it and no other tag."""

import torch
import torch.nn.functional as F
from torch import Tensor

from .qwen import Qwen, Rows


class Activated(Qwen):
    tag: list[int] = []
    kept: list[tuple[Tensor, Tensor]] | None = None

    def padded(self, each: Tensor, rows: Rows) -> Tensor:
        flat = each.new_zeros(rows.rows * rows.longest, each.shape[1]).index_copy(0, rows.slots, each)
        return flat.view(rows.rows, rows.longest, -1, self.size).transpose(1, 2)

    def attend(self, layer: int, x: Tensor, rows: Rows, cosine: Tensor, sine: Tensor) -> Tensor:
        q, k, v = (self.linear(layer, name, x) for name in ('q_proj', 'k_proj', 'v_proj'))
        q, k, v = (self.padded(each, rows) for each in (self.turn(q, cosine, sine), self.turn(k, cosine, sine), v))
        if self.kept is not None:
            self.kept.append((k, v))
            seen = F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)
        else:
            before = self.before[layer]
            k, v = torch.cat((before[0], k), 2), torch.cat((before[1], v), 2)
            times = self.heads // self.kv_heads
            seen = F.scaled_dot_product_attention(q, k.repeat_interleave(times, 1), v.repeat_interleave(times, 1), attn_mask=self.mask)
        packed = seen.transpose(1, 2).reshape(rows.rows * rows.longest, -1).index_select(0, rows.slots)
        return self.linear(layer, 'o_proj', packed)

    def at_verdicts(self, documents) -> Tensor:
        ids, rows, _ = self.pack(documents)
        rank, self.rank, self.kept = self.rank, 0, []
        with torch.no_grad():
            self(ids, rows)
        self.rank, self.before, self.kept = rank, self.kept, None
        size = len(self.tag)
        counts = [len(each.at) * size for each in documents]
        longest = -(-max(counts) // 8) * 8
        positions = torch.cat([torch.tensor([place + 1 + number for place in each.at for number in range(size)]) for each in documents]).to(self.device)
        within = torch.cat([torch.arange(count) for count in counts])
        of = torch.repeat_interleave(torch.arange(len(documents)), torch.tensor(counts))
        tags = Rows(len(documents), longest, (of * longest + within).to(self.device), positions)
        self.mask = self.seen_by(documents, rows.longest, longest)
        hidden = self(torch.tensor(self.tag * (len(within) // size), device=self.device), tags)
        return hidden[size - 1 :: size]

    def seen_by(self, documents, longest: int, tags: int) -> Tensor:
        """A token of a tag sees the path up to its step, and its own tag up to itself; padding sees the first token."""
        size = len(self.tag)
        places = torch.zeros(len(documents), tags, dtype=torch.long)
        for row, each in enumerate(documents):
            places[row, : len(each.at) * size] = torch.tensor(each.at).repeat_interleave(size)
        path = torch.arange(longest)[None, None, :] <= places[:, :, None]
        number = torch.arange(tags)
        own = (number[:, None] // size == number[None, :] // size) & (number[None, :] <= number[:, None])
        return torch.cat((path, own[None].expand(len(documents), -1, -1)), 2)[:, None].to(self.device)
