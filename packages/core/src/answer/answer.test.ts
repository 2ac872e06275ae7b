// Hand-worked cases of extraction, equivalence and groups, and the properties that hold for any text.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonical, sameAnswer } from './canonical.ts';
import { extractAnswer, lastNumber } from './extract.ts';
import { groupAnswers } from './groups.ts';

describe('extraction', () => {
  it.each([
    ['So it is $\\boxed{\\frac{1}{2}}$.', '\\frac{1}{2}'],
    ['\\boxed{1}, no: \\boxed{\\sqrt{a_{1}}}', '\\sqrt{a_{1}}'],
    ['\\boxed{\\{1,2\\}} done', '\\{1,2\\}'],
    ['\\boxed 7 and more', '7'],
    ['First \\boxed{3}. Then \\boxed{4', '3'],
    ['9*2=18\n#### 18', '18'],
    ['#### 5\n#### 1,600 ', '1,600'],
    ['The answer is 0.5. I hope it is correct.', '0.5'],
    ['The final answer is $x = \\frac{1}{2}$.', 'x = \\frac{1}{2}'],
    ['Thus 6.\nAnswer: **(B)**', '(B)'],
    ['**Answer:** 12 apples', '12 apples'],
    ['Answer:\n18\n', '18'],
    ['The answer is 1. The answer is 2.', '2'],
    ['#### 3\nThe answer is 4', '3'],
    ['The answer is 18 dollars.', '18 dollars'],
    ['So the answer is **18**.', '18'],
    ['#### $18', '$18'],
    ['The answer to the question is 18.', '18'],
    ['The answer, then, is 18.', '18'],
    ['The answer is therefore 18.', '18'],
    ['The answer should be 18.', '18'],
    ["So the answer's 18.", '18'],
    ['**Final Answer**\n\n18', '18'],
    ['### Answer\n18', '18'],
    ['Therefore, the answer is \\(\\boxed{72}\\).', '72'],
    ['The answer is:\n\\[\n\\boxed{72}\n\\]', '72'],
    ['\\boxed{\\boxed{18}}', '18'],
    ['So $boxed{18}$ it is', '18'],
    ['\\framebox{18}', '18'],
  ])('%j answers %j', (text, answer) => {
    expect(extractAnswer(text)).toBe(answer);
  });

  it.each(['', 'I do not know', '\\boxed{}', '\\boxed{1', 'answer', '####', 'I cannot answer', 'Answer\n'])(
    '%j answers nothing',
    (text) => {
      expect(extractAnswer(text)).toBeUndefined();
    },
  );

  it('finds the last number where a task wants one', () => {
    expect(lastNumber('first 3, then -1,250.5.')).toBe('-1,250.5');
    expect(lastNumber('none')).toBeUndefined();
  });

  it('gives back whatever stands in a box, braces matched', () => {
    const leaf = fc.constantFrom('1', 'x', '\\frac', ' ', ',', '\\{', '\\}', '^');
    const { text } = fc.letrec<{ text: string }>((tie) => ({
      text: fc
        .array(
          fc.oneof(
            { depthSize: 'small' },
            leaf,
            tie('text').map((inner) => `{${inner}}`),
          ),
        )
        .map((all) => all.join('')),
    }));
    fc.assert(
      fc.property(text, fc.constantFrom('', 'so ', '\\boxed{0} '), (inner, before) => {
        fc.pre(inner.trim() !== '');
        expect(extractAnswer(`${before}$\\boxed{${inner}}$.`)).toBe(inner.trim());
      }),
    );
  });

  it('takes any text, a long one of unclosed boxes too', () => {
    fc.assert(fc.property(fc.string({ unit: 'grapheme' }), (text) => void extractAnswer(text)));
    expect(extractAnswer('\\boxed{'.repeat(20_000))).toBeUndefined();
  });
});

describe('equivalence', () => {
  it.each([
    ['\\dfrac{1}{2}', '\\frac12'],
    ['0.5', '\\frac{1}{2}'],
    ['1/2', '.5'],
    ['1,000', '1000'],
    ['10,\\!080', '10080'],
    ['\\$32,\\!348', '32348'],
    ['50\\%', '50'],
    ['30^\\circ', '30'],
    ['15\\mbox{ cm}^2', '15'],
    ['18 dollars', '18'],
    ['5 miles per hour', '5'],
    ['023', '23'],
    ['27.0', '27'],
    ['x=5', '5'],
    ['x=-2 \\text{ or } x=1', '1, -2'],
    ['(x,y) = (1,2)', '(1,2)'],
    ['f^{-1}(x) = \\frac{x}{2}', 'x/2'],
    ['f(x) = x^2 + 1', '1+x^2'],
    ['2 \\sqrt{5}', '2\\sqrt5'],
    ['\\frac{\\sqrt{3}}{3}', '\\frac{1}{\\sqrt{3}}'],
    ['\\sqrt{8}', '2\\sqrt{2}'],
    ['\\sqrt{2}\\cdot\\sqrt{2}', '2'],
    ['1\\frac{4}{5}', '\\frac95'],
    ['3 1/2', '3.5'],
    ['-1\\frac{1}{2}', '-1.5'],
    ['11\\sqrt5+11', '11 + 11\\sqrt{5}'],
    ['(a+5)(b+2)', 'ab+2a+5b+10'],
    ['6+9i', '9i + 6'],
    ['\\left( 3, \\frac{\\pi}{2} \\right)', '(3,\\pi/2)'],
    ['(-\\infty, 2) \\cup (3, \\infty)', '(3,\\infty)\\cup(-\\infty,2)'],
    ['x \\in [-2,7]', '[-2, 7]'],
    ['3, 5, 7', '7, 3 and 5'],
    ['1 \\pm \\sqrt{19}', '1-\\sqrt{19}, 1+\\sqrt{19}'],
    ['\\{1\\pm\\sqrt{5},-2\\}', '-2, 1+\\sqrt5, 1-\\sqrt5'],
    ['\\begin{pmatrix} 1/5 \\\\ -18/5 \\end{pmatrix}', '\\begin{pmatrix} 0.2\\\\-3.6 \\end{pmatrix}'],
    ['\\text{(B)}', 'B'],
    ['\\text{east}', 'East.'],
    ['4210_{5}', '4210_5'],
    ['5x - 7y + 11z + 4 = 0', '-10x + 14y - 22z = 8'],
    ['6.72 \\times 10^{-5}', '.0000672'],
    ['2^{10}', '1024'],
    ['3^2\\frac{1}{2}', '4.5'],
    ['\\frac{\\pi}{2}-0\\pi', '\\frac{\\pi}{2}'],
    ['1+\\cos(0\\pi)+\\sin(0)', '2'],
    ['−3', '-3'],
    ['\\text{18}', '18'],
    ['\\mathrm{18\\,cm}', '18'],
    ['18\\text{ m/s}', '18'],
    ['18\\text{g}', '18'],
    ['18 \\text{ m}^2', '18'],
    ['99\\pi \\text{ square inches}', '99\\pi'],
    ['\\frac{3}{4}\\pi\\text{ inches}', '\\frac{3\\pi}{4}'],
    ['8{,}880', '8880'],
    ['1{,}000{,}000', '1,000,000'],
    ['12\\,345', '12345'],
    ['1 000', '1000'],
    ['\\frac{12}{5,\\!525}', '\\frac{12}{5525}'],
    ['\\$1,234.50', '1234.5'],
    ['€18', '18'],
    ['18 USD', '18'],
    ['50 percent', '50\\%'],
    ['30^\\circ\\mathrm{C}', '30'],
    ['30°F', '30 degrees'],
    ['**18**', '18'],
    ['\\boxed{18}', '18'],
    ['\\underline{18}', '18'],
    ['\\approx 18', '18'],
    ['x\\geq 5', 'x ≥ 5'],
    ['x \\leq 5', 'x ≤ 5'],
    ['4:30 PM', '4:30\\text{ p.m.}'],
    ['9 a.m.', '9AM'],
    ['\\left[0, 1\\right)', '[0,1)'],
  ])('%j is %j', (a, b) => {
    expect(canonical(a)).toBe(canonical(b));
    expect(sameAnswer(a, b)).toBe(true);
  });

  it.each([
    ['1/3', '0.33'],
    ['(1,2)', '(2,1)'],
    ['(1,2)', '[1,2)'],
    ['(1,2)', '1,2'],
    ['2ab', '2'],
    ['3x', '3y'],
    ['no', 'on'],
    ['40_9', '40_8'],
    ['40_9', '409'],
    ['x^2', '2x'],
    ['x = 1, y = 2', 'x = 2, y = 1'],
    ['x = y = 2', 'y = 2'],
    ['\\sqrt{2}', '1.414'],
    ['10000000000000000000001', '10000000000000000000002'],
    ['(a+5)(b+2)', '(a+2)(b+5)'],
    ['\\begin{pmatrix} 1 & 2 \\end{pmatrix}', '\\begin{pmatrix} 1 \\\\ 2 \\end{pmatrix}'],
    ['x + y = 1', 'x + y = 2'],
    ['\\infty', '-\\infty'],
    ['1/0', '2/0'],
    ['9 am', '9 pm'],
    ['x \\ge 5', 'x \\le 5'],
    ['3:1', '1:3'],
    ['5\\%', '0.5'],
    ['1, 000', '1000'],
    ['(1, 000)', '1000'],
    ['18\\text{ and }19', '18'],
    ['52_8', '52'],
  ])('%j is not %j', (a, b) => {
    expect(sameAnswer(a, b)).toBe(false);
  });

  it('takes a fraction and its decimal for the same number', () => {
    const scale = fc.constantFrom(2, 4, 5, 8, 10, 16, 25, 1000);
    fc.assert(
      fc.property(fc.integer({ min: -1e6, max: 1e6 }), scale, (n, d) => {
        expect(canonical(`\\frac{${n}}{${d}}`)).toBe(canonical(String(n / d)));
      }),
    );
  });

  it('keeps different fractions apart', () => {
    const part = fc.integer({ min: 1, max: 100_000 });
    fc.assert(
      fc.property(part, part, part, part, (a, b, c, d) => {
        expect(sameAnswer(`\\frac{${a}}{${b}}`, `${c}/${d}`)).toBe(BigInt(a) * BigInt(d) === BigInt(c) * BigInt(b));
      }),
    );
  });

  it('takes any text, and is the same for the same', () => {
    const piece = fc.constantFrom(
      '\\frac',
      '\\sqrt',
      '{',
      '}',
      '(',
      ')',
      '[',
      ',',
      '1',
      '9',
      'x',
      '^',
      '-',
      '=',
      '\\pm',
      '\\\\',
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(piece).map((all) => all.join('')),
        ),
        (text) => {
          expect(canonical(` ${text} `)).toBe(canonical(text));
        },
      ),
    );
    expect(canonical('9^'.repeat(200)).length).toBeLessThan(500);
    expect(canonical('('.repeat(499))).toMatch(/^"/);
    expect(canonical('9^9^9^9^9')).toBeTypeOf('string');
  });
});

describe('groups', () => {
  it('adds up weights over all ways to write an answer', () => {
    const votes = [
      { answer: '3', weight: 0.9 },
      { answer: '\\frac12', weight: 0.6 },
      { answer: '0.5', weight: 0.5 },
    ];
    const groups = groupAnswers(votes).map((group) => [group.key, group.weight, group.votes.length]);
    expect(groups).toEqual([
      ['0.5', 1.1, 2],
      ['3', 0.9, 1],
    ]);
  });

  it('lets the earliest of equals win', () => {
    const votes = ['b', 'a', 'a', 'b'].map((answer) => ({ answer, weight: 1 }));
    expect(groupAnswers(votes)[0]?.votes[0]?.answer).toBe('b');
    expect(groupAnswers([])).toEqual([]);
  });
});
