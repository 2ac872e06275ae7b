"""Readings: answers labelled for the reward model, made without PyTorch. One array per answer: token ids with labels in the high bits.

Line ends carry both labels. The digits of each result carry the first one too (is the number right up to here?): the engine never
reads those, but they teach the network to check arithmetic digit by digit.
"""

import re
from random import Random

import numpy

from . import tokenizer
from .document import Verdict

TOKEN = (1 << 9) - 1
STEP_SHIFT, PROMISE_SHIFT = 9, 11  # two bits each: 0 no label, 1 good, 2 bad
GOOD, BAD = 1, 2
OPERATION = re.compile(r'(\d+)([-+*/])(\d+)=(\d+)')


class Labeller:
    def __init__(self, encoder, rng: Random):
        self.rng = rng
        self.newline = tokenizer.byte_token(encoder, '\n')
        self.equals = tokenizer.byte_token(encoder, '=')

    def label(self, tokens: list[int], prompt: int, text: str, verdict: Verdict) -> numpy.ndarray:
        """The tokens of a path (begin, question, newline, lines) with a last newline and all labels."""
        row = numpy.array([*tokens, self.newline], dtype=numpy.uint16)
        ends = (prompt + numpy.flatnonzero(row[prompt:] == self.newline)).tolist()
        start = prompt
        for line, end, step, promise in zip(text.split('\n'), ends, verdict.steps, verdict.promise, strict=True):
            self._label_digits(row, line, start, end)
            row[end] |= code(step) << STEP_SHIFT | code(promise) << PROMISE_SHIFT
            start = end + 1
        if self.rng.random() < 0.3:  # as the generator ends its last line
            row[-1] = (int(row[-1]) >> STEP_SHIFT << STEP_SHIFT) | tokenizer.END
        return row

    def _label_digits(self, row: numpy.ndarray, line: str, start: int, end: int):
        match = OPERATION.match(line)
        true = result_of(match) if match else None
        if true is None:
            return
        equals = numpy.flatnonzero(row[start:end] == self.equals)
        at = start + int(equals[0]) + 1
        for index in range(len(match[4])):
            row[at + index] |= code(match[4][: index + 1] == true[: index + 1]) << STEP_SHIFT


def code(good: bool) -> int:
    return GOOD if good else BAD


def result_of(match: re.Match) -> str | None:
    a, b = int(match[1]), int(match[3])
    if match[2] == '+':
        return str(a + b)
    if match[2] == '*':
        return str(a * b)
    if match[2] == '-':
        return str(a - b) if a >= b else None
    return str(a // b) if b and a % b == 0 else None
