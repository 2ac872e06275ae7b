"""Sudoku of 4x4 (boxes 2x2) and 6x6 (boxes of 2 rows and 3 columns): one empty cell per line, in reading order.

Every question has one solution. In reading order a cell must often be written before the givens force it, so a path can go wrong
without breaking a rule at once; a broken rule is seen in one row, column or box.
"""

import re
from dataclasses import dataclass
from functools import lru_cache
from random import Random

from .document import RIGHT, STEP, Document, Verdict

KIND = 'sudoku'
BOX_ROWS = {4: 2, 6: 2}
ROW_NAMES = 'abcdef'


@dataclass(frozen=True)
class Level:
    size: int
    empty: tuple[int, int]  # cells to fill


LEVELS = {
    1: Level(size=4, empty=(6, 8)),
    2: Level(size=4, empty=(9, 11)),
    3: Level(size=6, empty=(8, 11)),
    4: Level(size=6, empty=(12, 15)),
    5: Level(size=6, empty=(16, 18)),
    6: Level(size=6, empty=(19, 22)),
}
SHARES = {1: 0.08, 2: 0.16, 3: 0.18, 4: 0.24, 5: 0.20, 6: 0.14}  # of the training questions

LINE = re.compile(r'([a-f])([1-6])=([1-6])')


@lru_cache(maxsize=None)
def units(size: int) -> tuple[tuple[int, ...], ...]:
    """The cells that share a row, a column or a box with each cell, itself left out."""
    height, width = BOX_ROWS[size], size // BOX_ROWS[size]
    box = [(i // size // height, i % size // width) for i in range(size * size)]
    return tuple(
        tuple(j for j in range(size * size) if j != i and (i // size == j // size or i % size == j % size or box[i] == box[j]))
        for i in range(size * size)
    )


def candidates(grid: list[int], cell: int, size: int) -> list[int]:
    """The digits that break no rule in this cell."""
    taken = {grid[j] for j in units(size)[cell]}
    return [digit for digit in range(1, size + 1) if digit not in taken]


def solutions(grid: list[int], size: int, limit: int, rng: Random | None = None) -> list[list[int]]:
    """Up to `limit` ways to fill the grid, the most constrained cell first; with chance in the order of digits where given."""
    found: list[list[int]] = []
    near, full = units(size), (2 << size) - 2

    def fill(masks: dict[int, int]):
        if not masks:
            found.append(list(grid))
            return
        cell = min(masks, key=lambda i: masks[i].bit_count())
        digits = [d for d in range(1, size + 1) if masks[cell] >> d & 1]
        if rng:
            rng.shuffle(digits)
        for digit in digits:
            left = {i: mask & ~(1 << digit) if i in near[cell] else mask for i, mask in masks.items() if i != cell}
            if all(left.values()):
                grid[cell] = digit
                fill(left)
                grid[cell] = 0
                if len(found) >= limit:
                    return

    masks = {}
    for cell in range(size * size):
        if not grid[cell]:
            taken = 0
            for other in near[cell]:
                taken |= 1 << grid[other]
            masks[cell] = full & ~taken
    fill(masks)
    return found


def full_grid(rng: Random, size: int) -> list[int]:
    first = rng.sample(range(1, size + 1), size)
    return solutions(first + [0] * (size * size - size), size, 1, rng)[0]


def draw(rng: Random, level: int) -> Document:
    """A question of this level with its only solution."""
    knobs = LEVELS[level]
    size, cells = knobs.size, knobs.size**2
    while True:
        solution = full_grid(rng, size)
        for _ in range(4):
            empty = set(rng.sample(range(cells), rng.randint(*knobs.empty)))
            grid = [0 if i in empty else digit for i, digit in enumerate(solution)]
            if len(solutions(list(grid), size, 2)) == 1:
                lines = [f'{name(i, size)}={solution[i]}' for i in sorted(empty)]
                answer = grid_text(solution, size)
                return Document(KIND, level, f'Sudoku {grid_text(grid, size)}', '\n'.join([*lines, f'Answer: {answer}']), answer)


def name(cell: int, size: int) -> str:
    return f'{ROW_NAMES[cell // size]}{cell % size + 1}'


def grid_text(grid: list[int], size: int) -> str:
    return ' '.join(''.join(str(digit) if digit else '.' for digit in grid[at : at + size]) for at in range(0, size * size, size))


def parse(question: str) -> tuple[list[int], int]:
    rows = question.removeprefix('Sudoku ').split(' ')
    return [0 if character == '.' else int(character) for row in rows for character in row], len(rows)


def spoil(rng: Random, document: Document) -> str:
    """An answer with wrong digits in it; after one, cells are filled by what still breaks no rule."""
    grid, size = parse(document.question)
    solution, _ = parse(document.answer)
    rate, lines = rng.choice((0.0, 0.05, 0.15, 0.3)), []
    for cell in [i for i, digit in enumerate(grid) if not digit]:
        digit, open_digits = solution[cell], candidates(grid, cell, size)
        if rng.random() < rate:
            others = [d for d in open_digits if d != digit]
            digit = rng.choice(others) if others and rng.random() < 0.75 else rng.randint(1, size)
        elif digit not in open_digits and open_digits and rng.random() < 0.9:
            digit = rng.choice(open_digits)
        grid[cell] = digit
        lines.append(f'{name(cell, size)}={digit}')
    if rng.random() < rate * 0.2:
        grid[rng.randrange(len(grid))] = rng.randint(1, size)
    return '\n'.join([*lines, f'Answer: {grid_text(grid, size)}'])


def judge(document: Document, text: str) -> Verdict:
    """While the path is alive a line is right if it is the solution's digit; after that, if it breaks no rule with what stands."""
    grid, size = parse(document.question)
    solution, _ = parse(document.answer)
    alive, reasons, promise, right = True, [], [], False
    for line in text.split('\n'):
        if line.startswith('Answer: '):
            right = line.removeprefix('Answer: ') == document.answer
            reason = RIGHT if right else 'target'
        else:
            reason = _judge_step(line, grid, size, solution if alive else None)
        alive = alive and reason in (STEP, RIGHT)
        reasons.append(reason)
        promise.append(alive)
    return Verdict(reasons, promise, right)


def _judge_step(line: str, grid: list[int], size: int, solution: list[int] | None) -> str:
    """What the line is; writes its digit into the grid."""
    match = LINE.fullmatch(line)
    cell = ROW_NAMES.index(match[1]) * size + int(match[2]) - 1 if match else -1
    if not match or int(match[2]) > size or not 0 <= cell < size * size or int(match[3]) > size:
        return 'form'
    if grid[cell]:
        return 'numbers'
    digit = int(match[3])
    conflict = digit not in candidates(grid, cell, size)
    grid[cell] = digit
    if conflict:
        return 'conflict'
    return STEP if solution is None or solution[cell] == digit else 'value'
