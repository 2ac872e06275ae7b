"""`python -m training.real.checks`: that answers are read and graded as a person would, and that prefixes and families are drawn as they promise. No GPU, no packages."""

from .answers import is_right, solves, stated

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


if __name__ == '__main__':
    for name, check in [(name, each) for name, each in globals().items() if name.startswith('check_')]:
        check()
        print(f'{name}: holds')
