import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { falseEquation } from './equations.ts';

describe('falseEquation', () => {
  it.each([
    ['12*24=298', '12*24=298'],
    ['8/8=2 left 2 4 7', '8/8=2'],
    ['So she has 3 + 4 = 8 apples.', '3 + 4=8'],
    ['It costs $1,200 × 3 = $3,500.', undefined],
    ['1,200 × 3 = 3,500', '1,200 × 3=3,500'],
    ['2+2=4, and then 4+4=9.', '4+4=9'],
    ['(3+4)*2 = 2*6', '(3+4)*2=2*6'],
    ['964*666=642224', '964*666=642224'],
    ['28/8=3', '28/8=3'],
    ['28/8=4', '28/8=4'],
    ['10/3=3 left 2 3', '10/3=3'],
    ['3=28/8', '3=28/8'],
    ['(28+1)/8 = 4', '(28+1)/8=4'],
    ['28/8 = 3.6', '28/8=3.6'],
    ['99999999999*99999999999=9999999999800000000002', '99999999999*99999999999=9999999999800000000002'],
  ])('of %j is %j', (text, found) => {
    expect(falseEquation(text)).toBe(found);
  });

  it.each([
    '964*666=642024',
    '10/3 = 3.33',
    '28/8 = 3.5',
    '28/7 = 4',
    '2.4*3 = 7',
    'x+3=8',
    '2x + 3 = 8',
    'x = 5',
    '3 + 4 = 8x',
    '7 + 8 = 3 (mod 12)',
    '7+8=3 \\pmod{12}',
    '\\frac{1}{2}+3=4',
    'f(3)-1=9',
    '5, 3+4=8',
    '3 1/2 + 1 = 5',
    '1+1 != 3, 1+1 <= 3, 1+1 >= 1, a := 3',
    '2^3+1=10',
    '3+4=7=8-1',
    'answer: 24',
    '=',
    '1+=2',
  ])('does not doubt %j', (text) => {
    expect(falseEquation(text)).toBeUndefined();
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

  it('reads any text without failing', () => {
    const bits = fc.constantFrom('1', '23', '=', '+', '-', '(', ')', '.', ',', ' ', 'x', '/', '*', '\\', '^', '×');
    fc.assert(fc.property(fc.array(bits, { maxLength: 40 }), (parts) => void falseEquation(parts.join(''))));
  });
});
