// Exports of this folder to other packages, as `@coppice/core/base`. A list only.

export { Counter, evenly, mean, meanOrZero, median, type OddsLine } from './arithmetic.ts';
export { assert } from './assert.ts';
export { type Clock, every, liveTimers, type Timers, VirtualClock } from './clock.ts';
export { type Fault, type FaultCode, FaultError, fault, isFault, raise } from './fault.ts';
export { Heap } from './heap.ts';
export {
  complaint,
  defaultsOf,
  type Knob,
  type Knobs,
  type KnobValue,
  type OptionsOf,
  shown,
  type ValueOf,
  valueOfText,
} from './knob.ts';
export { hash, Random, wideHash } from './random.ts';
export { isRecord, jsonOrText } from './record.ts';
export { nextSlice } from './slices.ts';
export { nearest } from './unknown-names.ts';
