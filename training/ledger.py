"""Ledger: an opening balance and entries of several amounts; a line of the answer adds one entry to the balance: `b 8918-2377=6541`.

The sums are hard to write from left to right, since the first digit depends on every carry, and easy to check, since a digit that is
there says which carry it took. A line writes its whole sum out, so that what is added stands beside the result. All balances of a
question have the same number of digits.
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
    digits: tuple[int, int]  # of the balance and of the first amount of each entry
    addends: int
    later: tuple[int, int] = (1, 1)  # digits of the other amounts of an entry, never more than the balance has


# A question and its answer stay below 470 tokens.
LEVELS = {
    1: Level(lines=(8, 14), digits=(4, 5), addends=1),
    2: Level(lines=(8, 12), digits=(4, 5), addends=2, later=(1, 2)),
    3: Level(lines=(8, 10), digits=(4, 5), addends=2, later=(2, 3)),
    4: Level(lines=(8, 11), digits=(4, 4), addends=2, later=(4, 4)),
    5: Level(lines=(8, 10), digits=(5, 6), addends=2, later=(3, 5)),
    6: Level(lines=(7, 9), digits=(4, 5), addends=3, later=(1, 3)),
    7: Level(lines=(6, 8), digits=(4, 5), addends=3, later=(4, 5)),
    8: Level(lines=(6, 7), digits=(6, 6), addends=3, later=(6, 6)),
}
SHARES = {1: 0.08, 2: 0.14, 3: 0.16, 4: 0.16, 5: 0.14, 6: 0.14, 7: 0.12, 8: 0.06}  # of the training questions

QUESTION = re.compile(r'Ledger (\d+): (.+)\.')
LINE = re.compile(r'([a-p]) (\d{1,9}(?:[-+]\d{1,9})+)=(\d{1,9})')


def draw(rng: Random, level: int) -> Document:
    """A question of this level with its worked answer."""
    knobs = LEVELS[level]
    digits = rng.randint(*knobs.digits)
    opening = balance = _amount(rng, digits)
    entries, lines = [], []
    for letter in LETTERS[: rng.randint(*knobs.lines)]:
        entry = _entry(rng, balance, digits, knobs)
        lines.append(line_text(letter, balance, entry, balance + sum(entry)))
        balance += sum(entry)
        entries.append(entry)
    return Document(KIND, level, question_text(opening, entries), '\n'.join([*lines, f'Answer: {balance}']), str(balance))


def _entry(rng: Random, balance: int, digits: int, knobs: Level) -> list[int]:
    """Amounts that keep the balance at its number of digits."""
    while True:
        lengths = [digits, *(min(digits, rng.randint(*knobs.later)) for _ in range(knobs.addends - 1))]
        amounts = [_amount(rng, length) * rng.choice((1, -1)) for length in lengths]
        if len(str(balance + sum(amounts))) == digits and balance + sum(amounts) > 0:
            return amounts


def _amount(rng: Random, digits: int) -> int:
    return rng.randrange(10 ** (digits - 1), 10**digits)


def question_text(opening: int, entries: list[list[int]]) -> str:
    told = ' '.join(letter + sum_text(entry) for letter, entry in zip(LETTERS, entries))
    return f'Ledger {opening}: {told}.'


def line_text(letter: str, before: int, entry: list[int], after: int) -> str:
    return f'{letter} {before}{sum_text(entry)}={after}'


def sum_text(entry: list[int]) -> str:
    return ''.join(f'{amount:+d}' for amount in entry)


def parse(question: str) -> tuple[int, list[list[int]]]:
    """The opening balance and the entries."""
    opening, told = QUESTION.fullmatch(question).groups()
    return int(opening), [[int(amount) for amount in re.findall(r'[-+]\d+', entry)] for entry in told.split(' ')]


def spoil(rng: Random, document: Document) -> str:
    """The answer with mistakes in it. Later lines go on from what is stated."""
    rate, lines = rng.choice((0.0, 0.05, 0.15, 0.3)), []
    balance, entries = parse(document.question)
    for letter, entry in zip(LETTERS, entries):
        before, added = (_miscopied(rng, balance, entry, entries) if rng.random() < rate * 0.15 else (balance, entry))
        balance = max(0, before + sum(added))  # after a mistake it may fall below 0, which no line can state
        if rng.random() < rate:
            balance = _mistake(rng, balance, added)
        lines.append(line_text(letter, before, added, balance))
    return '\n'.join([*lines, f'Answer: {slip(rng, balance) if rng.random() < rate * 0.2 else balance}'])


def _miscopied(rng: Random, balance: int, entry: list[int], entries: list[list[int]]) -> tuple[int, list[int]]:
    """Another balance, another entry, a sign turned, or a slip in one amount."""
    at, chance = rng.randrange(len(entry)), rng.random()
    if chance < 0.3:
        return slip(rng, balance), entry
    if chance < 0.4:
        return balance, rng.choice(entries)
    changed = -entry[at] if chance < 0.6 else slip(rng, abs(entry[at])) * (1 if entry[at] > 0 else -1)
    return balance, [*entry[:at], changed, *entry[at + 1 :]]


def _mistake(rng: Random, balance: int, entry: list[int]) -> int:
    """Mostly a slip in the digits: a carry forgotten. Else an amount left out, or taken with the other sign."""
    chance, one = rng.random(), rng.choice(entry)
    if chance < 0.35:
        return slip(rng, balance)
    if chance < 0.9:
        return max(0, balance + rng.choice((-1, 1)) * 10 ** rng.randrange(len(str(balance))))
    return max(0, balance - one * rng.choice((1, 2)))


def judge(document: Document, text: str) -> Verdict:
    """Judges each line on the balance that the path itself states before it."""
    balance, entries = parse(document.question)
    reasons, expected, right = [], [], False
    for index, line in enumerate(text.split('\n')):
        match = LINE.fullmatch(line)
        if line.startswith('Answer: '):
            stated = line.removeprefix('Answer: ')
            reasons.append(RIGHT if index == len(entries) and stated == str(balance) else 'quantity')
            right = stated == document.answer
        else:
            reasons.append(_reason(match, balance, LETTERS[index], entries[index]) if index < len(entries) else 'quantity')
        expected.append(str(_total(match[2])) if match else None)
        balance = int(match[3]) if match else balance
    promise = [all(reason in (STEP, RIGHT) for reason in reasons[: index + 1]) for index in range(len(reasons))]
    return Verdict(reasons, promise, right, expected)


def _reason(match: re.Match | None, balance: int, letter: str, entry: list[int]) -> str:
    if not match:
        return 'form'
    if match[1] != letter or match[2] != f'{balance}{sum_text(entry)}':
        return 'quantity'
    return STEP if match[3] == str(balance + sum(entry)) else 'arithmetic'


def _total(told: str) -> int:
    """What a sum that is written out comes to."""
    return sum(int(amount) for amount in re.findall(r'[-+]?\d+', told))
