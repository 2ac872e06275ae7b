"""What an adapter would tell if it were switched on at the tag alone (activated LoRA): the path before it is read with the bare base, whose KV the
generator has already. Solutions of several models to the same questions, scored after the last step; the adapter was trained on every token."""

import json
import re
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor

from . import adapter, forms
from .qwen import Qwen


class Activated(Qwen):
    """Adds what the adapter says at some tokens only: `active` has 1 for these and 0 for the others."""

    active: Tensor | None = None

    def linear(self, layer: int, name: str, x: Tensor) -> Tensor:
        adapted = super().linear(layer, name, x)
        if self.active is None or name not in self.targets:
            return adapted
        rank, self.rank = self.rank, 0
        bare = super().linear(layer, name, x)
        self.rank = rank
        return torch.where(self.active[:, None], adapted, bare)


@dataclass(frozen=True)
class Solution:
    question: int
    right: bool
    steps: list[str]


def solutions_of(file: Path, count: int) -> tuple[list[str], list[Solution]]:
    """Of the first questions that some models solve and others do not; calculator marks are left out."""
    questions, found = [], []
    for line in file.read_text().splitlines():
        row = json.loads(line)
        answers = [each for each in row.values() if isinstance(each, dict)]
        if len({each['is_correct'] for each in answers}) < 2:
            continue
        for each in answers:
            text = re.sub(r'<<.*?>>', '', each['solution']).replace('\nA: ', '\nThe answer is ')
            found.append(Solution(len(questions), each['is_correct'], [step for step in text.split('\n') if step.strip()]))
        questions.append(row['question'])
        if len(questions) == count:
            break
    return questions, found


def last_only(encoder, question: str, steps: list[str]) -> forms.Document:
    """The generator's own tokens, then one tag."""
    whole = forms.unmarked(encoder, 'boxed', question, steps).ids
    marker = encoder.encode(forms.MARKER, add_special_tokens=False).ids
    return forms.Document(whole + marker, [len(whole) + len(marker) - 1])


def auc(scored: list[tuple[Solution, float]]) -> float:
    """Of pairs of a right and a wrong solution to one question."""
    won, pairs = 0.0, 0
    for good, high in scored:
        for bad, low in scored:
            if good.right and not bad.right and good.question == bad.question:
                won += 1 if high > low else 0.5 if high == low else 0
                pairs += 1
    return won / pairs


def compare(base: Path, folder: Path, file: Path, encoder, count: int, device: str) -> dict:
    config, _ = adapter.load(folder)
    model = Activated(base, device, torch.float32, config['r'], config['lora_alpha'], config['target_modules'])
    adapter.fill(model, folder)
    questions, solutions = solutions_of(file, count)
    tokens, scores = forms.verdict_tokens(encoder), {'everywhere, a tag a step': [], 'everywhere, one tag': [], 'at the tag alone': []}
    for solution in solutions:
        marked = forms.embedded(encoder, 'boxed', questions[solution.question], solution.steps)
        plain = last_only(encoder, questions[solution.question], solution.steps)
        tag = len(encoder.encode(forms.MARKER, add_special_tokens=False).ids)
        at_tag = torch.arange(len(plain.ids), device=device) >= len(plain.ids) - tag
        for name, document, active in zip(scores, (marked, plain, plain), (None, None, at_tag)):
            model.active = active
            scores[name].append((solution, model.verdicts([document], tokens)[0][-1]))
        if len(scores['at the tag alone']) % 20 == 0:
            print(len(scores['at the tag alone']), {name: round(auc(each), 3) for name, each in scores.items()}, flush=True)
    return {'questions': len(questions), 'solutions': len(solutions), **{name: round(auc(each), 3) for name, each in scores.items()}}
