// Where thinking begins and ends in the text of a step, by hand.

import { describe, expect, it } from 'vitest';
import type { Step } from '../step.ts';
import { thoughtOf, thoughtText, usualTags } from './thinking.ts';

const step = (text: string, more: Partial<Step> = {}): Step => ({
  text,
  tokens: 10,
  meanLogprob: 0,
  end: 'length',
  ...more,
});
const found = (text: string, within = false, more: Partial<Step> = {}) =>
  thoughtOf(step(text, more), within, usualTags);

describe('thoughtOf', () => {
  it('is nothing where a text neither begins with the tag nor goes on from thinking', () => {
    expect(found('It is 4.')).toBeUndefined();
    expect(found('The tag <think> is text here.')).toBeUndefined();
  });

  it('is all of a step until the tag that ends it, and no answer then', () => {
    expect(found('<think>\nhm')).toEqual({ chars: 10, tokens: 10, open: true });
    expect(found('hm hm', true)).toEqual({ chars: 5, tokens: 10, open: true });
    expect(found('hm</think>\n', true)).toEqual({ chars: 11, tokens: 10 });
  });

  it('shares the tokens of a step that ends it out by characters, but not those that nothing generated', () => {
    expect(found('<think>a</think>1234567890123456')).toEqual({ chars: 16, tokens: 5 });
    expect(found('over\n</think>answer', true, { forced: 13 })).toEqual({ chars: 13, tokens: 0 });
  });
});

it('reads without its tags and the line end behind the first', () => {
  const read = (text: string, within = false) => {
    const thought = found(text, within)!;
    return thoughtText(step(text, { thought }), usualTags);
  };
  expect(read('<think>\nhm\n</think>\n\n4')).toBe('hm\n');
  expect(read('\nhm</think>', true)).toBe('\nhm');
  expect(read(' <think>a')).toBe('a');
});
