import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkLine } from '../../../core/src/answer/task.ts';
import { ledger, parseLedger } from './ledger.ts';
import { isRecognised, recognise, tasks } from './recognise.ts';

const question = 'Ledger 4821: a+3921-1184 b-2442+1933 c+1000 d-5000 e+2222 f+1111.';
const answer = [
  'a 4821+3921-1184=7558',
  'b 7558-2442+1933=7049',
  'c 7049+1000=8049',
  'd 8049-5000=3049',
  'e 3049+2222=5271',
  'f 5271+1111=6382',
  'Answer: 6382',
];

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
    ['Ledger 4821: a+3921 b-2442 c+1000 d-50001 e+2222 f+11', /amounts of at most 4 digits.*not -50001/],
    ['Ledger 4821: a+3921 b+2442 c+1000 d-5000 e+2222 f+11', /balances of exactly 4.*not 11184/],
    ['Ledger 4821: a-3921 b-2442 c+1000 d-5000 e+2222 f+11', /balances of exactly 4.*not 900/],
    ['Ledger 4821: a-3000 b-3000 c+1000 d-5000 e+2222 f+11', /balances of exactly 4.*not -1179/],
    ['Ledger 482: a+392 b-244 c+100 d-500 e+222 f+111', /4 to 6 digits; not 482/],
    [`Ledger 4821: ${'+3921-1184+2222-1111,'.repeat(6)}`, /up to 3 amounts an entry, not 4/],
    [`Ledger 482111: ${'+392111-392110,'.repeat(16)}`, /tokens with its answer/],
    ['Ledger 4821: nothing', /four kinds of question/],
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
    const slipped = ['a 4821+3921-1184=7548', 'b 7548-2442+1933=7039', 'd 7039-5000=2039', 'hm', 'Answer: 2039'];
    expect(reasons(slipped)).toEqual(['arithmetic', 'right', 'quantity', 'form', 'quantity']);
    expect(reasons([...answer.slice(0, 6), 'g 6382+1=6383'])).toEqual([...Array(6).fill('right'), 'quantity']);
  });

  it('checks one line, its delimiter included', () => {
    const first = [`${answer[0]}\n`];
    expect(checkLine(tasks, question, first, 'b 7558-2442+1933=7049\n')).toBe('true');
    expect(checkLine(tasks, question, first, 'b 7558-2442+1933=7050\n')).toBe('false');
    expect(checkLine(tasks, question, first, 'b 7558-2442-1933=3183\n')).toBe('false');
    expect(checkLine(tasks, question, first, 'b 7557-2442+1933=7048\n')).toBe('false');
    expect(checkLine(tasks, question, answer.slice(0, 6), 'Answer: 6382')).toBe('true');
    expect(checkLine(tasks, question, answer.slice(0, 5), 'Answer: 5271')).toBe('false');
    expect(checkLine(tasks, 'Who wrote Faust?', [], 'a 1+1=2')).toBe('unknown');
  });

  it('reads its own form again, and finds the balance by adding up', () => {
    // Amounts that add up to 0 in pairs, so that the balance keeps its digits.
    const pair = fc.tuple(fc.integer({ min: 1, max: 1999 }), fc.integer({ min: 1, max: 1999 }));
    const entries = fc.array(pair, { minLength: 6, maxLength: 9 });
    fc.assert(
      fc.property(fc.integer({ min: 5000, max: 7999 }), entries, (opening, pairs) => {
        const asked = pairs.map(([size, back], index) =>
          index % 2 === 0 ? [size] : [-pairs[index - 1]![0], back, -back],
        );
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
