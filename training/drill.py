"""Drill: equations without a story, right and wrong ones, in the forms of the tasks. A row holds some thirty of them."""

from random import Random

import numpy

from . import tokenizer
from .readings import STEP_SHIFT, code
from .slip import slip

LINES = 12  # in a document
WRONG = 0.45  # of the lines
LARGEST = 10**8


def drills(encoder: tokenizer.QuickEncoder, rng: Random, _kinds):
    """Documents without end: lines, each line end labelled by whether its equation holds."""
    table = numpy.zeros(128, dtype=numpy.int32)
    for character in '0123456789+-*/= \nabcdefghijklmnop':
        table[ord(character)] = tokenizer.byte_token(encoder.tokenizer, character)
    while True:
        form = rng.choice((word_line, word_line, word_line, ledger_line))
        lines = [form(rng) for _ in range(LINES)]
        text = ''.join(f'{left}={stated}\n' for left, _, stated in lines)
        row = numpy.empty(len(text) + 1, dtype=numpy.int32)
        row[0], row[1:] = tokenizer.BEGIN, table[numpy.frombuffer(text.encode(), dtype=numpy.uint8)]
        ends = numpy.cumsum([len(left) + len(str(stated)) + 2 for left, _, stated in lines])
        row[ends] |= numpy.array([code(result == stated) << STEP_SHIFT for _, result, stated in lines], dtype=numpy.int32)
        yield row


def word_line(rng: Random) -> tuple[str, int, int]:
    """The left side, what it comes to, what is stated."""
    operator = rng.choice('****+-/')
    if operator == '*':
        a, b = _number(rng, rng.choice((1, 2, 2, 3, 3, 3, 4, 5))), _number(rng, rng.choice((1, 2, 2, 3, 3)))
        a, b, result = (a, b, a * b) if a * b < LARGEST else (a % 1000 + 1, b, (a % 1000 + 1) * b)
    elif operator == '/':
        b, result = rng.randint(2, 15), _number(rng, rng.randint(1, 6))
        a = b * result
    else:
        a, b = _number(rng, rng.randint(1, 7)), _number(rng, rng.randint(1, 7))
        a, b = (max(a, b), min(a, b)) if operator == '-' else (a, b)
        result = a + b if operator == '+' else a - b
    return f'{a}{operator}{b}', result, stated(rng, result)


def ledger_line(rng: Random) -> tuple[str, int, int]:
    digits = rng.randint(4, 6)
    balance, result, told = _number(rng, digits), -1, ''
    while result < 0:
        amounts = [_number(rng, length) * rng.choice((1, -1)) for length in (digits, *(rng.randint(1, digits) for _ in range(rng.randint(0, 2))))]
        result, told = balance + sum(amounts), ''.join(f'{amount:+d}' for amount in amounts)
    return f'{rng.choice("abcdefghijklmnop")} {balance}{told}', result, stated(rng, result)


def stated(rng: Random, result: int) -> int:
    """The result, or a wrong one: a carry lost or too many, a slip, some digits in the middle guessed, two carries that make up for each other."""
    chance, size = rng.random(), len(str(result))
    if chance > WRONG:
        return result
    unit = 10 ** rng.randrange(size)
    if chance < WRONG * 0.35:
        return abs(result + rng.choice((-1, 1)) * unit)
    if chance < WRONG * 0.55:
        return slip(rng, result)
    if chance < WRONG * 0.85:
        return abs(result + rng.randint(-99, 99) * unit)
    return abs(result + rng.choice((-1, 1)) * (unit - 10 ** rng.randrange(size)))


def _number(rng: Random, digits: int) -> int:
    return rng.randrange(10 ** (digits - 1) if digits > 1 else 2, 10**digits)
