"""`python -m training.checks`: that drawing, judging, splitting, quantising and packing hold what they promise. No training, no GPU."""

from random import Random

import numpy

from . import countdown, data, gguf, questions, words
from .split import split_of


def check_solutions_are_right():
    rng = Random(1)
    for task in (countdown, words):
        for level in task.LEVELS:
            for _ in range(50):
                document = task.draw(rng, level)
                verdict = data.judge(document, document.solution)
                assert verdict.right and all(verdict.promise), document


def check_spoiled_answers_are_seen():
    rng = Random(2)
    for task in (countdown, words):
        for _ in range(200):
            document = task.draw(rng, 3)
            text = task.spoil(rng, document)
            verdict = data.judge(document, text)
            assert len(verdict.reasons) == len(text.split('\n'))
            assert verdict.promise == sorted(verdict.promise, reverse=True), 'a broken promise stays broken'


def check_solvers_agree():
    """What whole-number steps reach, exact arithmetic reaches; and the marked questions have no solution."""
    rng = Random(3)
    for _ in range(100):
        numbers, target = sorted(rng.randint(1, 13) for _ in range(4)), rng.randint(10, 99)
        if countdown.reachable(tuple(numbers), target):
            assert countdown.solvable(numbers, target), (numbers, target)
    assert countdown.solvable([3, 3, 8, 8], 24) and not countdown.reachable((3, 3, 8, 8), 24), 'needs a fraction'
    assert not countdown.solvable([1, 1, 1, 1], 24)


def check_the_game_of_24_is_held_out():
    assert countdown.held_out(24, [1, 4, 6, 13]) and not countdown.held_out(24, [1, 4, 6, 14])
    rng = Random(4)
    for _ in range(20_000):
        target, *numbers = map(int, countdown.draw(rng, 2).question.removeprefix('Make ').removesuffix('.').replace(' from', '').split())
        assert not countdown.held_out(target, numbers)


def check_splits():
    for kind in questions.MIX:
        for split in questions.SIZES:
            for document in questions.make(kind, split, 20)[:50]:
                assert split_of(kind, document.question) == split


def check_quantisation():
    weights = numpy.random.default_rng(5).normal(size=(64, 96)).astype(numpy.float32)
    once = gguf.dequantize(gguf.quantize(weights))
    assert numpy.abs(once - weights.ravel()).max() < 0.02
    assert gguf.quantize(once) == gguf.quantize(weights), 'quantising twice changes nothing'


def check_packing():
    rng = Random(6)
    documents = [numpy.full(rng.randint(5, 90), index, dtype=numpy.uint16) for index in range(1, 500)]
    rows = list(data.pack(documents, 128))
    assert all(len(row) == 128 for row in rows)
    kept = {int(n) for row in rows for n in row if n < data.QUIET}
    assert len(kept) > 400, 'only what is still open may be missing'


if __name__ == '__main__':
    for name, check in list(globals().items()):
        if name.startswith('check_'):
            check()
            print('ok', name.removeprefix('check_').replace('_', ' '))
