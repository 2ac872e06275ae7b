import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { falseEquation } from './equations.ts';

describe('falseEquation', () => {
  it.each([
    ['12*24=298', '12*24=298'],
    ['8/8=2 left 2 4 7', '8/8=2'],
    ['So she has 3 + 4 = 8 apples.', '3+4=8'],
    ['It costs $1,200 × 3 = $3,500.', '1200*3=3500'],
    ['2+2=4, and then 4+4=9.', '4+4=9'],
    ['(3+4)*2 = 2*6', '(3+4)*2=2*6'],
    ['28/8=3', '28/8=3'],
    ['28/8=4', '28/8=4'],
    ['10/3=3 left 2 3', '10/3=3'],
    ['(28+1)/8 = 4', '(28+1)/8=4'],
    ['28/8 = 3.6', '28/8=3.6'],
    ['99999999999*99999999999=9999999999800000000002', '99999999999*99999999999=9999999999800000000002'],
    ['\\[ \\frac{1}{2} + 3 = 4 \\]', '\\frac{1}{2}+3=4'],
    ['\\text{Cost} = 6 \\text{ jars} \\times \\$1.50/\\text{jar} = \\$9.50', '6*1.50=9.50'],
    ['   - Total: 14 boxes + 9 boxes = 33 boxes', '14+9=33'],
    ['the rest is \\(90 - 25 = 75\\) cm', '90-25=75'],
    ['18 \\text{ (first row)} + 7 \\text{ (second row)} = 35', '18+7=35'],
    ['n = 5 + 6 = 12', '5+6=12'],
    ['x = 2(9) + 4 = 24', '2(9)+4=24'],
    ['30\\% of 250 = 85', '30%*250=85'],
    ['\\frac{2}{5} \\text{ of } 40 = 18', '\\frac{2}{5}*40=18'],
    ['2^3+1=10', '2^3+1=10'],
    ['7 x 13 = 81', '7*13=81'],
    ['3 1/2 + 1 = 5', '3 1/2+1=5'],
    ['\\sqrt{144 + 25} = 12', '\\sqrt{144+25}=12'],
    ['180^\\circ - 57.5^\\circ = 132.5^\\circ', '180-57.5=132.5'],
    ['1{,}050 \\cdot 15 = 16{,}750', '1050*15=16750'],
    ['0.22 + 0.73 = 1.05', '0.22+0.73=1.05'],
    ['5\\sqrt{2} \\approx 9.1', '5\\sqrt{2}≈9.1'],
    ['-8 + 3 = 5 - 9', '-8+3=5-9'],
    ['5*4 square feet = 22 square feet of tiles', '5*4=22'],
  ])('of %j is %j', (text, found) => {
    expect(falseEquation(text)).toBe(found);
  });

  it.each([
    ['sums that hold', ['964*666=642024', '28/8 = 3.5', '\\$5.25 + \\$1.75 = \\$7', '(2)(3) + 4 = 10', '3+4=7=8-1']],
    [
      'rounding',
      [
        '10/3 = 3.33',
        '2/3 = 0.66',
        '2.4*3 = 7',
        '15 \\times 0.3333 = 5',
        '\\pi \\cdot 10^2 \\approx 314',
        '1/7 \\approx 0.15',
      ],
    ],
    [
      'letters',
      [
        'x+3=8',
        '2x + 3 = 8',
        'x = 5',
        '3 + 4 = 8x',
        '10 + 2xy = 16',
        'f(3)-1=9',
        '4\\pi = \\pi h',
        'A\\sqrt{2} = 8',
        '3 - 3a = -2',
      ],
    ],
    [
      'other arithmetic',
      ['7 + 8 = 3 (mod 12)', '7+8=3 \\pmod{12}', '5! = 100', '\\binom{4}{2} = 7', '101_2 + 1 = 6', '11 + 2 = 1 pm'],
    ],
    ['a remainder', ['44 \\div 5 = 8', '44 / 5 = 8 remainder 4', '\\frac{365}{7} = 52 \\text{ remainder } 1']],
    [
      'percent',
      [
        '1/4 = 25%',
        '1/3 = 33%',
        '0.25 \\times 100 = 25\\%',
        '100% - 20% = 80%',
        '\\frac{9}{36} \\times 100\\% = 25\\%',
      ],
    ],
    [
      'units that change',
      [
        '1/2 cup = 4 ounces',
        '1 \\text{ hour} + 30 \\text{ minutes} = 90 \\text{ minutes}',
        '\\$1 + 50 \\text{ cents} = 150',
        '6 stamps * 50 cents = $3',
        '2 \\text{ half dozen} \\times 12 = 12',
      ],
    ],
    ['what goes on', ['3 + 4 = 7 * 2 = 14', '10 + 2 = 12 necklaces × 20 beads = 240 beads', '16 - 8 = 8 - 8 = 0']],
    ['what is given', ['10% of the 350 = 0.1 * 350', '12 = 6 * 3 sons', 'half of 30 + 5 = 20', 'twice 4 + 1 = 9']],
    [
      'a question or a comparison',
      ['Does 3 + 4 = 8?', '1+1 != 3, 1+1 <= 3, 1+1 >= 1, a := 3', '1 + 1 == 3', '2 + 2 \\neq 5'],
    ],
    ['gaps', ['1 + 2 + ... + 9 = 45', '1 + 2 + \\cdots + 9 = 45', 'half of the 6 + 2 = 5']],
    ['a dash that is no minus', ['- 3 + 4 = 7', 'divided by 14 is \\(-2 + 14 = 12\\)', '-8^2 = 64']],
    [
      'mixed numbers and products',
      ['2\\frac{1}{2} = \\frac{5}{2}', '12\\frac{2}{3} = 8', '(\\frac{2}{3})^2\\frac{1}{2} = \\frac{2}{9}'],
    ],
    [
      'two statements',
      ['so a = \\frac{7}{8} and b = \\frac{2}{9}', 'Step 2: 5. Then 4 = 4', 'answer: 24', '=', '1+=2', '6 $10 bills'],
    ],
  ])('does not doubt %s', (_, texts) => {
    expect(texts.filter((text) => falseEquation(text) !== undefined)).toEqual([]);
  });

  it('finds every wrong sum and product of whole numbers, and no right one', () => {
    const number = fc.integer({ min: 0, max: 9_999 });
    const operators = fc.constantFrom('+', '-', '*');
    fc.assert(
      fc.property(number, operators, number, fc.integer({ min: -999, max: 999 }), (a, operator, b, off) => {
        const result = operator === '+' ? a + b : operator === '-' ? a - b : a * b;
        expect(falseEquation(`${a}${operator}${b}=${result + off}`) === undefined).toBe(off === 0);
      }),
    );
  });

  it('finds every quotient with a remainder', () => {
    const whole = fc.integer({ min: 1, max: 999 });
    fc.assert(
      fc.property(whole, whole, (a, b) => {
        expect(falseEquation(`${a}/${b}=${Math.floor(a / b)}`) === undefined).toBe(a % b === 0);
      }),
    );
  });

  it('reads no further than a person would write', () => {
    expect(falseEquation(`${'so '.repeat(10_000)}\n3 + 4 = 8`)).toBe('3+4=8');
    expect(falseEquation(`${'so '.repeat(20_000)}\n3 + 4 = 8`)).toBeUndefined();
  });

  it('reads any text without failing', () => {
    const bits = fc.constantFrom(
      '1',
      '23',
      '=',
      '+',
      '-',
      '(',
      ')',
      '.',
      ',',
      ' ',
      'x',
      '/',
      '*',
      '\\',
      '^',
      '×',
      '%',
      '\\frac{',
      '}',
      '\\text{ of }',
      ' apples',
      '\n',
      '÷',
      '≈',
    );
    fc.assert(fc.property(fc.array(bits, { maxLength: 40 }), (parts) => void falseEquation(parts.join(''))));
  });
});
