import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { PartialStep } from './partial-step.ts';

describe('Draft', () => {
  it('cuts after the first delimiter with something before it, however the text is chunked', () => {
    const delimiters = ['\n\n', '##'];
    const text = fc.string({ unit: fc.constantFrom('a', '\n', '#', ' '), maxLength: 30 });
    fc.assert(
      fc.property(text, fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1 }), (whole, sizes) => {
        const step = new PartialStep(delimiters, true);
        let at = 0;
        let streamed = '';
        for (let turn = 0; at < whole.length; turn += 1) {
          const chunk = whole.slice(at, at + sizes[turn % sizes.length]!);
          streamed += step.fold({ index: 0, text: chunk });
          at += chunk.length;
        }
        const blank = whole.length - whole.trimStart().length;
        const ends = delimiters
          .filter((each) => whole.indexOf(each, blank) >= 0)
          .map((each) => whole.indexOf(each, blank) + each.length);
        expect(step.ended).toBe(ends.length > 0);
        expect(step.step().text).toBe(ends.length > 0 ? whole.slice(0, Math.min(...ends)) : whole);
        expect(streamed.startsWith(step.step().text)).toBe(true);
      }),
    );
  });

  it('puts the tokens of several updates behind each other', () => {
    const step = new PartialStep(['\n\n'], false);
    step.fold({ index: 0, text: 'a', tokenIds: [1], logprobs: [-1] });
    step.fold({ index: 0, text: 'b' });
    step.fold({ index: 0, text: 'c', tokenIds: [2, 3], logprobs: [-3, -2], end: 'eos' });
    expect(step.step()).toMatchObject({ text: 'abc', tokenIds: [1, 2, 3], logprobs: [-1, -3, -2], meanLogprob: -2 });
  });

  it('takes cumulative updates as they are', () => {
    const step = new PartialStep(['\n\n'], false);
    expect(step.fold({ index: 0, text: 'a', tokenIds: [1], logprobs: [-1], cumulative: true })).toBe('a');
    expect(
      step.fold({
        index: 0,
        text: 'ab\n\n',
        tokenIds: [1, 2],
        logprobs: [-1, -3],
        cumulative: true,
        end: 'delimiter',
      }),
    ).toBe('b\n\n');
    expect(step.step()).toEqual({
      text: 'ab\n\n',
      tokens: 2,
      meanLogprob: -2,
      end: 'delimiter',
      tokenIds: [1, 2],
      logprobs: [-1, -3],
    });
  });

  it('keeps the whole token of a delimiter that shares one with more white space', () => {
    const step = new PartialStep(['\n\n'], false);
    step.fold({ index: 0, text: 'x.\n\n\n', tokenIds: [1, 9], end: 'delimiter' });
    expect(step.step()).toMatchObject({ text: 'x.\n\n', tokenIds: [1, 9] });
  });

  it('drops the tokens when they say more than the text, or fewer than the server counted', () => {
    const past = new PartialStep(['\n\n'], true);
    past.fold({ index: 0, text: 'x\n\nmore', tokenIds: [1, 2, 3] });
    expect(past.step().tokenIds).toBeUndefined();
    const fewer = new PartialStep([], false);
    const usage = { promptTokens: 5, cachedTokens: 2, generatedTokens: 3 };
    fewer.fold({ index: 0, text: 'x', tokenIds: [1, 2], end: 'eos', usage });
    expect(fewer.step().tokenIds).toBeUndefined();
    expect(fewer.step().tokens).toBe(3);
    expect(fewer.usage(undefined)).toEqual({ computedTokens: 3, cachedTokens: 2, generatedTokens: 3 });
  });

  it('counts what it saw arrive where the server tells no usage', () => {
    const step = new PartialStep([], false);
    step.fold({ index: 0, text: 'x', tokenIds: [1] });
    expect(step.usage(7)).toEqual({ computedTokens: 7, cachedTokens: 0, generatedTokens: 1 });
  });

  it('keeps the limit of tokens where the server does not', () => {
    const told = new PartialStep([], false, undefined, 3);
    for (let token = 0; token < 3; token += 1) told.fold({ index: 0, text: `w${token} `, tokenIds: [token] });
    expect(told.ended).toBe(false);
    expect(told.fold({ index: 0, text: 'more', tokenIds: [9] })).toBe('');
    expect(told.isCut).toBe(true);
    expect(told.step()).toMatchObject({ text: 'w0 w1 w2 ', tokens: 3, tokenIds: [0, 1, 2], end: 'length' });

    const whole = new PartialStep(['\n'], false, undefined, 4);
    whole.fold({ index: 0, text: 'abcdefgh', tokenIds: [1, 2, 3, 4, 5, 6, 7, 8], end: 'eos', cumulative: true });
    expect(whole.step()).toMatchObject({ text: 'abcd', tokens: 4, end: 'length' });
    expect(whole.step().tokenIds).toBeUndefined();

    const untold = new PartialStep(['\n\n'], true, undefined, 10);
    while (!untold.ended) untold.fold({ index: 0, text: 'word and ' });
    expect(untold.step()).toMatchObject({ text: 'word and '.repeat(10), tokens: 10, end: 'length' });
    // A server that sends letters is not cut before it has sent as many as the tokens may have.
    const letters = new PartialStep([], false, undefined, 10);
    for (let at = 0; at < 50; at += 1) letters.fold({ index: 0, text: 'x' });
    expect(letters.ended).toBe(false);
    const once = new PartialStep([], false, undefined, 10);
    once.fold({ index: 0, text: '\u{1f333}'.repeat(100_000) });
    expect(once.step()).toMatchObject({ text: '\u{1f333}'.repeat(448), tokens: 10, end: 'length' });
    const long = new PartialStep([], false, undefined, 10);
    long.fold({ index: 0, text: 'x'.repeat(1_000_000), tokenIds: [1], end: 'eos' });
    expect(long.step()).toMatchObject({ text: 'x'.repeat(896), end: 'length' });
    expect(long.step().tokenIds).toBeUndefined();
  });

  it('reads each character a fixed number of times as the text grows', () => {
    // What a delimiter is looked for in is as long as the update, whatever came before: a longer text takes no longer for each.
    let read = 0;
    const delimiter = { length: 2 } as unknown as string;
    const indexOf = String.prototype.indexOf;
    const counted = function (this: string, ...args: Parameters<typeof indexOf>): number {
      if (args[0] === delimiter) read += this.length;
      return -1;
    };
    const spy = vi.spyOn(String.prototype, 'indexOf').mockImplementation(counted);
    const step = new PartialStep([delimiter], true);
    for (let at = 0; at < 10_000; at += 1) step.fold({ index: 0, text: 'word ' });
    spy.mockRestore();
    expect(read).toBeLessThanOrEqual(10_000 * 'xword '.length);
  });
});
