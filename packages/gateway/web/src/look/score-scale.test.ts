import { describe, expect, it } from 'vitest';
import { scoreColour, scoreSteps, type Theme } from './score-scale.ts';

describe('the score scale', () => {
  it.each([
    ['light', -1],
    ['dark', 1],
  ] as const)('changes its lightness in one direction only: %s', (theme, direction) => {
    const all = Array.from({ length: scoreSteps + 1 }, (_, at) => luminance(theme, at / scoreSteps));
    for (let at = 1; at < all.length; at += 1) expect((all[at]! - all[at - 1]!) * direction).toBeGreaterThan(0);
  });

  it('shows scores outside 0 to 1 as the nearest end', () => {
    expect(scoreColour('light', -3)).toBe(scoreColour('light', 0));
    expect(scoreColour('dark', 7)).toBe(scoreColour('dark', 1));
  });
});

/** Relative luminance of a colour of the scale, WCAG 2.2. */
function luminance(theme: Theme, score: number): number {
  const channels = scoreColour(theme, score).match(/\d+/g)!.map(Number);
  const [red, green, blue] = channels.map((each) => {
    const share = each / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!;
}
