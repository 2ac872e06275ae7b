"""`python -m training.tree_step.checks`: is the loss on the right tokens? Seconds on a CPU; a mask that is shifted by one fails."""

from dataclasses import replace
from pathlib import Path

import torch

from .. import gguf
from . import rows, step

HERE = Path(__file__).parent
# The engine computes with 8-bit activations, the trainer with 32-bit floats.
MEAN_DRIFT, MOST_DRIFT = 0.02, 0.5


def agrees(model, batch: rows.Batch) -> bool:
    with torch.no_grad():
        off = step.drift(model(batch.ids), batch)
    return off.mean().item() < MEAN_DRIFT and off.max().item() < MOST_DRIFT


def shifted(batch: rows.Batch, by: int) -> rows.Batch:
    """The same with mask, log probabilities and advantages at the neighbouring token."""
    moved = {name: getattr(batch, name).roll(by, 1) for name in ('drawn', 'sampled', 'advantages')}
    return replace(batch, **moved)


def with_turn(row: dict) -> dict:
    """As a search with a turn of the user's side has it: tokens in the middle that no model drew."""
    middle = len(row['completion_ids']) // 2
    put = {'completion_ids': [5, 6, 7], 'completion_mask': [0, 0, 0], 'logprobs': [0.0] * 3, 'advantages': [0.0] * 3}
    return {**row, **{name: row[name][:middle] + put[name] + row[name][middle:] for name in put}}


def check():
    exported = rows.read(HERE / 'rollouts.jsonl')
    batch = rows.batch(exported)
    model = gguf.read(HERE.parent.parent / 'models' / 'sapling.gguf')
    assert agrees(model, batch), 'the log probabilities of the trainer are those of the export'
    assert not agrees(model, shifted(batch, 1)), 'a mask that is late by one does not agree'
    assert not agrees(model, shifted(batch, -1)), 'a mask that is early by one does not agree'

    turned = rows.batch([with_turn(row) for row in exported])
    for each in (batch, turned):
        size = step.gradients(model, each)
        assert (size[~each.drawn] == 0).all(), 'tokens that no model drew have no gradient'
        taught = each.drawn & (each.advantages != 0)
        assert (size[taught] > 0).float().mean() > 0.5, 'drawn tokens with an advantage have one'

    given = rows.as_trl(exported)
    assert all(len(ids) == len(mask) for ids, mask in zip(given['completion_ids'], given['env_mask']))
    assert rows.as_verl(exported[0])['response_ids'] == given['completion_ids'][0]

    before, after = step.train(model, batch, 0.01)
    assert after < before, 'a step along the gradient lowers the loss'
    print(f'loss {before:.4f}, {after:.4f} after one step: all checks hold')


if __name__ == '__main__':
    check()
