"""What samples of a generator would do, without sampling: the probability that it gives to the right lines, each after right lines.

Exact at temperature 1 where a line has one right form, as in a ledger; one pass over a worked answer tells the error of every line, how
often a sample ends right, and whether the greedy answer does.
"""

import gzip
import json
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

import numpy
import torch

from . import gguf, questions, tokenizer
from .config import SHIPPED
from .data import QUIET, encode, filled
from .document import Document
from .model import Llama
from .sample import for_sampling

PER_LEVEL = 40  # questions that a network in training is looked at with
AT_ONCE = 64


@dataclass(frozen=True)
class Chances:
    lines: list[float]  # the probability of each right line after right lines, the answer's included
    greedy: bool  # is every right token the likeliest?
    tokens: int  # of the answer


@torch.no_grad()
def chances_of(model: Llama, encoder: tokenizer.QuickEncoder, documents: list[Document]) -> list[Chances]:
    device, newline, found = next(model.parameters()).device, encoder.encode('\n')[0], []
    for start in range(0, len(documents), AT_ONCE):
        encoded = encode(encoder, documents[start : start + AT_ONCE])
        rows = numpy.stack([filled(row, max(map(len, encoded))) for row in encoded])
        tokens = torch.from_numpy((rows & (QUIET - 1)).astype('int64')).to(device)
        said = torch.log_softmax(model(tokens[:, :-1]).float(), -1)
        known = said.gather(2, tokens[:, 1:, None]).squeeze(2)
        likeliest = known >= said.max(-1).values
        for row, values, first in zip(rows, known.cpu().numpy(), likeliest.cpu().numpy()):
            learnt = row[1:] < QUIET
            line = numpy.cumsum(row[:-1][learnt] == newline)  # which line each learnt token stands in
            lines = [float(numpy.exp(values[learnt][line == index].sum())) for index in range(line[-1] + 1)]
            found.append(Chances(lines, bool(first[learnt].all()), int(learnt.sum())))
    return found


def watcher(encoder, kind: str, seed: int, device: torch.device):
    """A function that says, of a network in training, what share of lines it gets wrong at each level."""
    documents = questions.drawn(kind, 'calibration', seed, dict.fromkeys(questions.TASKS[kind].LEVELS, PER_LEVEL))
    quick = tokenizer.QuickEncoder(encoder)

    def watch(model: Llama) -> str:
        errors: dict[int, list[float]] = defaultdict(list)
        for document, one in zip(documents, chances_of(for_sampling(model, device), quick, documents)):
            errors[document.level] += [1 - chance for chance in one.lines]
        return f'{kind} errors a line by level: ' + ', '.join(f'{level}: {numpy.mean(some):.3f}' for level, some in errors.items())

    return watch


def write(folder: Path, kind: str, out: Path, seed: int, device: torch.device):
    """One line per question of the test file, for `grade`."""
    model = gguf.read(folder / f'{SHIPPED[kind][0]}.gguf').to(device).eval()
    encoder = tokenizer.QuickEncoder(tokenizer.load(folder / 'tokenizer.json'))
    documents = questions.test_file(kind, seed)
    with gzip.open(out, 'wt') as file:
        for document, one in zip(documents, chances_of(model, encoder, documents)):
            record = {'kind': kind, 'level': document.level, 'question': document.question, 'greedy': one.greedy, 'tokens': one.tokens}
            file.write(json.dumps(record | {'lines': [round(chance, 5) for chance in one.lines]}, separators=(',', ':')) + '\n')
