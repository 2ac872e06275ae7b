// `coppice/bench`: the names that other packages may import. A list only.

export { runBlock } from './contest/block.ts';
export { contendersOf } from './contest/contenders.ts';
export { contestRequest, schedulerOf, trialOf } from './contest/contest.ts';
export { EngineProbe } from './engine-probe.ts';
export { tableLines } from './text-table.ts';
