"""Which split a question belongs to: decided by a hash of its numbers, so that no wording can carry a test question into training.

The same rule stands in tests/support/split.ts; a test holds the shipped question files against it.
"""

import re
from zlib import crc32

RESIDUES = 16
SPLITS = {0: 'test', 1: 'calibration'}  # every other residue is 'train'


def split_of(kind: str, question: str) -> str:
    """The split of a question of this kind: CRC-32 of `kind:numbers in order`, modulo 16."""
    content = kind + ':' + ','.join(re.findall(r'\d+', question))
    return SPLITS.get(crc32(content.encode()) % RESIDUES, 'train')
