// A cost model from measured points: decode times over (batch, context) and prefill times over new tokens. Exact at each
// measured point, linear between them. A table may have gaps (long contexts of large batches that did not fit): there
// a row goes on with the slope of its last piece.

import { assert } from '../base/assert.ts';
import type { CostModel } from './cost.ts';
import { blend, type Curve, curve } from './curve.ts';

export interface MeasuredPoints {
  readonly name: string;
  /** Cached tokens per sequence of each column of `decode`. */
  readonly contexts: readonly number[];
  /** Batch, then milliseconds per column; a short row lacks its longest contexts. */
  readonly decode: readonly (readonly [batch: number, ...ms: number[]])[];
  readonly prefill: readonly (readonly [tokens: number, ms: number])[];
  readonly unreadTokenMs?: number;
  readonly joinMs?: number | undefined;
}

export function tableCost(points: MeasuredPoints): CostModel {
  const rows = points.decode.map(([batch, ...ms]) => {
    assert(ms.length > 0 && ms.length <= points.contexts.length, `row of batch ${batch} in ${points.name}`);
    return { batch, curve: curve(ms.map((each, column) => [points.contexts[column]!, each])) };
  });
  rows.sort((a, b) => a.batch - b.batch);
  const made = new Map<number, Curve>();
  return {
    name: points.name,
    prefillCurve: curve(points.prefill),
    ...(points.unreadTokenMs === undefined ? {} : { unreadTokenMs: points.unreadTokenMs }),
    ...(points.joinMs === undefined ? {} : { joinMs: points.joinMs }),
    decodeCurve(batch) {
      const found = made.get(batch) ?? rowBetween(rows, batch);
      made.set(batch, found);
      return found;
    },
  };
}

interface TableRow {
  readonly batch: number;
  readonly curve: Curve;
}

function rowBetween(rows: readonly TableRow[], batch: number): Curve {
  const upper = rows.findIndex((row) => row.batch >= batch);
  if (upper === 0) return rows[0]!.curve;
  if (upper < 0) return beyond(rows, batch);
  const above = rows[upper]!;
  const below = rows[upper - 1]!;
  return above.batch === batch
    ? above.curve
    : blend(below.curve, above.curve, (batch - below.batch) / (above.batch - below.batch));
}

/** Past the largest batch measured: in proportion to it, as work that fills the GPU is. */
function beyond(rows: readonly TableRow[], batch: number): Curve {
  const last = rows[rows.length - 1]!;
  return { x: last.curve.x, y: last.curve.y.map((ms) => (ms * batch) / last.batch) };
}
