// What other packages may import of this folder, as `@coppice/core/runtime`. A list only.

export { type WorkEstimates, WorkMeter, workKind } from './budget/work-meter.ts';
export { LiveLoop, systemClock } from './live.ts';
export type { CancelReason } from './parts/inbox.ts';
export type { Token } from './parts/options.ts';
export type { Forecast } from './queue/queue.ts';
export { Runtime } from './runtime.ts';
export { logPassed } from './search/passed-log.ts';
export type { SearchRequest, SearchResult, Session } from './search/request.ts';
