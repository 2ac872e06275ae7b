import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { llama8b, prm7b } from '../../../sim/src/engine/h200.ts';
import { type DecodeBatch, decodeMs, decodeSpanMs, decodeStepsUntil, prefillExtraMs, prefillMs } from './cost.ts';
import { countUntil, curve, sumFrom, valueAt } from './curve.ts';
import { tableCost } from './table.ts';

/** A batch whose whole cache is one context that all share. */
function alone(sequences: number, contextTokens: number): DecodeBatch {
  return { sequences, contextTokens, residentTokens: contextTokens / sequences };
}

const models = [llama8b, prm7b];

describe('measured tables', () => {
  it.each(models)('$name: exact at every measured point', (points) => {
    const cost = tableCost(points);
    for (const [batch, ...row] of points.decode) {
      row.forEach((ms, column) => {
        expect(decodeMs(cost, batch, batch * points.contexts[column]!)).toBe(ms);
      });
    }
    for (const [tokens, ms] of points.prefill) expect(prefillMs(cost, tokens)).toBe(ms);
  });

  it.each(models)('$name: between its neighbours everywhere inside the grid', (points) => {
    const cost = tableCost(points);
    const rows = points.decode;
    const inside = fc.record({
      row: fc.integer({ min: 0, max: rows.length - 2 }),
      share: fc.double({ min: 0, max: 1, noNaN: true }),
      column: fc.integer({ min: 0, max: 1 }),
      across: fc.double({ min: 0, max: 1, noNaN: true }),
    });
    fc.assert(
      fc.property(inside, ({ row, share, column, across }) => {
        const [below, ...low] = rows[row]!;
        const [above, ...high] = rows[row + 1]!;
        fc.pre(high.length > column + 1);
        const batch = Math.round(below + share * (above - below));
        const [from, to] = [points.contexts[column]!, points.contexts[column + 1]!];
        const corners = [low[column]!, low[column + 1]!, high[column]!, high[column + 1]!];
        const ms = decodeMs(cost, batch, batch * (from + across * (to - from)));
        expect(ms).toBeGreaterThanOrEqual(Math.min(...corners) - 1e-9);
        expect(ms).toBeLessThanOrEqual(Math.max(...corners) + 1e-9);
      }),
    );
  });

  it('never gets cheaper with longer contexts, also past the longest one measured', () => {
    const cost = tableCost(llama8b);
    const batchAndContexts = fc.tuple(
      fc.integer({ min: 1, max: 300 }),
      fc.double({ min: 0, max: 20000, noNaN: true }),
      fc.double({ min: 0, max: 20000, noNaN: true }),
    );
    fc.assert(
      fc.property(batchAndContexts, ([batch, a, b]) => {
        const shorter = decodeMs(cost, batch, batch * Math.min(a, b));
        expect(decodeMs(cost, batch, batch * Math.max(a, b))).toBeGreaterThanOrEqual(shorter - 1e-9);
      }),
    );
  });

  it('a prefill that adds nothing costs nothing, and more tokens never cost less', () => {
    const cost = tableCost(llama8b);
    expect(prefillExtraMs(cost, 0)).toBe(0);
    expect(prefillMs(cost, 0)).toBe(0);
    let last = 0;
    for (let tokens = 1; tokens < 20000; tokens += 37) {
      const ms = prefillMs(cost, tokens);
      expect(ms).toBeGreaterThanOrEqual(last);
      last = ms;
    }
  });
});

describe('sums over decode steps', () => {
  const spans = fc.record({
    batch: fc.integer({ min: 1, max: 256 }),
    context: fc.integer({ min: 1, max: 5000 }),
    steps: fc.integer({ min: 1, max: 3000 }),
  });

  it('equal the steps added one by one', () => {
    const cost = tableCost(llama8b);
    fc.assert(
      fc.property(spans, ({ batch, context, steps }) => {
        let sum = 0;
        for (let step = 0; step < steps; step += 1) sum += decodeMs(cost, batch, batch * (context + step));
        expect(decodeSpanMs(cost, alone(batch, batch * context), steps)).toBeCloseTo(sum, 6);
      }),
      { numRuns: 50 },
    );
  });

  it('equal the steps added one by one where every row looks at the whole cache', () => {
    const cost = tableCost({ ...llama8b, unreadTokenMs: 0.002 });
    fc.assert(
      fc.property(spans, fc.integer({ min: 0, max: 9000 }), ({ batch, context, steps }, others) => {
        const [contextTokens, residentTokens] = [batch * context, batch * context + others];
        let sum = 0;
        for (let step = 0; step < steps; step += 1) {
          sum += decodeMs(cost, batch, contextTokens + batch * step, residentTokens + batch * step);
        }
        const span = { sequences: batch, contextTokens, residentTokens };
        const spanMs = decodeSpanMs(cost, span, steps);
        expect(spanMs / sum).toBeCloseTo(1, 9);
        expect(decodeSpanMs(cost, span, decodeStepsUntil(cost, span, spanMs * 0.7)) / spanMs).toBeGreaterThan(
          0.7 - 1e-9,
        );
      }),
      { numRuns: 50 },
    );
  });

  it('charge a row for each token that it does not read, and for none that it does', () => {
    const cost = tableCost({ name: 'flat', contexts: [100], decode: [[1, 5]], prefill: [[1, 5]], unreadTokenMs: 0.01 });
    expect(decodeMs(cost, 1, 100)).toBe(5);
    expect(decodeMs(cost, 1, 100, 400)).toBeCloseTo(8, 9);
    expect(decodeMs(cost, 2, 200, 400)).toBeCloseTo(10 + 2 * 3, 9);
  });

  it('are inverted by the number of steps until a duration has passed', () => {
    const cost = tableCost(llama8b);
    fc.assert(
      fc.property(spans, fc.double({ min: 0.01, max: 1, noNaN: true }), ({ batch, context, steps }, share) => {
        const cached = batch * context;
        const target = share * decodeSpanMs(cost, alone(batch, cached), steps);
        const found = decodeStepsUntil(cost, alone(batch, cached), target);
        expect(decodeSpanMs(cost, alone(batch, cached), found)).toBeGreaterThanOrEqual(target * (1 - 1e-12));
        if (found > 1) expect(decodeSpanMs(cost, alone(batch, cached), found - 1)).toBeLessThan(target * (1 + 1e-12));
      }),
    );
  });

  it('cope with one point, a falling piece and a flat end', () => {
    const flat = curve([[10, 2]]);
    expect(valueAt(flat, 500)).toBe(2);
    expect(countUntil(flat, 0, 7)).toBe(4);
    const falling = curve([
      [0, 4],
      [4, 2],
    ]);
    expect(sumFrom(falling, 0, 7)).toBeCloseTo(4 + 3.5 + 3 + 2.5 + 2 + 2 + 2);
    expect(countUntil(falling, 0, 17)).toBe(6);
  });
});
