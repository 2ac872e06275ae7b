"""`python -m training.tree_step ROWS --model packages/llama/models/sapling.gguf [--out new.gguf]`: one step of training on exported rollouts."""

import argparse
from pathlib import Path

import torch

from .. import gguf
from . import rows, step


def main():
    parser = argparse.ArgumentParser(prog='python -m training.tree_step')
    parser.add_argument('rows', type=Path, help='of coppice export --rows rollouts, .jsonl or .parquet')
    parser.add_argument('--model', type=Path, default=Path('packages/llama/models/sapling.gguf'), help='the sapling that sampled them')
    parser.add_argument('--rate', type=float, default=0.01)
    options = parser.parse_args()
    batch = rows.batch(rows.read(options.rows))
    model = gguf.read(options.model)
    with torch.no_grad():
        off = step.drift(model(batch.ids), batch)
    print(f'{len(batch.ids)} rollouts, {int(batch.drawn.sum())} drawn tokens')
    print(f'log probabilities differ from those sampled by {off.mean():.4f} on average, {off.max():.3f} at most')
    before, after = step.train(model, batch, options.rate)
    print(f'loss {before:.4f} before the step, {after:.4f} after')


main()
