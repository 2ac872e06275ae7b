// Exports of `@coppice/gateway/observe`. A list only.

export { createLog, type Log, silentLog } from './log.ts';
export { createTelemetry } from './traces/telemetry.ts';
export { UsageMeter } from './usage.ts';
