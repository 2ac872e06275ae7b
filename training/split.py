"""Which split a question belongs to: decided by a hash of what it is about, so that no wording can carry a test question into training.

For sudoku that is the solution: no puzzle of one solution, and so no state on the way to it, stands in two splits. For the other tasks
it is the numbers of the question. A countdown answer also passes through smaller puzzles; `keeps_apart` says whether all of those are
training questions too. The same rule stands in tests/support/split.ts; a test holds the shipped question files against it.
"""

import re
from zlib import crc32

from . import countdown, sudoku
from .document import Document

RESIDUES = 16
SPLITS = {0: 'test', 1: 'calibration'}  # every other residue is 'train'


def split_of(kind: str, content: str) -> str:
    """CRC-32 of `kind:numbers in order`, modulo 16."""
    key = kind + ':' + ','.join(re.findall(r'\d+', content))
    return SPLITS.get(crc32(key.encode()) % RESIDUES, 'train')


def split_of_document(document: Document) -> str:
    return split_of(document.kind, document.answer if document.kind == sudoku.KIND else document.question)


def keeps_apart(document: Document, text: str) -> bool:
    """Is no puzzle that this answer passes through a question of another split, nor one of the public Game of 24?"""
    if document.kind != countdown.KIND:
        return True
    return all(
        split_of(countdown.KIND, countdown.question_text(target, numbers)) == 'train' and not countdown.held_out(target, numbers)
        for target, numbers in countdown.inner_puzzles(document.question, text)
    )
