"""Token vectors: strings with the ids that training gives them, so that a test can hold the engine's tokenizer against them."""

import gzip
import json
from pathlib import Path
from random import Random

from . import tokenizer
from .data import text_of, training_documents

STRINGS = 10_000
# Pieces that tokenizers tend to disagree about.
PIECES = [' ', '  ', '\n', '\n\n', '\t', '1', '23', 'é', 'ü', '日本', 'a', 'Make', 'left ', "'s", "'ll", '½', '٣', '(', ')', ')*(', '=', '==',
          '...', '?', '!', '😀', '\r\n', 'Answer: ', '²', '\u00a0', '\u3000', "don't", 'x1y2', '-', '+', '_', 'THE', '12,5', '€']  # fmt: skip


def write(tokenizer_file: Path, out: Path, seed: int):
    """Gzipped, one line per string: [text, ids]."""
    encoder, rng = tokenizer.load(tokenizer_file), Random(seed)
    documents = training_documents(rng)
    out.parent.mkdir(parents=True, exist_ok=True)
    with out.open('wb') as file, gzip.GzipFile(fileobj=file, mode='wb', mtime=0) as lines:
        for index in range(STRINGS):
            text = _piece_of(rng, text_of(next(documents))) if index % 3 == 0 else ''.join(rng.choices(PIECES, k=rng.randint(1, 8)))
            ids = encoder.encode(text, add_special_tokens=False).ids
            lines.write((json.dumps([text, ids], ensure_ascii=False, separators=(',', ':')) + '\n').encode())


def _piece_of(rng: Random, text: str) -> str:
    start = rng.randrange(max(1, len(text) - 40))
    return text[start : start + 40]
