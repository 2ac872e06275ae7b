// Exports of this folder to other packages, as `@coppice/core/cost`. A list only.

export { lastWorthwhile, type Servers, stretchOf } from './closed-loop.ts';
export {
  type CostModel,
  type DecodeBatch,
  decodeMs,
  decodeSpanMs,
  decodeStepsUntil,
  prefillExtraMs,
  prefillMs,
  unreadMs,
} from './cost.ts';
export { curve, valueAt } from './curve.ts';
export { type MeasuredPoints, tableCost } from './table.ts';
