"""Readings: answers labelled for the reward model, made without PyTorch. One array per answer: token ids with labels in the high bits.

Line ends carry both labels, and where they stand: how deep, in which task, and whether the path was alive before the line. The digits
of each result carry the first label too (is the number right up to here?): the engine never reads those, but they teach the network
to check arithmetic digit by digit.
"""

import re
from random import Random

import numpy

from . import tokenizer
from .document import Verdict

TOKEN = (1 << 9) - 1
STEP_SHIFT, PROMISE_SHIFT, DEPTH_SHIFT, ALIVE_SHIFT, KIND_SHIFT = 9, 16, 22, 27, 28  # bit 15 marks padding
STEP_MASK, PROMISE_MASK, DEPTH_MASK, KIND_MASK = 3, 63, 31, 3
GOOD, BAD = 1, 2  # the step label; 0 is none
WITH_NEWLINE = 0.7  # of the answers end in a newline, the others in the end token
SURE = 60  # a promise p is stored as 1 + 60 p; 0 is none
OPERATION = re.compile(r'(\d+)([-+*/])(\d+)=(\d+)')


class Labeller:
    def __init__(self, encoder, rng: Random):
        self.rng = rng
        self.newline = tokenizer.byte_token(encoder, '\n')
        self.equals = tokenizer.byte_token(encoder, '=')

    def label(self, tokens: list[int], prompt: int, text: str, verdict: Verdict, promises: list[float], kind: int) -> numpy.ndarray:
        """The tokens of a path (begin, question, newline, lines) with a last newline and all labels."""
        row = numpy.array([*tokens, self.newline], dtype=numpy.int32)
        ends = (prompt + numpy.flatnonzero(row[prompt:] == self.newline)).tolist()
        lines, steps, start, alive = text.split('\n'), verdict.steps, prompt, True
        expected = verdict.expected or [result_of(line) for line in lines]
        for depth, (line, end) in enumerate(zip(lines, ends, strict=True)):
            self._label_digits(row, line, start, end, expected[depth])
            row[end] |= code(steps[depth]) << STEP_SHIFT | (1 + round(SURE * promises[depth])) << PROMISE_SHIFT
            row[end] |= min(depth, DEPTH_MASK) << DEPTH_SHIFT | alive << ALIVE_SHIFT | kind << KIND_SHIFT
            start, alive = end + 1, verdict.promise[depth]
        if self.rng.random() > WITH_NEWLINE:  # as the generator ends its last line
            row[-1] = (int(row[-1]) & ~TOKEN) | tokenizer.END
        return row

    def _label_digits(self, row: numpy.ndarray, line: str, start: int, end: int, true: str | None):
        equals = numpy.flatnonzero(row[start:end] == self.equals)
        if true is None or not len(equals):
            return
        at, stated = start + int(equals[0]) + 1, re.match(r'\d*', line[line.index('=') + 1 :])[0]
        for index in range(len(stated)):
            row[at + index] |= code(stated[: index + 1] == true[: index + 1]) << STEP_SHIFT


def code(good: bool) -> int:
    return GOOD if good else BAD


def result_of(line: str) -> str | None:
    """What belongs after the `=` of an operation."""
    match = OPERATION.match(line)
    if not match:
        return None
    a, b = int(match[1]), int(match[3])
    if match[2] == '+':
        return str(a + b)
    if match[2] == '*':
        return str(a * b)
    if match[2] == '-':
        return str(a - b) if a >= b else None
    return str(a // b) if b and a % b == 0 else None
