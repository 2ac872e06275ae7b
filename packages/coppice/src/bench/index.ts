// What other packages may import of this folder, as `coppice/bench`. A list only.

export { runBlock } from './contest/block.ts';
export { contendersOf } from './contest/contenders.ts';
export {
  type Contender,
  type Contest,
  type ContestJob,
  contestRequest,
  schedulerOf,
  type Trial,
  trialOf,
} from './contest/contest.ts';
export { EngineProbe, type ProbeRequest } from './engine-probe.ts';
export { fillerPrompt, tokensPerWord } from './rehearse/filler.ts';
export { meanDifference } from './statistics.ts';
