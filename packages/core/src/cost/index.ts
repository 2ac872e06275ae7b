// Exports of this folder to other packages, as `@coppice/core/cost`. A list only.

export {
  type CostModel,
  type DecodeBatch,
  decodeMs,
  decodeSpanMs,
  decodeStepsUntil,
  type ModelShape,
  prefillExtraMs,
  prefillMs,
  unreadMs,
} from './cost.ts';
export { type Curve, curve, valueAt } from './curve.ts';
export { llama8b, type MeasuredModel, prm7b } from './h200.ts';
export { type Gpu, h200, ridgeSequences } from './roofline.ts';
export { type MeasuredPoints, tableCost } from './table.ts';
