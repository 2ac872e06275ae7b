"""Countdown: reach a target from some numbers, each used once, one operation per line.

A question is drawn together with one of its solutions by combining numbers at random; the last number left is the target.
Steps stay among the non-negative whole numbers. This file also judges the lines that a model wrote.
"""

import re
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import combinations
from random import Random

import numpy

from .document import RIGHT, STEP, Document, Verdict
from .slip import slip

KIND = 'countdown'
LARGEST = 9999  # no intermediate value is larger


@dataclass(frozen=True)
class Level:
    count: int  # how many numbers
    largest: int  # the numbers are drawn from 1 to this
    targets: tuple[int, int]


LEVELS = {
    1: Level(count=3, largest=13, targets=(10, 99)),
    2: Level(count=4, largest=13, targets=(10, 99)),
    3: Level(count=4, largest=30, targets=(10, 199)),
    4: Level(count=5, largest=30, targets=(10, 199)),
    5: Level(count=5, largest=60, targets=(100, 999)),
    6: Level(count=6, largest=99, targets=(100, 999)),
}
SHARES = {1: 0.15, 2: 0.37, 3: 0.18, 4: 0.18, 5: 0.10, 6: 0.02}  # of the training questions

LINE = re.compile(r'(\d{1,6})([-+*/])(\d{1,6})=(\d{1,6}) left (\d{1,6}(?: \d{1,6})*)')
PRECEDENCE = {'+': 1, '-': 1, '*': 2, '/': 2, '': 3}


def question_text(target: int, numbers) -> str:
    return f'Make {target} from {" ".join(map(str, sorted(numbers)))}.'


def held_out(target: int, numbers) -> bool:
    """The public Game of 24: four numbers from 1 to 13 and target 24. It is never a question in any of our files."""
    return target == 24 and len(numbers) == 4 and max(numbers) <= 13


def apply(a: int, operator: str, b: int) -> int | None:
    """The result, or None where it is no whole number from 0 up."""
    if operator == '+':
        return a + b
    if operator == '-':
        return a - b if a >= b else None
    if operator == '*':
        return a * b
    return a // b if b and a % b == 0 else None


def draw(rng: Random, level: int) -> Document:
    """A question of this level with one solution."""
    knobs = LEVELS[level]
    while True:
        numbers = sorted(rng.randint(1, knobs.largest) for _ in range(knobs.count))
        steps, target = _combine(rng, list(numbers))
        if not steps or not knobs.targets[0] <= target <= knobs.targets[1]:
            continue
        if target in numbers or held_out(target, numbers):
            continue
        question = question_text(target, numbers)
        lines = _lines(numbers, steps)
        return Document(KIND, level, question, '\n'.join(lines), lines[-1].removeprefix('Answer: '))


def _combine(rng: Random, left: list[int]):
    """Combines two numbers at random until one is left: the operations, and that number."""
    steps = []
    while len(left) > 1:
        a = left.pop(rng.randrange(len(left)))
        b = left.pop(rng.randrange(len(left)))
        if a < b:
            a, b = b, a
        choices = '+-*'
        if b and a % b == 0:
            choices = '+-*//'
        operator = choices[int(rng.random() * len(choices))]
        # Operations that change nothing, or throw a number away, are solutions too, but few should look like that.
        idle = b == 0 or (b == 1 and operator in '*/') or (a == b and operator in '-/')
        if idle and rng.random() < 0.8:
            operator = '+' if b else '*'
        result = apply(a, operator, b)
        if result is None or result > LARGEST:
            return [], 0
        steps.append((a, operator, b, result))
        left.append(result)
    return steps, left[0]


def _lines(numbers, steps) -> list[str]:
    lines, left = [], list(numbers)
    built = [(n, str(n), '') for n in numbers]  # value, expression, its outermost operator
    for a, operator, b, result in steps:
        left.remove(a)
        left.remove(b)
        left.append(result)
        left.sort()
        lines.append(f'{a}{operator}{b}={result} left {" ".join(map(str, left))}')
        first, second = _take(built, a), _take(built, b)
        built.append((result, *_join(first, operator, second)))
    return [*lines, f'Answer: {built[0][1]}']


def _take(built, value):
    """The newest expression with this value."""
    for index in range(len(built) - 1, -1, -1):
        if built[index][0] == value:
            return built.pop(index)
    raise AssertionError(f'{value} is not among {built}')


def _join(first, operator, second):
    (_, left, above), (_, right, below) = first, second
    if PRECEDENCE[above] < PRECEDENCE[operator]:
        left = f'({left})'
    weaker = PRECEDENCE[below] < PRECEDENCE[operator]
    if weaker or (operator in '-/' and PRECEDENCE[below] == PRECEDENCE[operator]):
        right = f'({right})'
    return left + operator + right, operator


def spoil(rng: Random, document: Document) -> str:
    """An answer that goes astray: the solution up to some line, then any operations, with slips on the way."""
    target, *numbers = map(int, re.findall(r'\d+', document.question))
    rate = rng.choice((0.0, 0.1, 0.2))
    followed = [LINE.fullmatch(line) for line in document.solution.split('\n')[:-1]][: rng.randint(0, len(numbers) - 1)]
    left, lines = sorted(numbers), []
    built = [(n, str(n), '') for n in left]
    while len(left) > 1:
        a, operator, b = _choose(rng, left, followed[len(lines)] if len(lines) < len(followed) else None)
        result = apply(a, operator, b)
        last = len(left) == 2
        if last and result != target and rng.random() < 0.3:
            result = target  # what a model states that wants to be done
        elif rng.random() < rate:
            result = slip(rng, result)
        left.remove(a)
        left.remove(b)
        left = sorted([*left, result])
        built.append((result, *_join(_take(built, a), operator, _take(built, b))))
        shown = [slip(rng, n) if rng.random() < rate * 0.05 else n for n in left]
        lines.append(f'{a}{operator}{b}={result} left {" ".join(map(str, shown))}')
    expression = built[0][1]
    if rng.random() < rate * 0.3:
        at = rng.randrange(len(expression))
        expression = expression[:at] + rng.choice('+-*/0123456789') + expression[at + 1 :]
    return '\n'.join([*lines, f'Answer: {expression}'])


def _choose(rng: Random, left: list[int], line) -> tuple[int, str, int]:
    """The solution's next operation where it still fits, else any that stays among the whole numbers."""
    if line and int(line[1]) in left and int(line[3]) in left and (line[1] != line[3] or left.count(int(line[1])) > 1):
        return int(line[1]), line[2], int(line[3])
    b, a = sorted(rng.sample(left, 2))
    choices = [o for o in '+-*/' if (apply(a, o, b) or LARGEST + 1) <= LARGEST] or ['+']
    return a, rng.choice(choices), b


def inner_puzzles(question: str, text: str):
    """The smaller puzzles that an answer passes through: the target, and the numbers that a line leaves, where those are three or more."""
    target = int(re.search(r'\d+', question)[0])
    for line in text.split('\n'):
        match = LINE.fullmatch(line)
        numbers = [int(number) for number in match[5].split()] if match else []
        if len(numbers) >= 3:
            yield target, numbers


def judge(document: Document, text: str) -> Verdict:
    """Judges each line of an answer on the numbers that the line before it left."""
    target, *numbers = map(int, re.findall(r'\d+', document.question))
    state, promising, reasons, promise = tuple(sorted(numbers)), True, [], []
    for line in text.split('\n'):
        if line.startswith('Answer: '):
            reason = _judge_answer(line.removeprefix('Answer: '), target, numbers)
            promising = promising and reason == RIGHT
        else:
            reason, state = _judge_step(line, state)
            promising = promising and reason == STEP and reachable(state, target)
        reasons.append(reason)
        promise.append(promising)
    return Verdict(reasons, promise, reasons[-1] == RIGHT)


def _judge_step(line: str, state: tuple[int, ...]) -> tuple[str, tuple[int, ...]]:
    """What the line is, and the numbers that it says are left."""
    match = LINE.fullmatch(line)
    if not match:
        return 'form', ()
    a, operator, b, result = int(match[1]), match[2], int(match[3]), int(match[4])
    stated = tuple(sorted(map(int, match[5].split())))
    rest = list(state)
    for number in (a, b):
        if number not in rest:
            return 'numbers', stated
        rest.remove(number)
    if apply(a, operator, b) != result:
        return 'arithmetic', stated
    return STEP if stated == tuple(sorted([*rest, result])) else 'numbers', stated


def _judge_answer(expression: str, target: int, numbers: list[int]) -> str:
    if sorted(map(int, re.findall(r'\d+', expression))) != sorted(numbers):
        return 'numbers'
    value = evaluate(expression)
    if value is None:
        return 'form'
    return RIGHT if value == target else 'target'


def evaluate(expression: str) -> Fraction | None:
    """The exact value of an expression of whole numbers, + - * / and parentheses."""
    tokens = re.findall(r'\d+|[-+*/()]', expression)
    if ''.join(tokens) != expression:
        return None
    try:
        value, rest = _sum(tokens)
    except (IndexError, ValueError, ZeroDivisionError):
        return None
    return None if rest else value


def _sum(tokens):
    value, tokens = _product(tokens)
    while tokens and tokens[0] in '+-':
        other, rest = _product(tokens[1:])
        value, tokens = (value + other if tokens[0] == '+' else value - other), rest
    return value, tokens


def _product(tokens):
    value, tokens = _atom(tokens)
    while tokens and tokens[0] in '*/':
        other, rest = _atom(tokens[1:])
        value, tokens = (value * other if tokens[0] == '*' else value / other), rest
    return value, tokens


def _atom(tokens):
    if tokens[0] != '(':
        return Fraction(int(tokens[0])), tokens[1:]
    value, tokens = _sum(tokens[1:])
    if tokens[0] != ')':
        raise ValueError('unclosed')
    return value, tokens[1:]


@lru_cache(maxsize=200_000)
def reachable(numbers: tuple[int, ...], target: int) -> bool:
    """Can the target be reached by the steps that the format allows (non-negative whole numbers)?"""
    if not numbers:
        return False
    if len(numbers) == 1:
        return numbers[0] == target
    return any(target in _combined(first, second) for first, second in _halves(numbers))


@lru_cache(maxsize=50_000)
def _values(numbers: tuple[int, ...]):
    """Every value that can be made from all of these numbers, sorted."""
    if len(numbers) == 1:
        return numpy.array(numbers, dtype=numpy.int64)
    return numpy.unique(numpy.concatenate([_combined(first, second) for first, second in _halves(numbers)]))


def _halves(numbers):
    """Each way to part the numbers into two groups, once."""
    first, rest = numbers[0], numbers[1:]
    seen = set()
    for size in range(len(rest)):
        for chosen in combinations(range(len(rest)), size):
            one = (first, *(rest[i] for i in chosen))
            other = tuple(rest[i] for i in range(len(rest)) if i not in chosen)
            if (one, other) not in seen:
                seen.add((one, other))
                yield one, other


def _combined(first, second):
    a, b = _values(first)[:, None], _values(second)[None, :]
    big, small = numpy.maximum(a, b).ravel(), numpy.minimum(a, b).ravel()
    whole = (small > 0) & (big % numpy.maximum(small, 1) == 0)
    product = big * small
    parts = [big + small, big - small, product[product <= LARGEST], big[whole] // small[whole]]
    if small.size and not small.all():
        parts.append(numpy.zeros(1, dtype=numpy.int64))  # 0 / x
    return numpy.concatenate(parts)


def solvable(numbers, target: int) -> bool:
    """Can the target be reached at all, fractions and negative numbers included? Exact; marks the question files."""
    memo: dict[tuple[int, ...], set[Fraction]] = {}

    def values(group):
        if len(group) == 1:
            return {Fraction(group[0])}
        if group not in memo:
            memo[group] = {v for one, other in _halves(group) for a in values(one) for b in values(other) for v in _all(a, b)}
        return memo[group]

    return any(_meets(values(one), values(other), target) for one, other in _halves(tuple(sorted(numbers))))


def _all(a, b):
    yield a + b
    yield a - b
    yield b - a
    yield a * b
    if b:
        yield a / b
    if a:
        yield b / a


def _meets(one, other, target):
    """Is there an `a` in one and a `b` in the other that give the target?"""
    return any(
        target - a in other or a - target in other or target + a in other
        or (a != 0 and (Fraction(target) / a in other or a * target in other))
        or (target != 0 and a / target in other and a != 0)
        or (target == 0 and (a == 0 or 0 in other))
        for a in one
    )


def draw_unsolvable(rng: Random) -> Document:
    """A question of three to five small numbers that has no solution at all."""
    while True:
        level = rng.choice((1, 2, 2, 3, 4))
        knobs = LEVELS[level]
        numbers = sorted(rng.randint(1, knobs.largest) for _ in range(knobs.count))
        target = rng.randint(*knobs.targets)
        if target in numbers or held_out(target, numbers) or reachable(tuple(numbers), target):
            continue
        if not solvable(numbers, target):
            return Document(KIND, level, question_text(target, numbers), '', None)
