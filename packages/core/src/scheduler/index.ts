// Exports of this folder to other packages, as `@coppice/core/scheduler`. A list only.

export type { preemptAsNeeded } from './preemption.ts';
export type { Scheduler } from './scheduler.ts';
export { naturalSeats } from './seat.ts';
export { tooLate } from './turns/forecast.ts';
export type { LineFacts, LineKey } from './turns/weighted-fair-queueing.ts';
export {
  defineWidths,
  isDoubted,
  proximity,
  seniority,
  sharedWidths,
  shareWidths,
  sumOf,
  type WidthRule,
} from './widths.ts';
