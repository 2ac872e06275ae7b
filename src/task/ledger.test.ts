import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkLine } from './check.ts';
import { ledger, parseLedger } from './ledger.ts';
import { isRecognised, recognise } from './recognise.ts';

const question = 'Ledger 4821: a+3921-1184 b-2442+1933 c+1000 d-5000 e+2222 f+1111.';
const answer = ['a=7558', 'b=7049', 'c=8049', 'd=3049', 'e=5271', 'f=6382', 'Answer: 6382'];

describe('ledger', () => {
  it.each([
    question,
    'ledger: opening balance 4821; +3921 - 1184, -2442 +1933; +1000; −5000; +2222; +1111',
    'Ledger 4821: a: +3921-1184 b: -2442+1933 c: +1000 d: -5000 e: +2222 f: +1111',
  ])('puts a ledger into the form of the models: %s', (typed) => {
    expect(recognise(typed)).toEqual({ kind: 'ledger', question });
  });

  it.each([
    ['Ledger 4821: +3921, -1184', /6 to 16 entries, not 2/],
    ['Ledger 4821: a+3921 b-2442 c+1000 d-5000 e+2222 f+11', /4 to 6 digits, all numbers of one length; not 11/],
    ['Ledger 482: a+392 b-244 c+100 d-500 e+222 f+111', /4 to 6 digits.*not 482/],
    [`Ledger 4821: ${'+3921-1184+2222-1111+3333-4444,'.repeat(6)}`, /up to 5 amounts an entry, not 6/],
    [`Ledger 482111: ${'+392111-118411+222211-111111+333311,'.repeat(12)}`, /tokens with its answer/],
    ['Ledger 4821: nothing', /three kinds of question/],
  ])('says plainly what is out of reach: %s', (typed, message) => {
    expect(recognise(typed)).toMatchObject({ code: 'unsupported', message: expect.stringMatching(message) });
  });

  it('checks the last balance', () => {
    expect(ledger.check(question, '6382')).toEqual({ right: true });
    expect(ledger.check(question, '6,382.')).toEqual({ right: true });
    expect(ledger.check(question, '6383')).toEqual({ right: false, reason: 'quantity' });
    expect(ledger.check(question, 'much')).toEqual({ right: false, reason: 'form' });
  });

  it('judges each line on the balance that stands before it', () => {
    const reasons = (lines: readonly string[]) =>
      ledger.judge(question, lines).map((verdict) => (verdict.right ? 'right' : verdict.reason));
    expect(reasons(answer)).toEqual(Array(7).fill('right'));
    expect(reasons(['a=7548', 'b=7039', 'd=2039', 'hm', 'Answer: 2039'])).toEqual([
      'arithmetic',
      'right',
      'quantity',
      'form',
      'quantity',
    ]);
    expect(reasons([...answer.slice(0, 6), 'g=1'])).toEqual([...Array(6).fill('right'), 'quantity']);
  });

  it('checks one line, its delimiter included', () => {
    expect(checkLine(question, ['a=7558\n'], 'b=7049\n')).toBe('true');
    expect(checkLine(question, ['a=7558\n'], 'b=7050\n')).toBe('false');
    expect(checkLine(question, answer.slice(0, 6), 'Answer: 6382')).toBe('true');
    expect(checkLine(question, answer.slice(0, 5), 'Answer: 5271')).toBe('false');
    expect(checkLine('Who wrote Faust?', [], 'a=1')).toBe('unknown');
  });

  it('reads its own form again, and finds the balance by adding up', () => {
    const amount = fc
      .tuple(fc.integer({ min: 1000, max: 9999 }), fc.constantFrom(-1, 1))
      .map(([size, sign]) => size * sign);
    const entries = fc.array(fc.array(amount, { minLength: 1, maxLength: 4 }), { minLength: 6, maxLength: 12 });
    fc.assert(
      fc.property(fc.integer({ min: 1000, max: 9999 }), entries, (opening, asked) => {
        const typed = asked
          .map((entry) => entry.map((each) => (each < 0 ? `${each}` : `+${each}`)).join(' '))
          .join('; ');
        const found = recognise(`Ledger ${opening}: ${typed}`);
        expect(isRecognised(found) && parseLedger(found.question)).toEqual({ opening, entries: asked });
        const total = asked.flat().reduce((sum, each) => sum + each, opening);
        expect(ledger.check(isRecognised(found) ? found.question : '', String(total))).toEqual({ right: true });
      }),
    );
  });
});
