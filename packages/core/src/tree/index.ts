// Exports of this folder to other packages, as `@coppice/core/tree`. A list only.

export { absenceText } from './absences.ts';
export { type Aggregation, aggregations, extendScore, isBound } from './aggregate.ts';
export {
  type Ghost,
  isFold,
  type Learned,
  type NodeId,
  type ProbeReply,
  plantedEvent,
  type ScoreSums,
  type StrandId,
} from './events.ts';
export { byKey, formKey, type NodeKey, nodeKey, rootKey } from './keys.ts';
export {
  answerPart,
  answerText,
  hasEnded,
  isComplete,
  isExpanding,
  isPathEnd,
  lastMessage,
  mayGrow,
  meanValue,
  type Node,
  pathText,
  pathTo,
  saysSomething,
} from './node.ts';
export { agentTurn, turnIn } from './readings/agent-turn.ts';
export { auditSamples } from './readings/audit.ts';
export { auditBranches, scoreOf } from './readings/branching.ts';
export {
  agreeing,
  type Belief,
  type Certainty,
  type Conclusion,
  levelVotes,
  type PathVote,
  sampleEnds,
  treeBelief,
} from './readings/certaindex.ts';
export { distinctAnswers } from './readings/distinct-answers.ts';
export { namedSteps } from './readings/named-steps.ts';
export { type ThinkingTags, thinkingSwitch, thoughtText, usualTags } from './readings/thinking.ts';
export { completionTokens, stepTokens } from './readings/token-record.ts';
export {
  expectedNeed,
  firstWaveOf,
  isSplit,
  nextWave,
  weightOf,
  worthConstants,
  worthOf,
} from './readings/worth.ts';
export { writtenCalls } from './readings/written-calls.ts';
export {
  greedySampling,
  type Manner,
  type Message,
  type Prompt,
  type Sampling,
  type Step,
  type StepEnd,
  type TurnFields,
} from './step.ts';
export type { ProbeDraw, Strand } from './strand.ts';
export { Tree } from './tree.ts';
