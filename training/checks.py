"""`python -m training.checks`: that drawing, judging, splitting, quantising and packing hold what they promise. No training, no GPU."""

import re
from pathlib import Path
from random import Random

import numpy
import torch

from . import countdown, data, drill, gguf, ledger, lessons, questions, residues, sudoku, trees, words
from .config import CONFIGS
from .document import Document
from .model import Llama
from .readings import BAD, GOOD, PROMISE_MASK, PROMISE_SHIFT, STEP_MASK, STEP_SHIFT, TOKEN, Labeller
from .split import keeps_apart, split_of, split_of_document
from .tokenizer import QuickEncoder, load

TOKENIZER = Path(__file__).parent.parent / 'models' / 'tokenizer.json'


def check_solutions_are_right():
    rng = Random(1)
    for task in data.TASKS.values():
        for level in task.LEVELS:
            for _ in range(50):
                document = task.draw(rng, level)
                verdict = data.judge(document, document.solution)
                assert verdict.right and all(verdict.promise), document


def check_spoiled_answers_are_seen():
    rng = Random(2)
    for task in data.TASKS.values():
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
        for split in questions.SPLITS:
            for document in questions.make(kind, split, 20)[:50]:
                assert split_of_document(document) == split


def check_no_training_answer_passes_through_a_test_question():
    """Not even as a smaller puzzle on its way, and not through the public Game of 24."""
    test = {d.question for split in questions.SPLITS for d in questions.make(countdown.KIND, split, 20)}
    rng, seen, left_out = Random(8), 0, 0
    for _ in range(3000):
        document = data.draw(rng, countdown.KIND, 'train')
        for target, numbers in countdown.inner_puzzles(document.question, document.solution):
            seen += 1
            assert countdown.question_text(target, numbers) not in test and not countdown.held_out(target, numbers), document
    assert seen > 3000
    for _ in range(2000):
        document = countdown.draw(rng, 4)
        left_out += split_of(countdown.KIND, document.question) == 'train' and not keeps_apart(document, document.solution)
    assert left_out > 100, 'the rule has something to do'
    passing = Document(countdown.KIND, 3, 'Make 24 from 4 8 8 7 1.', '8*1=8 left 4 7 8 8\n8/8=1 left 1 4 7', '24')
    assert not keeps_apart(passing, passing.solution), 'a game of 24 on the way'


def check_a_ledger_keeps_its_digits():
    rng = Random(9)
    for level in ledger.LEVELS:
        for _ in range(50):
            document = ledger.draw(rng, level)
            opening, entries = ledger.parse(document.question)
            balances = [opening + sum(sum(entry) for entry in entries[:count]) for count in range(len(entries) + 1)]
            assert len({len(str(balance)) for balance in balances}) == 1, document
            assert len(data.text_of(document)) < 480


def check_a_sudoku_has_one_solution():
    rng = Random(10)
    for level in sudoku.LEVELS:
        for _ in range(10):
            document = sudoku.draw(rng, level)
            grid, size = sudoku.parse(document.question)
            found = sudoku.solutions(grid, size, 2)
            assert [sudoku.grid_text(one, size) for one in found] == [document.answer]


def check_labels_stand_where_the_reward_is_read():
    """Each line end carries the verdict of its line, each digit of a result whether the number is right up to it."""
    encoder, rng = QuickEncoder(load(TOKENIZER)), Random(12)
    for task in data.TASKS.values():
        for _ in range(20):
            document = task.draw(rng, 2)
            text, prompt = task.spoil(rng, document), encoder.encode(document.question + '\n')
            verdict = data.judge(document, text)
            row = Labeller(encoder.tokenizer, rng).label([0, *prompt, *encoder.encode(text)], len(prompt) + 1, text, verdict, verdict.promise, 0)
            ends = [value for value in row.tolist() if value >> PROMISE_SHIFT & PROMISE_MASK]
            assert [value >> STEP_SHIFT & STEP_MASK == GOOD for value in ends] == verdict.steps
            assert [value >> PROMISE_SHIFT & PROMISE_MASK > 1 for value in ends] == verdict.promise
    row = Labeller(encoder.tokenizer, rng).label([0, *encoder.encode('a 1+2=4')], 1, 'a 1+2=4', ledger.judge(document_of_three(), 'a 1+2=4'), [0], 0)
    assert [(value & TOKEN, value >> STEP_SHIFT & STEP_MASK) for value in row.tolist()][-2] == (encoder.encode('4')[0], BAD)


def document_of_three() -> Document:
    return Document(ledger.KIND, 1, 'Ledger 1: a+2.', 'a 1+2=3\nAnswer: 3', '3')


def check_marks_are_remainders():
    """Of every number, of each left side that is a sum or a product, and of what the two sides of an equation differ by."""
    encoder, rng = QuickEncoder(load(TOKENIZER)), Random(14)
    signs = residues.Signs(encoder.tokenizer, 448, torch.device('cpu'))
    for task in (countdown, words, ledger):
        for _ in range(40):
            document = task.draw(rng, 4)
            compare_marks(f'{document.question}\n{task.spoil(rng, document)}\n', encoder, signs)


def compare_marks(text: str, encoder: QuickEncoder, signs: residues.Signs):
    tokens = [0, *encoder.encode(text)]
    marks = residues.marks_of(torch.tensor([tokens]), signs)
    lengths = numpy.cumsum([len(encoder.tokenizer.decode([token])) for token in tokens[1:]])
    token_at = {0: 1} | {int(end): index + 2 for index, end in enumerate(lengths)}
    told = lambda remainders, place: remainders[0, place].tolist()
    for number in re.finditer(r'\d+', text):
        assert told(marks.windows[-1], token_at[number.end() - 1]) == remainders_of(int(number[0]))
    ends = set()
    for equation in re.finditer(r'(\d+(?:[-+*/]\d+)+)=(\d+)', text):
        left, right, equals, end = equation[1], int(equation[2]), token_at[equation.end(1)], token_at[equation.end()]
        a, _, b = left.partition('/')
        assert bool(marks.equals[0, equals]) == (not b)
        assert b or told(marks.expected, equals) == remainders_of(eval(left))
        assert told(marks.difference, end) == remainders_of(int(a) - int(b) * right if b else eval(left) - right), equation
        ends.add(end)
    assert set(marks.ended[0].nonzero().squeeze(1).tolist()) == ends


def remainders_of(number: int) -> list[int]:
    return [number % modulus for modulus in residues.MODULI]


def check_drills_say_which_equations_hold():
    encoder = QuickEncoder(load(TOKENIZER))
    documents, seen = drill.drills(encoder, Random(15), ()), []
    for _ in range(60):
        row = next(documents)
        lines = encoder.tokenizer.decode((row & TOKEN).tolist()).split()
        labels = [label for label in (row >> STEP_SHIFT & STEP_MASK).tolist() if label]
        sums = [line.split('=') for line in lines if '=' in line]
        assert [eval(left) == int(right) for left, right in sums] == [label == GOOD for label in labels]
        seen += labels
    assert 0.3 < seen.count(BAD) / len(seen) < 0.6


def check_right_answers_promise_what_the_generator_gives_them():
    """The product of the probabilities of the lines that are left, as chances.py has it line by line, document by document."""
    encoder, rng, config = QuickEncoder(load(TOKENIZER)), Random(16), CONFIGS['tiny']
    generator, newline = Llama(config.generator, config.vocabulary), encoder.encode('\n')[0]
    documents = [words.draw(rng, 1), words.draw(rng, 2)]
    row = data.filled(numpy.concatenate(data.encode(encoder, documents)), 400)
    whole = torch.from_numpy(row.astype('int32'))[None]
    tokens = (whole & (data.QUIET - 1)).long()[:, :-1]
    labels = lessons.of_solutions(whole, tokens, generator, newline, torch.device('cpu'))
    said = torch.log_softmax(generator(tokens), -1).gather(2, (whole & (data.QUIET - 1)).long()[:, 1:, None])[0, :, 0].detach()
    places = labels.promise_weight[0].nonzero().squeeze(1).tolist()
    assert len(places) == sum(document.solution.count('\n') + 1 for document in documents)
    ends = [place for place in places if tokens[0, place] == 1]
    for place in places:
        last = min(end for end in ends if end >= place)
        assert abs(float(labels.promise[0, place]) - float(said[place:last].sum().exp())) < 1e-5


def check_samples_are_found_again_in_a_recorded_tree():
    step = lambda text, draws: {'step': {'text': text, 'tokens': 2}, 'reward': 0.9, 'draws': draws}
    nodes = [{'draws': [1, 2, 1]}, step('a\n', [3, 4]), step('b\n', [5]), step('c', []), step('d', []), step('e', [])]
    texts = [[node['step']['text'][0] for node in path] for path in trees.samples_of(nodes)]
    assert texts == [['a', 'c'], ['b', 'e'], ['a', 'd']]
    (first, *_) = trees.samples_of(nodes)
    assert trees.record_of(document_of_three(), first) | {'reasons': []} == {
        'right': False, 'answer': 'a\nc', 'tokens': 4, 'reasons': [], 'alive': [0, 0], 'step': [2.197, 2.197]
    }  # fmt: skip


def check_the_quick_encoder_agrees():
    encoder, rng = load(TOKENIZER), Random(13)
    quick = QuickEncoder(encoder)
    for task in data.TASKS.values():
        for level in task.LEVELS:
            text = data.text_of(task.draw(rng, level))
            assert quick.encode(text) == encoder.encode(text, add_special_tokens=False).ids, text


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
