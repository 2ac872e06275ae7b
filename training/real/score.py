"""Scores sampled solutions with an adapter, or with a linear head on the bare generator's hidden states: one line per solution with the log odds after each step."""

import json
import time
from pathlib import Path

import torch
import torch.nn.functional as F

from . import forms
from .qwen import Qwen
from .spread import spread

TOKENS = 49_152  # in one batch
HEAD_LAYER = {28: 24, 24: 20}  # by the number of layers: where the linear head reads


def by_length(documents: list[forms.Document]) -> list[list[int]]:
    """Batches of documents of about the same length, so that attention pads little."""
    order = sorted(range(len(documents)), key=lambda at: len(documents[at].ids))
    batches, batch, size = [], [], 0
    for at in order:
        if batch and size + len(documents[at].ids) > TOKENS:
            batches.append(batch)
            batch, size = [], 0
        batch.append(at)
        size += len(documents[at].ids)
    return batches + [batch] if batch else batches


def documents_of(records: list[dict], questions: dict, encoder, form: str, processes: int) -> list[forms.Document]:
    def make(each: dict) -> forms.Document:
        asked, steps = questions[each['set']][each['index']]['question'], forms.steps_of(each['text']) or ['']
        if form == 'shepherd':
            return forms.shepherd(encoder, asked, steps)
        return getattr(forms, form)(encoder, each['system'], asked, steps)

    return spread(make, records, processes)


def score(model: Qwen, records: list[dict], documents: list[forms.Document], verdicts: tuple[int, int], out: Path) -> dict:
    began, odds = time.time(), [None] * len(documents)
    for batch in by_length(documents):
        for at, values in zip(batch, model.verdicts([documents[at] for at in batch], verdicts)):
            odds[at] = values
    write(records, odds, out)
    return {'solutions': len(records), 'tokens': sum(len(each.ids) for each in documents), 'seconds': round(time.time() - began, 1)}


def write(records: list[dict], odds: list[list[float]], out: Path):
    with out.open('w') as file:
        for record, values in zip(records, odds):
            head = {name: record[name] for name in ('set', 'index', 'system', 'sample', 'right', 'end', 'tokens', 'answer')}
            file.write(json.dumps({**head, 'odds': [round(value, 4) for value in values]}) + '\n')


@torch.no_grad()
def states(model: Qwen, documents: list[forms.Document]) -> list[torch.Tensor]:
    """The generator's hidden state at each place that is read."""
    layer = HEAD_LAYER.get(model.config['num_hidden_layers'], model.config['num_hidden_layers'] * 6 // 7)
    found = [None] * len(documents)
    for batch in by_length(documents):
        ids, rows, at = model.pack([documents[i] for i in batch])
        parts = model(ids, rows, layers=layer).index_select(0, at).float().split([len(documents[i].at) for i in batch])
        for i, part in zip(batch, parts):
            found[i] = part
    return found


def linear_head(model: Qwen, examples, records, documents, out: Path, steps: int = 600) -> dict:
    """Logistic regression on standardised hidden states, with the same targets."""
    began = time.time()
    learnt = torch.cat(states(model, [each.document for each in examples]))
    targets = torch.tensor([value for each in examples for value in each.targets], device=learnt.device)
    mean, scale = learnt.mean(0), learnt.std(0) + 1e-6
    weight = torch.zeros(learnt.shape[1] + 1, device=learnt.device, requires_grad=True)
    optimizer = torch.optim.AdamW([weight], lr=3e-3, weight_decay=0.05)
    learnt = (learnt - mean) / scale
    for step in range(steps):
        for group in optimizer.param_groups:
            group['lr'] = 3e-3 * (1 - step / steps)
        F.binary_cross_entropy_with_logits(learnt @ weight[:-1] + weight[-1], targets).backward()
        optimizer.step()
        optimizer.zero_grad()
    with torch.no_grad():
        found = states(model, documents)
        odds = [(((each - mean) / scale) @ weight[:-1] + weight[-1]).tolist() for each in found]
    write(records, odds, out)
    return {'examples': len(examples), 'steps of solutions': len(targets), 'solutions': len(records), 'seconds': round(time.time() - began, 1)}
