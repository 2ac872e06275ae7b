"""`python -m training.trainers.verl_step ROWS… --model FOLDER`: exported rollouts through verl's own parts on a CPU: its dataset reads the file, its
AgentLoopOutput and DataProto hold the rows, its functions give log probabilities, advantages and loss. Its trainer wants GPUs and was not run."""

import argparse
from pathlib import Path

import numpy
import torch
from omegaconf import OmegaConf
from torch.nn.utils.rnn import pad_sequence
from transformers import AutoModelForCausalLM
from verl import DataProto
from verl.experimental.agent_loop.agent_loop import AgentLoopMetrics, AgentLoopOutput
from verl.trainer.ppo import core_algos
from verl.utils.dataset.rl_dataset import RLHFDataset
from verl.utils.torch_functional import logprobs_from_logits
from verl.workers.config import ActorConfig

from ..tree_step import rows as exported
from .seen import Seen


def read(files: list[str]) -> list[dict]:
    """By verl's dataset. The tokens of a prompt are in the row already, so nothing is left to filter or to render."""
    config = OmegaConf.create({'prompt_key': 'question', 'filter_overlong_prompts': False})
    return list(RLHFDataset(data_files=files, tokenizer=None, config=config))


def outputs_of(rows: list[dict]) -> list[dict]:
    """As an agent loop hands them over, each row as often as it was drawn."""
    loops = (AgentLoopOutput(**exported.as_verl(row), metrics=AgentLoopMetrics()) for row in rows for _ in range(row['count']))
    return [loop.as_dict() for loop in loops]


def proto_of(rows: list[dict]) -> DataProto:
    """One batch, padded on the right; `uid` is the group, as verl's trainer names it."""
    outputs = outputs_of(rows)
    names = ('responses', 'response_mask', 'rollout_log_probs', 'rm_scores')
    tensors = {name: pad_sequence([each[name] for each in outputs], batch_first=True) for name in names}
    prompts = pad_sequence([each['prompts'] for each in outputs], batch_first=True, padding_side='left')
    shown = pad_sequence([torch.ones_like(each['prompts']) for each in outputs], batch_first=True, padding_side='left')
    said = pad_sequence([torch.ones_like(each['responses']) for each in outputs], batch_first=True)
    tensors |= {'input_ids': torch.cat([prompts, tensors['responses']], 1), 'attention_mask': torch.cat([shown, said], 1)}
    groups = [row['question'] for row in rows for _ in range(row['count'])]
    return DataProto.from_dict(tensors=tensors, non_tensors={'uid': numpy.array(groups, dtype=object)})


def step(rows: list[dict], model: str) -> Seen:
    """The loss and its slopes, with verl's own advantages of groups."""
    proto = proto_of(rows)
    batch = proto.batch
    drawn, length = batch['response_mask'], batch['responses'].shape[1]
    network = AutoModelForCausalLM.from_pretrained(model, dtype=torch.float32)
    with torch.no_grad():
        logits = network(input_ids=batch['input_ids'], attention_mask=batch['attention_mask']).logits[:, -length - 1 : -1]
    own = logprobs_from_logits(logits, batch['responses']).requires_grad_()
    advantages, _ = core_algos.compute_grpo_outcome_advantage(batch['rm_scores'], drawn, proto.non_tensor_batch['uid'])
    config = ActorConfig(strategy='fsdp', rollout_n=1, ppo_micro_batch_size_per_gpu=1, ppo_mini_batch_size=1)
    loss, _ = core_algos.compute_policy_loss_vanilla(own.detach(), own, advantages, drawn, config=config)
    loss.backward()
    said = batch['attention_mask'][:, -length:]
    return Seen(
        drawn=drawn, said=said, sampled=batch['rollout_log_probs'], own=own.detach(), slope=own.grad, advantages=advantages, loss=loss.item()
    )


def main():
    parser = argparse.ArgumentParser(prog='python -m training.trainers.verl_step')
    parser.add_argument('rows', type=Path, nargs='+', help='of coppice export --rows rollouts, .jsonl or .parquet')
    parser.add_argument('--model', required=True, help='the Hugging Face folder of the model that sampled them')
    options = parser.parse_args()
    step(read([str(path) for path in options.rows]), options.model).say()


if __name__ == '__main__':
    main()
