// `@coppice/sim/open`: the names that other packages may import. A list only.

export { servedProfile } from './simulated.ts';
export { RealTimeWorld } from './simulated-real-time.ts';
