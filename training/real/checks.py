"""`python -m training.real.checks`: that answers are read and graded as a person would, and that prefixes and families are drawn as they promise. No GPU, no packages."""

import contextlib
import io
import json
import tempfile
import time
from collections import Counter, namedtuple
from pathlib import Path

from . import gather, rollouts
from .answers import is_right, solves, stated
from .sets import MORE_TESTS, MORE_TRAINING, SETS

RIGHT = (
    ('18', '18.00'), ('\\$1,234', '1234'), ('27', '27.0'), ('23', '023'), ('-4n+10', '10-4 n'), ('(-10,-9), (45,2)', '(45,2),(-10,-9)'), ('\\{(45, 2), (-10, -9)\\}', '(45,2),(-10,-9)'),
    ('x = -2 \\text{ or } x = 6', 'x=-2,6'), ('6, -2', 'x=-2,6'), ('\\frac{3}{2}', '1.5'), ('1\\frac{1}{2}', '\\frac{3}{2}'), ('\\dfrac12', '0.5'), ('2\\%', '2 \\%'), ('25\\%', '0.25'),
    ('b^2-9a^2', 'b ^ { 2 } - 9 a ^ { 2 }'), ('(b-3a)(b+3a)', 'b ^ { 2 } - 9 a ^ { 2 }'), ('8x^2 - 3xy + y^2', '8 x ^ { 2 } - 3 xy + y ^ { 2 }'), ('[2, \\infty)', 'x \\ge 2'), ('x\\geq 2', 'x \\ge 2'),
    ('-2 > x', 'x < - 2'), ('(-\\infty, -7)', 'x<-7:(-\\infty,-7)'), ('(-1, 1]', '-1<x \\leqslant 1:(-1,1]'), ('(-\\infty, -3] \\cup (0, \\infty)', '(-\\infty,-3] \\cup(0, \\infty)'),
    ('x \\leq -3 \\text{ or } x > 0', '(-\\infty,-3] \\cup(0, \\infty)'), ('y=2(x-3)^2+5', 'y = 2 { ( x - 3 ) } ^ { 2 } + 5'), ('2x^2-12x+23', 'y = 2 { ( x - 3 ) } ^ { 2 } + 5'),
    ('9', '9 hours'), ('9 \\text{ hours}', '9'), ('100.5 \\text{ cm}^3', '\\mathrm{V}=100.5 \\mathrm{~cm}^{3}'), ('\\pi/6', '\\frac{\\pi}{6}'), ('0.3256', '0.3256'), ('0.32558', '0.3256'), ('13.33', '\\frac{40}{3} \\approx 13.33$ minutes'),
    ('\\frac{40}{3}', '\\frac{40}{3} \\approx 13.33$ minutes'), ('3, -3, 1, -1', '\\pm 3, \\pm 1'), ('\\pm 1, \\pm 3', '\\pm 3, \\pm 1'), ('\\text{No solution}', 'no solution'), ('no solution', 'No solution'), ('Yes', 'Yes. It has a unique solution.'),
    ('\\ln 3', 'x=\\ln (3)'), ('2x\\sin x + (2 - x^2)\\cos x + C', '-x^{2} \\cos x+2 x \\sin x+2 \\cos x+C'), ('\\ln|7s^7| + C', '7 \\ln s+C'), ('\\sqrt[3]{8}', '2'), ('20\\sqrt{2}', '20 \\sqrt{2}'), ('\\frac{20\\cdot 2}{\\sqrt 2}', '20 \\sqrt{2}'),
    ('2a > 5', '2 a - 5 > 0'), ('x \\neq 3', 'x \\neq 3'), ('x^2-4x=2', 'x^{2}-4 x-2=0'), ('\\frac{c - b}{x}', 'a=\\frac{c-b}{x}'), ('1372', '1.372 \\times 10^{3}'), ('\\frac{1}{2} \\ln z - \\ln(xy)', '\\frac{1}{2} \\ln (z)-\\ln (x)-\\ln (y)'),
    ('i\\frac{\\sqrt{3}}{2}+\\frac12', '\\frac{1+i \\sqrt{3}}{2}'), ('(2,2,-1)', '(x, y, z)=(2,2,-1)$.'), ('x = 2, y = 2, z = -1', '(x, y, z)=(2,2,-1)$.'), ('110880', '110,880'), ('2,365,200,000', '2,365,200,000$ beats/lifetime'), ('\\left( 3, \\frac{\\pi}{2} \\right)', '(3, \\pi/2)'),
    ('d = 4\\sqrt{10}, M = (1, -4)', 'd=4 \\sqrt{10}, M=(1,-4)'), ('\\$30', '30'), ('x=1 \\text{ and } x=2', 'x=1, x=2'), ('-\\frac{6}{25}', '-6 / 25 \\mathrm{~m} / \\mathrm{s}'), ('90^\\circ', '90^{\\circ} '), ('3x^{-1/4}/4', '(3 / 4) x^{-1 / 4}'),
    ('\\begin{pmatrix} 1 \\\\ 3 \\end{pmatrix}', '\\begin{pmatrix} 1 \\\\ 3 \\end{pmatrix}'), ('10{,}000', '10000'), ('p - q', 'p - q'), ('\\text{Evelyn}', '\\text{Evelyn}'), ('17.10', '\\approx 17.10 \\mathrm{ft}'), ('\\frac{7}{8k}', '\\frac{7}{8 k}'), ('[1, \\infty)', '\\{x \\mid x \\geq 1\\}'),
)  # fmt: skip
WRONG = (
    ('19', '18'), ('', '18'), ('100001', '100000'), ('10+4n', '10-4 n'), ('(45,2)', '(45,2),(-10,-9)'), ('(2,45),(-9,-10)', '(45,2),(-10,-9)'), ('x=-2', 'x=-2,6'), ('x > 2', 'x \\ge 2'), ('x \\le 2', 'x \\ge 2'), ('x < 2', 'x < - 2'),
    ('b^2+9a^2', 'b ^ { 2 } - 9 a ^ { 2 }'), ('0.33', '\\frac{1}{3}'), ('0.326', '0.3256'), ('13', '\\frac{40}{3} \\approx 13.33$ minutes'), ('No', 'Yes. It has a unique solution.'), ('converges', 'diverges'), ('(1,2)', '(2,1)'), ('[1,2]', '(1,2)'),
    ('3', '-3'), ('\\frac{2}{3}', '\\frac{3}{2}'), ('x', '\\frac{x}{2}'), ('\\sqrt{3}', '3'), ('2a < 5', '2 a - 5 > 0'), ('25', '0.25'), ('3^{6}', '36'), ('\\text{all real numbers}', 'no solution'), ('x=3', 'x \\neq 3'), ('7\\ln s + C', '7 s + C'),
    ('\\frac{', '2'), ('1e400', '3'), ('9^{9^{9^9}}', '2'), ('170!!', '2'), ('0/0', '2'), ('17', '17.10'), ('1.5', '2'), ('12', '1, 2'), ('30, 20', '30'),
)  # fmt: skip


def check_answers():
    for said, gold in RIGHT:
        assert is_right(said, gold), (said, gold)
    for said, gold in WRONG:
        assert not is_right(said, gold), (said, gold)


def check_solutions():
    assert stated('So it is \\boxed{3}.') == '3'
    assert stated('The answer is 12.') == '12'
    assert stated('Steps.\n\n**Answer:** $\\frac{1}{2}$') == '\\frac{1}{2}', stated('Steps.\n\n**Answer:** $\\frac{1}{2}$')
    assert solves('Hence\n\n$x = \\boxed{3}$ and $y = \\boxed{5}$.', '(3,5)')
    assert not solves('We do not know.', '3')


class Letters:
    """A tokenizer of letters, in place of the generator's."""

    Encoding = namedtuple('Encoding', 'ids offsets')

    def encode(self, text: str, add_special_tokens: bool = True):
        return self.Encoding([ord(letter) for letter in text], [(at, at + 1) for at in range(len(text))])

    def decode(self, ids: list[int]) -> str:
        return ''.join(map(chr, ids))


def questions_of(count: int) -> dict[str, list[dict[str, str]]]:
    return {name: [{'question': f'{name} {at}', 'answer': str(at)} for at in range(count)] for name in (*SETS, *MORE_TESTS, *MORE_TRAINING)}


def check_gathering_goes_on_where_it_stopped():
    """Stopped twice, once within a line, it draws every solution once and in the end what it would have drawn at once; prefixes are those of their solutions."""
    questions, encoder = questions_of(3), Letters()
    with tempfile.TemporaryDirectory() as name:
        out = Path(name)
        golds = {f'{name}:{at}': each['answer'] for name, rows in questions.items() for at, each in enumerate(rows)}
        for turn, seconds in enumerate((0.05, 0.05, 1e9)):
            (out / 'control').write_text(json.dumps({'until': time.time() + seconds, 'end': time.time() + seconds}))
            for shard in range(2):
                gatherer = gather.Gatherer(rollouts.ToyEngine(encoder, golds, turn), encoder, questions, out, shard, 2, out / 'control', 1, 'boxed', set())
                with contextlib.redirect_stdout(io.StringIO()):
                    gatherer.run()
                if turn == 0:
                    gatherer.file.write_bytes(gatherer.file.read_bytes()[:-9])
        records = [each for file in out.glob('solutions-*.jsonl') for each in rollouts.read_lines(file)]
        keys = Counter(map(rollouts.key_of, records))
        roots = {(each['set'], each['index'], each['system'], each['sample']): each['text'] for each in records if each['parent'] is None}
        rounds = len(gather.ASKED) * 3 * len((*SETS[:2], *MORE_TRAINING)) * gather.ROOTS
        assert max(keys.values()) == 1 and len(roots) == 3 * (5 * rollouts.SAMPLES + gather.BELOW_SAMPLES) + rounds, (len(roots), rounds)
        below = [each for each in records if each['parent'] is not None]
        assert below and all(each['text'][: each['cut']] == roots[each['set'], each['index'], each['system'], each['parent']][: each['cut']] for each in below)
        assert all(count % rollouts.BRANCHES == 0 for count in Counter((each['set'], each['index'], each['system'], each['parent'], each['cut']) for each in below).values())


def check_cuts():
    text = 'One.\n\nTwo\nlines.\n\n\nThree, which is longer.'
    assert [text[:at] for at in gather.borders(text, '\n\n')] == ['One.\n\n', 'One.\n\nTwo\nlines.\n\n\n']
    assert [text[at:][:3] for at in gather.borders(text, '\n')] == ['Two', 'lin', 'Thr']
    assert gather.cuts_at_shares(text, Letters()) == gather.borders(text, '\n\n')
    assert gather.cuts_at_shares('One step.', Letters()) == []


if __name__ == '__main__':
    for name, check in [(name, each) for name, each in globals().items() if name.startswith('check_')]:
        check()
        print(f'{name}: holds')
