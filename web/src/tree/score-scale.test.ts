import { describe, expect, it } from 'vitest';
import { scoreColour, scoreLuminance, scoreSteps } from './score-scale.ts';

describe('the score scale', () => {
  it.each([
    ['light', -1],
    ['dark', 1],
  ] as const)('changes its lightness in one direction only: %s', (theme, direction) => {
    const all = Array.from({ length: scoreSteps + 1 }, (_, at) => scoreLuminance(theme, at / scoreSteps));
    for (let at = 1; at < all.length; at += 1) expect((all[at]! - all[at - 1]!) * direction).toBeGreaterThan(0);
  });

  it('shows what lies outside of 0 to 1 as the nearest end', () => {
    expect(scoreColour('light', -3)).toBe(scoreColour('light', 0));
    expect(scoreColour('dark', 7)).toBe(scoreColour('dark', 1));
  });
});
