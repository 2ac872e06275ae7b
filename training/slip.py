"""A slip of the pen: the kind of wrong number that a small model writes."""

from random import Random


def slip(rng: Random, number: int) -> int:
    """A number that looks like this one: mostly one digit off by one, as a model errs."""
    digits = list(str(number))
    at = rng.randrange(len(digits))
    chance = rng.random()
    if chance < 0.7:
        digits[at] = str((int(digits[at]) + rng.choice((-1, 1))) % 10)
    elif chance < 0.9:
        digits[at] = str(rng.randrange(10))
    elif len(digits) > 1 and chance < 0.95:
        del digits[at]
    else:
        digits.insert(at, str(rng.randrange(10)))
    return int(''.join(digits)[:10])
