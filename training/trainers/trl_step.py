"""`python -m training.trainers.trl_step ROWS… --model FOLDER`: one step of TRL's GRPOTrainer on exported rollouts, and what shows that its loss is on
the right tokens. A CPU is enough for a model below 1B."""

import argparse
import os
import tempfile
from pathlib import Path

os.environ.setdefault('TRL_EXPERIMENTAL_SILENCE', '1')  # rollout_func may change with TRL's version: README.md names the one that was used

import torch
from datasets import Dataset
from torch.nn.utils.rnn import pad_sequence
from trl import GRPOConfig, GRPOTrainer

from ..tree_step import rows as exported
from . import trl_rows
from .seen import Seen


class TreeTrainer(GRPOTrainer):
    """GRPOTrainer with the exported advantage of each token in the place of one for the whole rollout, and a record of what it computed."""

    seen: Seen

    def _generate_and_score_completions(self, inputs):
        batch = super()._generate_and_score_completions(inputs)
        given = [torch.tensor(each['advantages'], dtype=torch.float32) for each in inputs]
        return {**batch, 'advantages': pad_sequence(given, batch_first=True).to(batch['advantages'].device)}

    def _get_per_token_logps_and_entropies(self, *given, **named):
        answer = super()._get_per_token_logps_and_entropies(*given, **named)
        if answer[0].requires_grad:
            answer[0].retain_grad()
            self._own = answer[0]
        return answer

    def training_step(self, model, inputs, num_items_in_batch):
        loss = super().training_step(model, inputs, num_items_in_batch)
        [batch] = self._buffered_inputs
        drawn = batch['completion_mask'] * batch['tool_mask']
        self.seen = Seen(
            drawn=drawn, said=batch['completion_mask'], sampled=batch['sampling_per_token_logps'], own=self._own.detach(),
            slope=self._own.grad, advantages=batch['advantages'], loss=loss.item(),
        )  # fmt: skip
        return loss


def step(rows: list[dict], model: str) -> Seen:
    """One step over all rows at once. Plain SGD: nothing but weights and gradients has to fit into memory."""
    groups = trl_rows.groups_of(rows)
    size = len(next(iter(groups.values())))
    with tempfile.TemporaryDirectory() as folder:
        config = GRPOConfig(
            output_dir=folder, save_strategy='no', report_to='none', disable_tqdm=True, logging_strategy='no', use_cpu=not torch.cuda.is_available(),
            bf16=False, model_init_kwargs={'dtype': 'float32'}, max_steps=1, optim='sgd', learning_rate=1e-5, beta=0.0, loss_type='dapo',
            num_generations=size, per_device_train_batch_size=size * len(groups), max_completion_length=max(len(row['completion_ids']) for row in rows),
        )  # fmt: skip
        trainer = TreeTrainer(
            model=model, args=config, reward_funcs=trl_rows.reward, rollout_func=trl_rows.rollout_func(groups),
            train_dataset=Dataset.from_list(trl_rows.dataset(groups)),
        )  # fmt: skip
        trainer.train()
    return trainer.seen


def main():
    parser = argparse.ArgumentParser(prog='python -m training.trainers.trl_step')
    parser.add_argument('rows', type=Path, nargs='+', help='of coppice export --rows rollouts, .jsonl or .parquet')
    parser.add_argument('--model', required=True, help='the Hugging Face folder of the model that sampled them')
    options = parser.parse_args()
    step([row for path in options.rows for row in exported.read(path)], options.model).say()


if __name__ == '__main__':
    main()
