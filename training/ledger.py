"""Ledger: an opening balance and entries of several amounts; a line of the answer is the balance after one entry.

The sums are hard to write from left to right, since the first digit depends on every carry, and easy to check, since a digit that is
there says which carry it took. All amounts and balances of a question have the same number of digits.
"""

import re
from dataclasses import dataclass
from random import Random

from .document import RIGHT, STEP, Document, Verdict
from .slip import slip

KIND = 'ledger'
LETTERS = 'abcdefghijklmnop'


@dataclass(frozen=True)
class Level:
    lines: tuple[int, int]
    digits: tuple[int, int]
    addends: tuple[int, int]


# A question and its answer stay below 500 tokens.
LEVELS = {
    1: Level(lines=(6, 8), digits=(4, 4), addends=(1, 2)),
    2: Level(lines=(6, 12), digits=(4, 4), addends=(2, 3)),
    3: Level(lines=(8, 16), digits=(4, 5), addends=(3, 3)),
    4: Level(lines=(8, 14), digits=(5, 5), addends=(4, 4)),
    5: Level(lines=(8, 12), digits=(6, 6), addends=(4, 4)),
    6: Level(lines=(8, 10), digits=(6, 6), addends=(5, 5)),
}
SHARES = {1: 0.10, 2: 0.20, 3: 0.30, 4: 0.22, 5: 0.11, 6: 0.07}  # of the training questions

QUESTION = re.compile(r'Ledger (\d+): (.+)\.')
LINE = re.compile(r'([a-p])=(\d{1,9})')


def draw(rng: Random, level: int) -> Document:
    """A question of this level with its worked answer."""
    knobs = LEVELS[level]
    digits = rng.randint(*knobs.digits)
    low, high = 10 ** (digits - 1), 10**digits - 1
    opening = balance = rng.randint(low, high)
    entries, balances = [], []
    for _ in range(rng.randint(*knobs.lines)):
        entry = _entry(rng, balance, rng.randint(*knobs.addends), low, high)
        balance += sum(entry)
        entries.append(entry)
        balances.append(balance)
    lines = [f'{letter}={balance}' for letter, balance in zip(LETTERS, balances)]
    return Document(KIND, level, question_text(opening, entries), '\n'.join([*lines, f'Answer: {balance}']), str(balance))


def _entry(rng: Random, balance: int, count: int, low: int, high: int) -> list[int]:
    """Amounts that keep the balance at its number of digits."""
    span = high - low + 1
    while True:
        amounts = [low + int(rng.random() * span) for _ in range(count)]
        amounts = [amount if rng.random() < 0.5 else -amount for amount in amounts]
        if low <= balance + sum(amounts) <= high:
            return amounts


def question_text(opening: int, entries: list[list[int]]) -> str:
    told = ' '.join(letter + ''.join(f'{amount:+d}' for amount in entry) for letter, entry in zip(LETTERS, entries))
    return f'Ledger {opening}: {told}.'


def parse(question: str) -> tuple[int, list[list[int]]]:
    """The opening balance and the entries."""
    opening, told = QUESTION.fullmatch(question).groups()
    return int(opening), [[int(amount) for amount in re.findall(r'[-+]\d+', entry)] for entry in told.split(' ')]


def spoil(rng: Random, document: Document) -> str:
    """The answer with mistakes in it. Later lines go on from what is stated."""
    rate, lines = rng.choice((0.0, 0.05, 0.15, 0.3)), []
    balance, entries = parse(document.question)
    for letter, entry in zip(LETTERS, entries):
        before, balance = balance, max(0, balance + sum(entry))  # after a mistake it may fall below 0, which no line can state
        if rng.random() < rate:
            balance = _mistake(rng, before, balance, entry, entries)
        lines.append(f'{letter}={balance}')
    return '\n'.join([*lines, f'Answer: {slip(rng, balance) if rng.random() < rate * 0.2 else balance}'])


def _mistake(rng: Random, before: int, balance: int, entry: list[int], entries: list[list[int]]) -> int:
    """Mostly a slip in the digits: a carry forgotten. Else an amount left out, a sign turned, another entry taken."""
    chance, one = rng.random(), rng.choice(entry)
    if chance < 0.4:
        return slip(rng, balance)
    if chance < 0.8:
        return max(0, balance + rng.choice((-1, 1)) * 10 ** rng.randrange(len(str(balance))))
    if chance < 0.87:
        return max(0, balance - one)
    if chance < 0.94:
        return max(0, balance - 2 * one)
    return max(0, before + sum(rng.choice(entries)))


def judge(document: Document, text: str) -> Verdict:
    """Judges each line on the balance that the path itself states before it."""
    balance, entries = parse(document.question)
    reasons, expected, right = [], [], False
    for index, line in enumerate(text.split('\n')):
        wanted = balance + sum(entries[index]) if index < len(entries) else None
        if line.startswith('Answer: '):
            stated = line.removeprefix('Answer: ')
            reasons.append(RIGHT if index == len(entries) and stated == str(balance) else 'quantity')
            right = stated == document.answer
            wanted = None
        else:
            match = LINE.fullmatch(line)
            reasons.append(_reason(match, index, wanted))
            balance = int(match[2]) if match else balance
        expected.append(None if wanted is None else str(wanted))
    promise = [all(reason in (STEP, RIGHT) for reason in reasons[: index + 1]) for index in range(len(reasons))]
    return Verdict(reasons, promise, right, expected)


def _reason(match: re.Match | None, index: int, wanted: int | None) -> str:
    if not match:
        return 'form'
    if wanted is None or match[1] != LETTERS[index]:
        return 'quantity'
    return STEP if match[2] == str(wanted) else 'arithmetic'
