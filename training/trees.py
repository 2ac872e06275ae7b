"""Reads what `npm run lab -- record` wrote of test questions: samples that the engine drew and the reward model read, both as they ship, for
`grade.py`. On a CPU the engine is much faster than `measure.py`. Needs no PyTorch.
"""

import gzip
import json
import math
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from . import countdown, ledger, questions, sudoku, words
from .config import SEED
from .data import judge
from .document import Document

QUICK_FIRST = (words.KIND, ledger.KIND, countdown.KIND, sudoku.KIND)  # by how long their questions take to draw
READINGS = {'step': 'reward', 'promise': 'promise'}  # what a node calls them
SUREST = 1e-9


def write(recordings: list[Path], out: Path, temperature: float):
    """One line per question, for `grade`."""
    with gzip.open(out, 'wt') as file:
        for tree in (tree for recording in recordings for tree in trees_of(recording)):
            document = document_of(tree['question'])
            paths = [record_of(document, nodes) for nodes in samples_of(tree['nodes'])]
            record = {'kind': document.kind, 'level': document.level, 'question': document.question, 'solvable': document.answer is not None}
            file.write(json.dumps(record | {'paths': paths, 'temperature': temperature}, separators=(',', ':')) + '\n')


def trees_of(recording: Path) -> list[dict]:
    head, *lines = recording.read_text().splitlines() or ['']
    if '"format":"coppice-trees","version":1,' not in head:
        raise SystemExit(f'{recording} is no recording of trees of version 1 (npm run lab -- record makes one)')
    return [json.loads(line) for line in lines]


def document_of(question: str) -> Document:
    for known in map(test_questions, QUICK_FIRST):
        if question in known:
            return known[question]
    raise SystemExit(f'no test question of a shipped task: {question}')


@lru_cache
def test_questions(kind: str) -> dict[str, Document]:
    return {document.question: document for document in questions.test_file(kind, SEED)}


def samples_of(nodes: list[dict]) -> Iterator[list[dict]]:
    """The nodes of each sample. A node names a child once per draw, twins too, in the order in which the samples came by."""
    passed = [0] * len(nodes)
    for _ in nodes[0]['draws']:
        at, path = 0, []
        while passed[at] < len(nodes[at]['draws']):
            passed[at] += 1
            at = nodes[at]['draws'][passed[at] - 1]
            path.append(nodes[at])
        yield path


def record_of(document: Document, path: list[dict]) -> dict:
    text = '\n'.join(node['step']['text'].rstrip('\n') for node in path)
    verdict = judge(document, text)
    read = {name: [log_odds(node[called]) for node in path] for name, called in READINGS.items() if called in path[0]}
    return {
        'right': verdict.right,
        'answer': text.rpartition('Answer: ')[2],
        'tokens': sum(node['step']['tokens'] for node in path),
        'reasons': verdict.reasons,
        'alive': [int(alive) for alive in verdict.promise],
        **read,
    }


def log_odds(probability: float) -> float:
    surely = min(max(probability, SUREST), 1 - SUREST)
    return round(math.log(surely / (1 - surely)), 3)
