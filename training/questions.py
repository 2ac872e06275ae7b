"""The question files: test and calibration questions per task, drawn by level from a seed."""

import json
from collections.abc import Sequence
from pathlib import Path
from random import Random

from . import countdown, ledger, sudoku, words
from .data import TASKS, draw
from .document import Document
from .split import split_of_document

SIZES = {
    countdown.KIND: {'test': 500, 'calibration': 200},
    words.KIND: {'test': 500, 'calibration': 200},
    ledger.KIND: {'test': 240, 'calibration': 120},
    sudoku.KIND: {'test': 200, 'calibration': 100},
}
SPLITS = ('test', 'calibration')
# How many of ten questions are of each level (0: countdown without a solution).
MIX = {
    countdown.KIND: {0: 1.0, 1: 3.0, 2: 1.6, 3: 0.7, 4: 0.6, 5: 0.5, 6: 2.6},
    words.KIND: {1: 0.5, 2: 1.0, 3: 2.0, 4: 3.0, 5: 2.7, 6: 0.8},
    ledger.KIND: {1: 2.5, 2: 1.0, 3: 1.5, 4: 1.0, 5: 2.0, 6: 1.5, 7: 0.5},
    sudoku.KIND: {2: 1.0, 4: 1.0, 5: 4.0, 6: 4.0},
}
# These draw each level from a seed of its own: more questions of a level begin with the same ones, so that a mix of levels can be
# chosen from figures that were measured on many questions of each.
BY_LEVEL = (ledger.KIND, sudoku.KIND)
POOL = 80  # questions of each level that are measured


def make(kind: str, split: str, seed: int, times: int = 1) -> list[Document]:
    """The questions of one file, or a file so many times as large: no two alike, in order of level."""
    size = times * SIZES[kind][split]
    counts = {level: round(size * share / 10) for level, share in MIX[kind].items()}
    assert sum(counts.values()) == size, (kind, split, counts)
    return drawn(kind, split, seed, counts)


def pool(kind: str, seed: int) -> list[Document]:
    """Test questions to measure: `POOL` of each level where levels are drawn apart, else those of the file."""
    return drawn(kind, 'test', seed, dict.fromkeys(TASKS[kind].LEVELS, POOL)) if kind in BY_LEVEL else make(kind, 'test', seed)


def test_file(kind: str, seed: int) -> list[Document]:
    return make(kind, 'test', seed)


def drawn(kind: str, split: str, seed: int, counts: dict[int, int]) -> list[Document]:
    rng, documents = Random(f'{seed}:{kind}:{split}'), {}
    for level, count in counts.items():
        if kind in BY_LEVEL:
            rng = Random(f'{seed}:{kind}:{split}:{level}')
        wanted = len(documents) + count
        while len(documents) < wanted:
            document = draw(rng, kind, split, level) if level else _unsolvable(rng, split)
            documents.setdefault(document.question, document)
    return list(documents.values())


def _unsolvable(rng: Random, split: str) -> Document:
    while True:
        document = countdown.draw_unsolvable(rng)
        if split_of_document(document) == split:
            return document


def write(folder: Path, seed: int, times: int = 1, kinds: Sequence[str] = tuple(MIX)):
    folder.mkdir(parents=True, exist_ok=True)
    for kind in kinds:
        for split in SPLITS:
            lines = [json.dumps(_line(document, split, index)) for index, document in enumerate(make(kind, split, seed, times), 1)]
            (folder / f'{kind}.{split}.jsonl').write_text('\n'.join(lines) + '\n')


def _line(document: Document, split: str, index: int) -> dict:
    return {
        'id': f'{document.kind}-{split}-{index:03d}',
        'question': document.question,
        'answer': document.answer,
        'difficulty': document.level,
        'solvable': document.answer is not None,
    }
