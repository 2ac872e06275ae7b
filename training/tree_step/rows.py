"""Rows of `coppice export --rows rollouts` as tensors, and as what TRL and verl take."""

import json
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor


def read(path: Path) -> list[dict]:
    """JSON lines or Parquet. Rows without tokens are refused: there is nothing to train on."""
    if path.suffix == '.parquet':
        import pyarrow.parquet

        rows = pyarrow.parquet.read_table(path).to_pylist()
    else:
        rows = [json.loads(line) for line in path.read_text().splitlines()]
    bare = sum(row['completion_ids'] is None for row in rows)
    if bare:
        raise SystemExit(f'{path}: {bare} of {len(rows)} rows have no token ids; their searches ran without recordTokens=on')
    return rows


def as_trl(rows: list[dict]) -> dict:
    """What a `rollout_func` of TRL's GRPOTrainer returns; other columns go to the reward functions."""
    return {
        'prompt_ids': [row['prompt_ids'] for row in rows],
        'completion_ids': [row['completion_ids'] for row in rows],
        'logprobs': [row['logprobs'] for row in rows],
        'env_mask': [row['completion_mask'] for row in rows],
        'reward': [row['reward'] for row in rows],
    }


def as_verl(row: dict) -> dict:
    """The fields of verl's AgentLoopOutput."""
    return {
        'prompt_ids': row['prompt_ids'],
        'response_ids': row['completion_ids'],
        'response_mask': row['completion_mask'],
        'response_logprobs': row['logprobs'],
        'reward_score': row['reward'],
    }


@dataclass
class Batch:
    """One row each, padded on the right. `drawn`, `sampled` and `advantages` stand at the place of their own token, not of the one before it."""

    ids: Tensor
    drawn: Tensor
    sampled: Tensor
    advantages: Tensor
    copies: Tensor


def batch(rows: list[dict]) -> Batch:
    whole = [row['prompt_ids'] + row['completion_ids'] for row in rows]
    length = max(map(len, whole))

    def padded(name: str, dtype) -> Tensor:
        lists = [[0] * len(row['prompt_ids']) + row[name] for row in rows]
        return torch.tensor([each + [0] * (length - len(each)) for each in lists], dtype=dtype)

    return Batch(
        ids=torch.tensor([each + [0] * (length - len(each)) for each in whole]),
        drawn=padded('completion_mask', torch.bool),
        sampled=padded('logprobs', torch.float32),
        advantages=padded('advantages', torch.float32),
        copies=torch.tensor([row['count'] for row in rows], dtype=torch.float32),
    )
