import { describe, expect, it } from 'vitest';
import { recordSearch } from '../../../../../tests/support/recorded.ts';
import type { LoggedEvent } from '../../../../core/src/log/events.ts';
import { WidthTimeline } from './width-timeline.ts';

const log = recordSearch({ id: 'a', seed: 5, rollouts: 12, threshold: 1 });

describe('the width timeline', () => {
  it('is the same whether the log came at once or bit by bit', () => {
    const whole = new WidthTimeline(log);
    whole.update();
    const growing: LoggedEvent[] = [];
    const bits = new WidthTimeline(growing);
    expect(bits.hasEnded).toBe(false);
    for (const entry of log) {
      growing.push(entry);
      bits.update();
    }
    expect(bits.points).toEqual(whole.points);
    expect(bits.notches).toEqual(whole.notches);
    expect(bits.hasEnded).toBe(true);
  });

  it('counts each finished rollout once, ends with no strand, and stays within the width', () => {
    const widths = new WidthTimeline(log);
    widths.update();
    expect(widths.notches.filter(({ kind }) => kind === 'completed')).toHaveLength(12);
    expect(widths.points.at(-1)).toMatchObject({ open: 0, primary: 0 });
    expect(widths.points.every(({ open, primary }) => open <= Math.max(1, primary))).toBe(true);
    expect(widths.most).toBe(3);
  });
});
