// What other packages may import of this folder, as `@coppice/sim/open`. A list only.

export { servedProfile } from './simulated.ts';
export { RealTimeWorld } from './simulated-real-time.ts';
