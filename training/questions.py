"""The question files: test and calibration questions per task, drawn by level from a seed."""

import json
from pathlib import Path
from random import Random

from . import countdown, words
from .data import draw
from .document import Document
from .split import split_of

SIZES = {'test': 500, 'calibration': 200}
# How many of ten questions are of each level (0: countdown without a solution).
MIX = {
    countdown.KIND: {0: 1.0, 1: 3.0, 2: 1.6, 3: 0.7, 4: 0.6, 5: 0.5, 6: 2.6},
    words.KIND: {1: 0.5, 2: 1.0, 3: 2.0, 4: 3.0, 5: 2.7, 6: 0.8},
}


def make(kind: str, split: str, seed: int) -> list[Document]:
    """The questions of one file: no two alike, in order of level."""
    rng, size = Random(f'{seed}:{kind}:{split}'), SIZES[split]
    documents: dict[str, Document] = {}
    for level, share in MIX[kind].items():
        wanted = len(documents) + round(size * share / 10)
        while len(documents) < wanted:
            document = draw(rng, kind, split, level) if level else _unsolvable(rng, split)
            documents.setdefault(document.question, document)
    assert len(documents) == size, (kind, split, len(documents))
    return list(documents.values())


def _unsolvable(rng: Random, split: str) -> Document:
    while True:
        document = countdown.draw_unsolvable(rng)
        if split_of(countdown.KIND, document.question) == split:
            return document


def write(folder: Path, seed: int):
    folder.mkdir(parents=True, exist_ok=True)
    for kind in MIX:
        for split in SIZES:
            lines = [json.dumps(_line(document, split, index)) for index, document in enumerate(make(kind, split, seed), 1)]
            (folder / f'{kind}.{split}.jsonl').write_text('\n'.join(lines) + '\n')


def _line(document: Document, split: str, index: int) -> dict:
    return {
        'id': f'{document.kind}-{split}-{index:03d}',
        'question': document.question,
        'answer': document.answer,
        'difficulty': document.level,
        'solvable': document.answer is not None,
    }
