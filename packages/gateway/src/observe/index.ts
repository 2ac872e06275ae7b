// Exports of `@coppice/gateway/observe`. A list only.

export { createLog, type Log, silentLog } from './log.ts';
export { UsageMeter } from './usage.ts';
