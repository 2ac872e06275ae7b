"""Word problems: a story about one person's things, told in plain English, one operation per line of the answer.

A story is an opening, some events, distractors and a question; every piece is drawn from a table of ways to say it. The plan is the
list of operations behind the story; it refers to earlier results by index, so that a line can be judged on what the path itself states.
"""

import re
from dataclasses import dataclass
from random import Random

from .document import RIGHT, STEP, Document, Verdict
from .slip import slip

KIND = 'word-problem'
LARGEST = 99_999_999  # no quantity in a story is larger


@dataclass(frozen=True)
class Level:
    operations: tuple[int, int]
    digits: tuple[int, int]  # of numbers that are added and taken away
    factors: tuple[int, int]  # the digits of the two numbers that are multiplied
    distractors: int


LEVELS = {
    1: Level(operations=(2, 3), digits=(1, 2), factors=(1, 1), distractors=0),
    2: Level(operations=(2, 4), digits=(2, 3), factors=(1, 2), distractors=1),
    3: Level(operations=(3, 6), digits=(2, 4), factors=(2, 2), distractors=1),
    4: Level(operations=(4, 8), digits=(3, 5), factors=(2, 3), distractors=2),
    5: Level(operations=(6, 10), digits=(4, 6), factors=(3, 3), distractors=2),
    6: Level(operations=(8, 12), digits=(5, 7), factors=(3, 4), distractors=3),
}
SHARES = {1: 0.10, 2: 0.20, 3: 0.25, 4: 0.25, 5: 0.14, 6: 0.06}  # of the training questions

NAMES = [
    ('Anna', 'She'), ('Ben', 'He'), ('Clara', 'She'), ('David', 'He'), ('Emma', 'She'), ('Finn', 'He'), ('Grace', 'She'),
    ('Henry', 'He'), ('Ida', 'She'), ('Jack', 'He'), ('Kate', 'She'), ('Leo', 'He'), ('Mia', 'She'), ('Noah', 'He'),
    ('Olga', 'She'), ('Paul', 'He'), ('Rosa', 'She'), ('Sam', 'He'), ('Tara', 'She'), ('Victor', 'He'),
]  # fmt: skip
ITEMS = ['stamps', 'coins', 'marbles', 'cards', 'shells', 'beads', 'buttons', 'stickers', 'pencils', 'books', 'tickets', 'apples']
BOXES = ['boxes', 'bags', 'packs', 'crates', 'jars', 'trays']

# In each table: {P} the person, {S} the person or a pronoun at the start of a sentence,
# {Q} somebody else with the other pronoun, {R} a third person who takes no part in the events.
OPEN = ['{P} has {n} {items}.', '{P} starts with {n} {items}.', '{P} owns {n} {items}.', 'There are {n} {items} in the room of {P}.',
        '{P} counts {n} {items} at home.', 'At first {P} has {n} {items}.']  # fmt: skip
OPEN_TIMES = ['{P} has {a} {boxes} with {b} {items} in each.', '{P} fills {a} {boxes} with {b} {items} each.',
              'There are {a} {boxes} of {b} {items} in the room of {P}.']  # fmt: skip
OPEN_MORE = ['{Q} has {n} {items} and {P} has {m} more than {Q}.', '{Q} owns {n} {items}. {P} has {m} more.']
OPEN_FEWER = ['{Q} has {n} {items} and {P} has {m} fewer than {Q}.', '{Q} owns {n} {items}. {P} has {m} fewer.']
OPEN_AS_MANY = ['{Q} has {n} {items} and {P} has {m} times as many.', '{Q} owns {n} {items}. {P} has {m} times as many as {Q}.']
GAIN = ['{S} buys {n} more {items}.', '{S} finds {n} {items} on the way home.', '{Q} gives {P} {n} {items}.',
        '{S} wins {n} {items} in a game.', 'A parcel brings {n} more {items}.', '{S} gets {n} {items} as a present.',
        '{S} borrows {n} {items} from {Q}.', 'Later {P} picks up another {n} {items}.']  # fmt: skip
LOSS = ['{S} gives {n} {items} to {Q}.', '{S} loses {n} {items}.', '{S} sells {n} of the {items}.', '{S} throws {n} {items} away.',
        '{S} lends {n} {items} to {Q}.', '{Q} takes {n} of the {items}.', '{S} trades {n} {items} for a toy.',
        'On the way {n} of the {items} get lost.', 'A thief steals {n} of the {items}.']  # fmt: skip
GAIN_TIMES = ['{S} buys {a} {boxes} with {b} {items} in each.', '{S} buys {a} {boxes} of {b} {items}.',
              'Then {a} friends give {P} {b} {items} each.', 'For {a} days {P} finds {b} {items} every day.',
              'Each of {a} neighbours brings {P} {b} {items}.', '{S} earns {b} {items} a day for {a} days.']  # fmt: skip
LOSS_TIMES = ['{S} gives {b} {items} to each of {a} friends.', '{S} sells {a} {boxes} with {b} {items} in each.',
              'For {a} days {P} loses {b} {items} every day.', '{S} uses {b} {items} a day for {a} days.',
              'Then {a} children take {b} {items} each.']  # fmt: skip
SCALE = ['A year later {P} has {k} times as many {items}.', '{S} works hard until there are {k} times as many {items}.',
         'Soon the number of {items} is {k} times as large.']  # fmt: skip
SCALE_NAMED = {2: ['Then the number of {items} doubles.', '{S} doubles the number of {items}.'],
               3: ['Then the number of {items} triples.', '{S} triples the number of {items}.']}  # fmt: skip
SHARE = ['{S} splits the {items} into {k} equal heaps and keeps one heap.', '{S} shares the {items} equally with others, {k} people in all.',
         '{S} keeps one of every {k} {items} and gives the rest away.']  # fmt: skip
SHARE_NAMED = {2: ['{S} keeps half of the {items}.', 'Only half of the {items} are good and {P} keeps those.'],
               3: ['{S} keeps a third of the {items}.'], 4: ['{S} keeps a quarter of the {items}.']}  # fmt: skip
DISTRACT = ['{R} has {n} {other}.', '{R} is {d} years old.', 'The shop is {n} steps away.', 'The way home takes {d} minutes.',
            '{P} also has {n} {other}.', 'A toy costs {n} cents.', 'The room is {d} steps long.', '{R} wants to buy {n} {other}.']  # fmt: skip
ASK = ['How many {items} does {P} have now?', 'How many {items} does {P} have in the end?', 'How many {items} are left?',
       'How many {items} does that make?', 'What is the number of {items} at the end?']  # fmt: skip
ASK_TOGETHER = ['{R} has {n} {items}. How many {items} do they have together?', '{R} adds {n} {items}. How many {items} is that in all?']
ASK_MORE = ['{R} has {n} {items}. How many more {items} does {P} have than {R}?']
ASK_NEED = ['How many more {items} does {P} need to have {n}?', '{P} wants {n} {items}. How many are missing?']
ASK_WORTH = ['They cost {n} cents each. How many cents are they worth?', 'Each weighs {n} grams. How many grams do they weigh together?']
ASK_EACH = ['Then {k} children share the {items} equally. How many does each child get?', '{S} puts them into {k} equal heaps. How many are in each heap?']

LINE = re.compile(r'(\d{1,10})([-+*/])(\d{1,10})=(\d{1,10})')
APPLY = {'+': int.__add__, '-': int.__sub__, '*': int.__mul__, '/': lambda a, b: a // b if b and a % b == 0 else None}


class Story:
    """Collects sentences and operations while the story is drawn; `total` is how many things the person has."""

    def __init__(self, rng: Random, level: Level):
        self.rng, self.level = rng, level
        (self.person, self.pronoun), third = rng.sample(NAMES, 2)
        self.other = rng.choice([name for name, pronoun in NAMES if pronoun != self.pronoun and name != third[0]])
        self.third = third[0]
        self.items, self.others = rng.sample(ITEMS, 2)
        self.sentences: list[str] = []
        self.plan: list[tuple] = []
        self.results: list[int] = []
        self.total: tuple[str, int] = ('number', 0)  # a number of the question, or the index of a result

    def say(self, ways, **numbers):
        subject = self.person if not self.sentences or self.rng.random() < 0.5 else self.pronoun
        boxes = BOXES[int(self.rng.random() * len(BOXES))]
        way = ways[int(self.rng.random() * len(ways))]
        text = way.format(P=self.person, S=subject, Q=self.other, R=self.third, items=self.items, other=self.others, boxes=boxes, **numbers)
        self.sentences.append(text)

    def value(self, operand) -> int:
        where, number = operand
        return number if where == 'number' else self.results[number]

    def operate(self, a, operator: str, b):
        """Adds an operation to the plan and gives a reference to its result."""
        self.plan.append((a, operator, b))
        self.results.append(APPLY[operator](self.value(a), self.value(b)))
        return ('result', len(self.results) - 1)

    def digits(self, count: int) -> int:
        return self.rng.randint(10 ** (count - 1) + (count == 1), 10**count - 1)

    def amount(self) -> int:
        return self.digits(self.rng.randint(*self.level.digits))

    def factors(self) -> tuple[int, int]:
        first, second = (self.digits(count) for count in self.level.factors)
        return (first, second) if self.rng.random() < 0.7 else (second, first)

    @property
    def current(self) -> int:
        return self.value(self.total)


def number(n: int):
    return ('number', n)


def draw(rng: Random, level: int) -> Document:
    """A question of this level with its worked answer."""
    knobs = LEVELS[level]
    while True:
        story = Story(rng, knobs)
        wanted = rng.randint(*knobs.operations)
        _open(story)
        while len(story.plan) < wanted - 1:
            _event(story, wanted - 1 - len(story.plan))
        for way in rng.sample(DISTRACT, rng.randint(0, knobs.distractors)):
            _distract(story, way)
        _ask(story, wanted - len(story.plan))
        if len(story.plan) >= 2 and story.current <= LARGEST and max(story.results) <= LARGEST:
            break
    lines = [f'{story.value(a)}{o}{story.value(b)}={r}' for (a, o, b), r in zip(story.plan, story.results)]
    answer = str(story.current)
    question = ' '.join(story.sentences)
    return Document(KIND, level, question, '\n'.join([*lines, f'Answer: {answer}']), answer, tuple(story.plan))


def _open(story: Story):
    rng, chance = story.rng, story.rng.random()
    if chance < 0.5:
        n = story.amount()
        story.say(OPEN, n=n)
        story.total = number(n)
    elif chance < 0.7:
        a, b = story.factors()
        story.say(OPEN_TIMES, a=a, b=b)
        story.total = story.operate(number(a), '*', number(b))
    else:
        n, m = story.amount(), story.amount()
        if chance < 0.8:
            story.say(OPEN_MORE, n=n, m=m)
            story.total = story.operate(number(n), '+', number(m))
        elif chance < 0.9:
            n, m = max(n, m) + 1, min(n, m)
            story.say(OPEN_FEWER, n=n, m=m)
            story.total = story.operate(number(n), '-', number(m))
        else:
            m = rng.randint(2, 9)
            story.say(OPEN_AS_MANY, n=n, m=m)
            story.total = story.operate(number(n), '*', number(m))


def _event(story: Story, room: int):
    """One event that changes how many things there are, in at most `room` operations."""
    rng, chance = story.rng, story.rng.random()
    if chance < 0.10:
        n = story.amount()
        story.say(GAIN, n=n)
        story.total = story.operate(story.total, '+', number(n))
    elif chance < 0.22:
        n = min(story.amount(), rng.randint(1, max(1, story.current - 1)))
        if n < story.current:
            story.say(LOSS, n=n)
            story.total = story.operate(story.total, '-', number(n))
    elif chance < 0.50 and room >= 2:
        a, b = story.factors()
        story.say(GAIN_TIMES, a=a, b=b)
        story.total = story.operate(story.total, '+', story.operate(number(a), '*', number(b)))
    elif chance < 0.70 and room >= 2:
        a, b = story.factors()
        if a * b < story.current:
            story.say(LOSS_TIMES, a=a, b=b)
            story.total = story.operate(story.total, '-', story.operate(number(a), '*', number(b)))
    elif chance < 0.85:
        k = rng.randint(2, 9) if story.level.factors[0] < 2 or rng.random() < 0.5 else rng.randint(11, 39)
        if story.current * k <= LARGEST // 10:
            story.say(SCALE_NAMED.get(k, SCALE), k=k)
            story.total = story.operate(story.total, '*', number(k))
    else:
        k = _divisor(story)
        if k:
            story.say(SHARE_NAMED[k] if k in SHARE_NAMED and rng.random() < 0.5 else SHARE, k=k)
            story.total = story.operate(story.total, '/', number(k))


def _divisor(story: Story) -> int | None:
    choices = [k for k in range(2, 16) if story.current % k == 0 and story.current > k]
    return story.rng.choice(choices) if choices else None


def _distract(story: Story, way: str):
    """A sentence that changes nothing, anywhere after the opening."""
    story.say([way], n=story.amount(), d=story.rng.randint(10, 99))
    story.sentences.insert(story.rng.randint(1, len(story.sentences) - 1), story.sentences.pop())


def _ask(story: Story, room: int):
    rng, chance = story.rng, story.rng.random()
    n, k = story.amount(), _divisor(story)
    if room < 1 or chance < 0.35:
        story.say(ASK)
    elif chance < 0.5:
        story.say(ASK_TOGETHER, n=n)
        story.total = story.operate(story.total, '+', number(n))
    elif chance < 0.62 and n < story.current:
        story.say(ASK_MORE, n=n)
        story.total = story.operate(story.total, '-', number(n))
    elif chance < 0.75:
        n += story.current
        story.say(ASK_NEED, n=n)
        story.total = story.operate(number(n), '-', story.total)
    elif chance < 0.88 or not k:
        n = rng.randint(2, 9) if story.level.factors[0] < 2 else rng.randint(2, 99)
        story.say(ASK_WORTH, n=n)
        story.total = story.operate(story.total, '*', number(n))
    else:
        story.say(ASK_EACH, k=k)
        story.total = story.operate(story.total, '/', number(k))


def spoil(rng: Random, document: Document) -> str:
    """The answer with mistakes in it: slips in results, wrong quantities, a line left out. Later lines go on from what is stated."""
    rate, lines, results = rng.choice((0.0, 0.1, 0.3)), [], []
    for a, operator, b in document.plan:
        first, second = _stated(a, results), _stated(b, results)
        if rng.random() < rate * 0.2:
            first, operator, second = _mistake(rng, first, operator, second, document.question)
        result = apply(first, operator, second)
        if rng.random() < rate:
            result = slip(rng, result)
        results.append(result)
        if rng.random() >= rate * 0.05:
            lines.append(f'{first}{operator}{second}={result}')
    if rng.random() < rate * 0.2:
        lines = lines[: rng.randint(1, len(document.plan))]
    answer = lines[-1].rpartition('=')[2] if lines else str(results[-1])
    return '\n'.join([*lines, f'Answer: {slip(rng, int(answer)) if rng.random() < rate * 0.1 else answer}'])


def apply(a: int, operator: str, b: int) -> int:
    """The result as a path would state it: never negative, and rounded down where it is no whole number."""
    return max(0, a // max(1, b) if operator == '/' else APPLY[operator](a, b))


def _mistake(rng: Random, first: int, operator: str, second: int, question: str):
    """Another quantity than the story asks for."""
    other = int(rng.choice(re.findall(r'\d+', question) or ['7']))
    return rng.choice([(other, operator, second), (first, operator, other), (first, rng.choice('+-*'), second), (slip(rng, first), operator, second)])


def judge(document: Document, text: str) -> Verdict:
    """Judges each line of an answer against the plan, on the results that the path itself states."""
    plan = document.plan
    reasons: list[str] = []
    results: list[int | None] = []
    for index, line in enumerate(text.split('\n')):
        if line.startswith('Answer: '):
            reasons.append(_judge_answer(line.removeprefix('Answer: '), results, plan))
        else:
            reasons.append(_judge_step(line, index, results, plan))
    promise = [all(reason in (STEP, RIGHT) for reason in reasons[: index + 1]) for index in range(len(reasons))]
    return Verdict(reasons, promise, promise[-1] and reasons[-1] == RIGHT)


def _judge_step(line: str, index: int, results: list, plan: tuple) -> str:
    match = LINE.fullmatch(line)
    if not match:
        results.append(None)
        return 'form'
    a, operator, b, result = int(match[1]), match[2], int(match[3]), int(match[4])
    expected = _expected(index, results, plan)
    results.append(result)
    if expected != (a, operator, b) and (operator not in '+*' or expected != (b, operator, a)):
        return 'quantity'
    return STEP if APPLY[operator](a, b) == result else 'arithmetic'


def _expected(index: int, results: list, plan: tuple):
    if index >= len(plan):
        return None
    a, operator, b = plan[index]
    return _stated(a, results), operator, _stated(b, results)


def _stated(operand, results: list):
    where, number = operand
    return number if where == 'number' else results[number]


def _judge_answer(answer: str, results: list, plan: tuple) -> str:
    if not re.fullmatch(r'\d{1,10}', answer):
        return 'form'
    return RIGHT if len(results) == len(plan) and results[-1] == int(answer) else 'quantity'
