"""Whether two answers mean the same: reads LaTeX and plain formulas, and compares their values at a few points. Lists in any order, points, intervals, inequalities,
equations, `\\pm`, percent, units and a constant of integration are known; what it cannot read is never the same as anything."""

import cmath
import math
import re
from functools import lru_cache

POINTS = 4
LONGEST = 240  # characters of an answer
CONSTANTS = {'pi': math.pi, 'e': math.e, 'i': 1j, 'infty': math.inf}
GREEK = 'alpha beta gamma delta epsilon theta lambda mu rho sigma tau phi varphi omega Delta'.split()


def _log(value, base=math.e):
    return cmath.log(value) / cmath.log(base)


FUNCTIONS = {
    'ln': cmath.log, 'log': lambda value: _log(value, 10), 'exp': cmath.exp, 'sin': cmath.sin, 'cos': cmath.cos, 'tan': cmath.tan, 'sinh': cmath.sinh, 'cosh': cmath.cosh,
    'tanh': cmath.tanh, 'sec': lambda value: 1 / cmath.cos(value), 'csc': lambda value: 1 / cmath.sin(value), 'cot': lambda value: 1 / cmath.tan(value),
    'arcsin': cmath.asin, 'arccos': cmath.acos, 'arctan': cmath.atan, 'sqrt': cmath.sqrt,
}  # fmt: skip
TOKENS = re.compile(r'\\[a-zA-Z]+|\d+(?:\.\d*)?|\.\d+|[a-zA-Z](?:_\{\w+\}|_\w)?|\S')
NAMES = re.compile(r'arcsin|arccos|arctan|sinh|cosh|tanh|sqrt|infty|sin|cos|tan|sec|csc|cot|exp|log|ln|pi')


class Unread(Exception):
    """A form that this file does not know."""


class Formula:
    """Reads one expression by recursive descent into a function of the variables."""

    def __init__(self, text: str):
        # Plain names of functions become commands, so that `xy` can be a product.
        text = re.sub(r'(?<!\\)(?<![a-zA-Z])(' + NAMES.pattern + r')(?![a-z])', r'\\\1', text)
        self.tokens, self.at, self.bars = TOKENS.findall(text), 0, 0
        self.value = self.sum()
        if self.at < len(self.tokens):
            raise Unread(text)

    def peek(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ''

    def take(self, wanted: str | None = None) -> str:
        token = self.peek()
        if token == '' or (wanted is not None and token != wanted):
            raise Unread(token)
        self.at += 1
        return token

    def sum(self):
        value = self.product()
        while self.peek() in ('+', '-'):
            sign, other, one = self.take(), self.product(), value
            value = (lambda at, one=one, other=other: one(at) + other(at)) if sign == '+' else (lambda at, one=one, other=other: one(at) - other(at))
        return value

    def product(self):
        value = self.signed()
        while True:
            token, one = self.peek(), value
            if token in ('*', '\\cdot', '\\times'):
                self.take()
                other = self.signed()
                value = lambda at, one=one, other=other: one(at) * other(at)
            elif token in ('/', '\\div', ':'):
                self.take()
                other = self.signed()
                value = lambda at, one=one, other=other: one(at) / other(at)
            elif token in ('', '+', '-', ')', ']', '}', ',', '\\}') or (token == '|' and self.bars):
                return value
            else:
                other = self.power()
                value = lambda at, one=one, other=other: one(at) * other(at)

    def signed(self):
        if self.peek() in ('+', '-'):
            sign, value = self.take(), self.signed()
            return value if sign == '+' else lambda at: -value(at)
        return self.power()

    def power(self):
        value = self.atom()
        while self.peek() in ('^', '!'):
            one = value
            if self.take() == '!':
                value = lambda at, one=one: complex(math.factorial(_whole(one(at))))
            else:
                other = self.group()
                value = lambda at, one=one, other=other: one(at) ** other(at)
        return value

    def group(self):
        """What stands after `^`, or an argument: {…}, or one atom, perhaps with a sign."""
        if self.peek() == '{':
            return self.inside('{', '}')
        if self.peek() in ('-', '+'):
            sign, value = self.take(), self.group()
            return value if sign == '+' else lambda at: -value(at)
        if re.fullmatch(r'\d\d+', self.peek()) and self.at and self.tokens[self.at - 1] in ('\\frac', '^'):
            digits = self.take()  # \frac12 and x^23 take one digit
            self.tokens.insert(self.at, digits[1:])
            return lambda at: complex(int(digits[0]))
        return self.atom()

    def inside(self, opening: str, closing: str):
        self.take(opening)
        bars, self.bars = self.bars, int(opening == '|')
        value = self.sum()
        self.bars = bars
        self.take(closing)
        return value

    def atom(self):
        token = self.peek()
        for opening, closing in (('(', ')'), ('[', ']'), ('{', '}')):
            if token == opening:
                return self.inside(opening, closing)
        if token == '|':
            value = self.inside('|', '|')
            return lambda at: complex(abs(value(at)))
        token = self.take()
        if re.match(r'[\d.]', token):
            return self.mixed(float(token))
        if token == '\\frac':
            over = self.group()
            under = self.group() if self.peek() == '{' or not re.fullmatch(r'\d\d+', self.peek()) else self.digit()
            return lambda at: over(at) / under(at)
        if token == '\\sqrt' and self.peek() == '[':
            root = self.inside('[', ']')
            value = self.group()
            return lambda at: value(at) ** (1 / root(at))
        if token == '\\log' and self.peek() == '_':
            self.take()
            base = self.group()
            value = self.argument()
            return lambda at: _log(value(at), base(at))
        if token[1:] in FUNCTIONS and token[0] == '\\':
            return self.applied(FUNCTIONS[token[1:]])
        name = token.lstrip('\\').replace('{', '').replace('}', '')
        if name in CONSTANTS:
            return lambda at: complex(CONSTANTS[name])
        if (token[0] == '\\' and name in GREEK) or (token[0] != '\\' and token[0].isalpha()):
            return lambda at: at(name)
        raise Unread(token)

    def digit(self):
        digits = self.take()
        self.tokens.insert(self.at, digits[1:])
        return lambda at: complex(int(digits[0]))

    def mixed(self, number: float):
        """1\\frac{1}{2} is one and a half."""
        ahead = self.tokens[self.at : self.at + 7]
        if number == int(number) and len(ahead) == 7 and ahead[0] == '\\frac' and ahead[2].isdigit() and ahead[5].isdigit():
            part = self.atom()
            return lambda at: number + part(at)
        return lambda at: complex(number)

    def applied(self, function):
        power = None
        if self.peek() == '^':
            self.take()
            power = self.group()
        value = self.argument()
        if power is None:
            return lambda at: function(value(at))
        return lambda at: function(value(at)) ** power(at)

    def argument(self):
        """`\\ln 2x` takes all of 2x; `\\ln (x) + 1` what the brackets hold."""
        if self.peek() in ('(', '[', '{', '|'):
            return self.power()
        value = self.signed()
        while re.match(r'[\da-zA-Z]|\\pi|\\sqrt|\\frac', self.peek()):
            one, other = value, self.power()
            value = lambda at, one=one, other=other: one(at) * other(at)
        return value


def _whole(value: complex) -> int:
    number = round(value.real)
    if abs(value - number) > 1e-9 or not 0 <= number <= 170:
        raise Unread('factorial')
    return number


class Places:
    """A value for every variable, the same for both answers."""

    def __init__(self, seed: int):
        self.seed = seed

    def __call__(self, name: str) -> complex:
        at = sum((number + 1) * ord(letter) for number, letter in enumerate(name))
        return complex(0.31 + (math.sin(at * 12.9898 + self.seed * 78.233) * 43758.5453) % 1.9)


PLACES = [Places(seed) for seed in range(POINTS)]


@lru_cache(maxsize=65536)
def at_points(text: str) -> tuple[complex, ...] | None:
    try:
        value = Formula(text).value
        return tuple(complex(value(place)) for place in PLACES)
    except (Unread, ArithmeticError, ValueError, RecursionError, TypeError):
        return None


# ---- One answer as alternatives of what it may mean ----

WRAPPED = re.compile(r'\\(?:text|mbox|mathrm|mathbf|textbf|textit|textrm|operatorname|mathit|rm)\s*\{([^{}]*)\}')
GONE = ('\\left', '\\right', '\\bigl', '\\bigr', '\\big', '\\displaystyle', '\\!', '\\,', '\\;', '\\:', '\\quad', '\\ ', '\\$', '$', '~', '\\(', '\\)', '\\[', '\\]', '**', '\\limits')
ALIKE = {
    'dfrac': 'frac', 'tfrac': 'frac', 'cfrac': 'frac', '\\leqslant': '<=', '\\geqslant': '>=', '\\leq': '<=', '\\geq': '>=', '\\le ': '<=', '\\ge ': '>=', '≤': '<=', '≥': '>=',
    '\\neq': '!=', '\\ne ': '!=', '≠': '!=', '\\lt': '<', '\\gt': '>', '−': '-', '–': '-', '×': '*', '·': '*', '÷': '/', 'π': '\\pi ', '∞': '\\infty ', '√': '\\sqrt ',
    '²': '^2', '³': '^3', '^{\\circ}': '', '^\\circ': '', '°': '', '\\degree': '', '\\approx': '≈', '\\cup': '∪', '\\in ': '∈', '\\colon': ':', '\\lvert': '|', '\\rvert': '|',
    '\\vert': '|', '\\ldots': '', '\\quad': ' ', '\\lbrace': '\\{', '\\rbrace': '\\}', '\\mid': '|', '\\cdot': '*', '\\times': '*', '\\prime': "'",
}  # fmt: skip
NAMED = re.compile(r"(?:[A-Za-z]|\\bar\s*\{?[a-z]\}?|\\(?:" + '|'.join(GREEK) + r")|[A-Za-z]+(?=\())(?:_\{?\w+\}?)?(?:\^\{?-1\}?)?'*(?:\([^()=]*\))?")
UNIT = re.compile(r'(?<=[\d}).])\s*(?:(?:per|square|sq|cubic|cu)?\s*(?:[A-Za-z]{2,}\.?|[mgsNJWVLhF])(?:\^\{?[23]\}?)?\s*(?:/|per)?\s*)+$')


def plain(text: str) -> str:
    text = text.replace('{,}', ',')
    for name, other in ALIKE.items():
        text = text.replace(name, other)
    for noise in GONE:
        text = text.replace(noise, ' ')
    for _ in range(2):
        text = WRAPPED.sub(lambda found: f' {found.group(1)} ', text)
    text = re.sub(r'(?<=\d),(?:\s?\\?!?)(?=\d{3}(?!\d))', '', text)
    text = re.sub(r'(?<![\d.])(\d{1,3}(?: \d{3})+)(?![\d.])', lambda found: found.group(1).replace(' ', ''), text)
    return re.sub(r'\s+', ' ', text).strip().rstrip('.').strip()


def parts_of(text: str, separators: str) -> list[str]:
    """Cut at separators outside of brackets."""
    parts, depth, start = [], 0, 0
    for at, letter in enumerate(text):
        depth += (letter in '([{') - (letter in ')]}')
        if depth == 0 and letter in separators:
            parts.append(text[start:at].strip())
            start = at + 1
    return [each for each in [*parts, text[start:].strip()] if each]


@lru_cache(maxsize=65536)
def meanings(answer: str) -> tuple:
    """Every reading of an answer, as comparable values: ('value', points, decimals), ('list', …), ('tuple', opening, closing, …), ('relation', sign, points)."""
    if len(answer) > LONGEST:
        return ()
    text = plain(answer)
    found = []
    for each in _variants(text):
        found += _whole_readings(each)
    return tuple(dict.fromkeys(found))


def _variants(text: str) -> list[str]:
    """As it stands; the parts around ≈ and of "inequality : interval"; without a unit; without words around it."""
    text = re.sub(r'^\(\s*[a-z](?:\s*,\s*[a-z])+\s*\)\s*=\s*', '', text.removeprefix('≈').strip())
    text = re.sub(r'^\\\{\s*\w\s*[|:](.*)\\\}$', r'\1', text).strip()
    found = [text]
    halves = [each for each in re.split(r'≈|:(?=\s*[(\[])', text) if each.strip()]
    if len(halves) > 1:
        # "a ≈ b, c ≈ d" is a list of names or of values
        lists = [re.split('≈', each) for each in parts_of(text, ',')]
        if len(lists) > 1 and all(len(each) == 2 for each in lists):
            found = [', '.join(each[side] for each in lists) for side in (0, 1)]
        else:
            found += [each.strip() for each in halves]
    more = []
    for each in found:
        bare = UNIT.sub('', each).strip()
        if bare != each and bare and not NAMES.search(each[len(bare) :]):
            more.append(bare)
        if '%' in each:
            share = each.replace('\\%', '%').replace('%', '').strip()
            more += [share, f'({share})/100'] if re.fullmatch(r'-?[\d.]+', share) else [share]
    # A constant of integration says nothing.
    constant = [re.sub(r'\+\s*[CcKk](?:_\{?\w\}?)?$', '', each).strip() for each in [*found, *more] if re.search(r'\+\s*[CcKk](?:_\{?\w\}?)?$', each)]
    return list(dict.fromkeys([*found, *more, *constant]))


def _whole_readings(text: str) -> list[tuple]:
    text = re.sub(r'^(?:\w\s*)?∈\s*', '', text)
    text = re.sub(r'\b(?:and|or)\b', ',', text) if not re.search(r'[<>]', text) else re.sub(r'\bor\b', '∪', text)
    inner = re.fullmatch(r'\\\{(.*)\\\}|\{(.*)\}|\[([^\[\]]*=[^\[\]]*)\]', text)
    if inner:
        text = next(each for each in inner.groups() if each is not None)
    pieces = parts_of(text, ',;')
    if inner is None and len(parts_of(text, '∪')) > 1:
        pieces = parts_of(text, '∪')
    if not pieces:
        return []
    listed = len(pieces) > 1 or inner is not None
    expanded = [each for piece in pieces for each in _both_signs(piece)]
    if len(expanded) > 8:
        return []
    read = [_readings(each) for each in expanded]
    if any(not each for each in read):
        return []
    if not listed and len(expanded) == 1:
        return read[0]
    return [('list', *(each[0] for each in read))]


def _both_signs(piece: str) -> list[str]:
    if '\\pm' not in piece and '±' not in piece and '\\mp' not in piece:
        return [piece]
    piece = piece.replace('±', '\\pm ')
    return [piece.replace('\\pm', sign).replace('\\mp', other) for sign, other in (('+', '-'), ('-', '+'))]


def _readings(text: str) -> list[tuple]:
    text = re.sub(r'^\\\{([^{},]*)\\\}$', r'\1', text)
    bracket = re.fullmatch(r'([(\[])(.*)([)\]])', text)
    if bracket and len(inner := parts_of(bracket.group(2), ',;')) > 1:
        points = [_readings(each) for each in inner]
        return [('tuple', bracket.group(1), bracket.group(3), *(each[0] for each in points))] if all(points) else []
    if re.search(r'[<>=]', text):
        return _relations(text)
    points = at_points(text)
    return [] if points is None else [('value', points, _decimals(text))]


def _relations(text: str) -> list[tuple]:
    signs = re.findall(r'<=|>=|!=|<|>|=', text)
    sides = [each.strip() for each in re.split(r'<=|>=|!=|<|>|=', text)]
    if any(not each for each in sides):
        return []
    if set(signs) == {'='}:
        found = []
        for at in (len(sides) - 1, 0):
            if all(NAMED.fullmatch(each.strip()) for number, each in enumerate(sides) if number != at) or len(sides) > 2:
                found += _readings(sides[at])
        return found + ([_difference('=', *sides)] if len(sides) == 2 and _difference('=', *sides) else [])
    if len(signs) == 1:
        (sign,), (one, other) = signs, sides
        found = []
        if sign in ('<', '>', '<=', '>=') and (NAMED.fullmatch(one) or NAMED.fullmatch(other)):
            named, bound = (one, other) if NAMED.fullmatch(one) else (other, one)
            below = (sign[0] == '<') == (named == one)
            closed = len(sign) == 2
            found += _readings(f'(-\\infty,{bound}{"]" if closed else ")"}' if below else f'{"[" if closed else "("}{bound},\\infty)')
        difference = _difference(sign, one, other)
        return found + ([difference] if difference else [])
    if len(signs) == 2 and all(sign[0] == '<' for sign in signs) and NAMED.fullmatch(sides[1]):
        return _readings(f'{"[" if len(signs[0]) == 2 else "("}{sides[0]},{sides[2]}{"]" if len(signs[1]) == 2 else ")"}')
    if len(signs) == 2 and all(sign[0] == '>' for sign in signs) and NAMED.fullmatch(sides[1]):
        return _readings(f'{"[" if len(signs[1]) == 2 else "("}{sides[2]},{sides[0]}{"]" if len(signs[0]) == 2 else ")"}')
    return []


def _difference(sign: str, one: str, other: str) -> tuple | None:
    left, right = at_points(one), at_points(other)
    if left is None or right is None:
        return None
    points = tuple(a - b for a, b in zip(left, right))
    if sign in ('<', '<='):
        sign, points = sign.replace('<', '>'), tuple(-each for each in points)
    return ('relation', sign, points)


def _decimals(text: str) -> int | None:
    """Digits after the point of a plain decimal number; none for anything else."""
    found = re.fullmatch(r'-?\s*\d*\.(\d+)(?:\s*\*\s*10\s*\^\s*\{?\s*(-?\d+)\s*\}?)?', text)
    return None if found is None else len(found.group(1)) - int(found.group(2) or 0)


# ---- Comparing ----


def same(said: str, gold: str) -> bool:
    free = bool(re.search(r'\+\s*[Cc](?:_\{?\w\}?)?\s*\$?\.?\s*$', gold))
    return any(_same(one, other, free) for other in meanings(gold) for one in meanings(said))


def _same(said: tuple, gold: tuple, free: bool) -> bool:
    if said[0] == 'list' and gold[0] == 'tuple':
        said = ('tuple', gold[1], gold[2], *said[1:])
    if said[0] == 'tuple' and gold[0] == 'list':
        gold = ('tuple', said[1], said[2], *gold[1:])
    if said[0] != gold[0]:
        return False
    if said[0] == 'tuple':
        return len(said) == len(gold) and said[1:3] == gold[1:3] and all(_same(*pair, free) for pair in zip(said[3:], gold[3:]))
    if said[0] == 'list':
        left = list(gold[1:])
        for each in said[1:]:
            match = next((at for at, other in enumerate(left) if _same(each, other, free)), None)
            if match is None:
                return False
            del left[match]
        return not left
    if said[0] == 'relation':
        return said[1] == gold[1] and _proportional(said[2], gold[2], said[1])
    return _equal(said[1], gold[1], said[2], gold[2]) or (free and _equal_but_constant(said[1], gold[1]))


def _equal(said: tuple, gold: tuple, said_decimals: int | None, gold_decimals: int | None) -> bool:
    if all(_near(a, b, 1e-9) for a, b in zip(said, gold)):
        return True
    one, other = said[0], gold[0]
    if any(each != one for each in said) or any(each != other for each in gold):
        return all(_near(a, b, 1e-7) for a, b in zip(said, gold))
    if not (math.isfinite(abs(one)) and math.isfinite(abs(other))):
        return False
    # A rounded number is right if the exact one rounds to it.
    if gold_decimals is not None and gold_decimals >= 1 and abs(one - other) <= 0.5000001 * 10**-gold_decimals:
        return True
    exact = abs(other - round(other.real)) < 1e-9
    return not exact and said_decimals is not None and said_decimals >= 2 and abs(one - other) <= 0.5000001 * 10**-said_decimals and abs(one - other) <= 1e-4 * abs(other)


def _near(one: complex, other: complex, within: float) -> bool:
    if not (math.isfinite(abs(one)) and math.isfinite(abs(other))):
        return one == other
    return abs(one - other) <= within * max(1e-6, abs(one), abs(other))


def _equal_but_constant(said: tuple, gold: tuple) -> bool:
    gaps = [a - b for a, b in zip(said, gold)]
    varies = any(not _near(each, gold[0], 1e-6) for each in gold)
    return varies and all(math.isfinite(abs(each)) and abs(each - gaps[0]) <= 1e-7 * max(1.0, abs(gaps[0]), abs(gold[0])) for each in gaps)


def _proportional(said: tuple, gold: tuple, sign: str) -> bool:
    if any(abs(each) < 1e-12 or not math.isfinite(abs(each)) for each in (*said, *gold)):
        return False
    ratios = [a / b for a, b in zip(said, gold)]
    return all(_near(each, ratios[0], 1e-7) for each in ratios) and (sign in ('=', '!=') or (ratios[0].imag == 0 and ratios[0].real > 0))
