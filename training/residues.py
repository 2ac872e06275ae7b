"""What a line says modulo 9, 10 and 11: the old check by casting out, as something that a network can learn to do.

To tell a false product from a true one a network need not multiply. The remainder of a number modulo 9 is that of the sum of its digits, modulo
11 that of their alternating sum, modulo 10 the last digit; remainders of both sides of a true equation agree, and a slip in a digit changes
them. Sums of digits double from layer to layer: two digits, four, eight. Each part is taught where the network can know it, by a classifier on
the state after some layer; the classifiers are thrown away after training. Marks are calculated from the tokens, on the device.
"""

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from . import tokenizer
from .model import EPSILON

MODULI = (9, 10, 11)
DIGITS = 10  # of a number, at most
OPERANDS = 4  # of a sum that is written out, at most
PLUS, MINUS, TIMES, OVER, EQUALS = 1, 2, 3, 4, 5
# The digits that a mark sums up, and the share of the layers after which a network should know it; the same for what follows.
WINDOWS = ((2, 0.125), (4, 0.25), (DIGITS, 0.375))
RUNNING_AT, EXPECTED_AT, DIFFERENCE_AT = 0.625, 0.75, 0.875


class Signs:
    """Which tokens are digits and signs."""

    def __init__(self, encoder, vocabulary: int, device: torch.device):
        self.digit = torch.full((vocabulary,), -1, dtype=torch.long)
        self.sign = torch.zeros(vocabulary, dtype=torch.long)
        for value in range(10):
            self.digit[tokenizer.byte_token(encoder, str(value))] = value
        for code, character in enumerate('+-*/=', 1):
            self.sign[tokenizer.byte_token(encoder, character)] = code
        self.digit, self.sign = self.digit.to(device), self.sign.to(device)
        self.moduli = torch.tensor(MODULI, device=device)


@dataclass(frozen=True)
class Marks:
    """Each of shape (rows, tokens), the remainders (…, moduli); where a mask is False the remainder says nothing."""

    digit: Tensor  # is this token a digit?
    windows: list[Tensor]  # at each digit: the number up to here, its last 2, 4 and all digits
    joined: Tensor  # is this a digit of a number behind a sign and another number?
    running: Tensor  # what the left side comes to up to here
    equals: Tensor  # is this the `=` of sums or products?
    expected: Tensor  # what the left side comes to
    ended: Tensor  # is this the token after the right side?
    difference: Tensor  # left minus right

    def parts(self, size: int) -> list['Marks']:
        """The same of each `size` rows."""
        windows = zip(*(one.split(size) for one in self.windows))
        rest = zip(*(getattr(self, name).split(size) for name in ('joined', 'running', 'equals', 'expected', 'ended', 'difference')))
        return [Marks(digit, list(some), *one) for digit, some, one in zip(self.digit.split(size), windows, rest)]


def shifted(values: Tensor, count: int) -> Tensor:
    """At each place, what stands `count` places before it; nothing before the row's start."""
    return F.pad(values[:, : values.shape[1] - count], (count, 0)) if count else values


def back(values: Tensor, counts: Tensor) -> Tensor:
    """The same with a count for each place; before the row's start stands its first value."""
    places = (torch.arange(values.shape[1], device=values.device) - counts).clamp(min=0)
    return values.gather(1, places if values.dim() == 2 else places[..., None].expand_as(values))


def marks_of(tokens: Tensor, signs: Signs) -> Marks:
    digit, sign, moduli = signs.digit[tokens], signs.sign[tokens], signs.moduli
    is_digit, value = digit >= 0, digit.clamp(min=0)
    windows, length, plain, turned, running = [], is_digit.long(), value, value, is_digit
    for count in range(1, DIGITS):
        running = running & shifted(is_digit, count)
        part = shifted(value, count) * running
        length, plain, turned = length + running, plain + part, turned + part * (-1) ** count
        if count + 1 in dict(WINDOWS):
            windows.append(torch.stack([plain, value, turned], -1) % moduli)
    number, before = windows[-1], back(sign, length)  # the sign that a number stands behind
    follows = is_digit & back(is_digit, length + 1)  # with another number before that
    joined = follows & (before >= PLUS) & (before <= TIMES)
    total, sound = number, ~(follows & (before == OVER))
    times, minus = (before == TIMES)[..., None], (before == MINUS)[..., None]
    for _ in range(OPERANDS - 1):
        left = back(total, length + 1)
        told = torch.where(times, left * number, torch.where(minus, left - number, left + number))
        total = torch.where(joined[..., None], told % moduli, number)
        sound = sound & (~joined | back(sound, length + 1))
    equals = (sign == EQUALS) & shifted(is_digit & sound, 1)
    left, left_length = back(total, length + 1), back(length, length + 1)
    divided = back((before == OVER) & follows, length + 1)
    quotient = back(number, length + left_length + 2) - back(number, length + 1) * number
    difference = torch.where(divided[..., None], quotient, left - number) % moduli
    right = follows & (before == EQUALS) & (divided | back(sound, length + 1))
    ended = ~is_digit & shifted(right, 1)
    behind = torch.ones_like(length)
    return Marks(is_digit, windows, joined & sound, total, equals, back(total, behind), ended, back(difference, behind))


class Classifiers(nn.Module):
    """One for each kind of mark, on the state after the layer that should know it."""

    def __init__(self, width: int, layers: int):
        super().__init__()
        places = [*(share for _, share in WINDOWS), RUNNING_AT, EXPECTED_AT, DIFFERENCE_AT]
        self.layers = [max(0, round(share * layers) - 1) for share in places]
        self.parts = nn.ModuleList(nn.Linear(width, len(MODULI) * max(MODULI)) for _ in places)
        possible = torch.arange(max(MODULI)) < torch.tensor(MODULI)[:, None]
        self.register_buffer('impossible', torch.where(possible, 0.0, -1e4))

    def forward(self, states: list[Tensor], marks: Marks) -> Tensor:
        """The loss of each kind of mark."""
        sides = (marks.joined, marks.running), (marks.equals, marks.expected), (marks.ended, marks.difference)
        wanted = [*((marks.digit, one) for one in marks.windows), *sides]
        return torch.stack([self.missed(part, states[layer], *one) for layer, part, one in zip(self.layers, self.parts, wanted)])

    def missed(self, part: nn.Linear, state: Tensor, where: Tensor, remainders: Tensor) -> Tensor:
        size = (state.detach().square().mean(-1, keepdim=True) + EPSILON).sqrt()
        said = (part(state) / size).float().unflatten(-1, self.impossible.shape) + self.impossible
        each = F.cross_entropy(said.flatten(0, 2), remainders.flatten(), reduction='none').view_as(remainders)
        return (each * where[..., None]).sum() / where.sum().clamp(min=1)
