// Exports of this folder to other packages, as `@coppice/core/program`. A list only.

export { bestAnswer, type Choice, certainAnswer, chosenAnswer, votedWords } from './choice.ts';
export { defineProgram, type ProgramDefinition, type ProgramSize, usualSize } from './definition.ts';
export {
  askBelow,
  askProbe,
  complete,
  foldOutcome,
  follow,
  followLanded,
  freeIndex,
  freeIndices,
  isTaken,
  missingIndices,
  openAt,
  readyStrand,
} from './growth.ts';
export { createMcts, mctsDefaults } from './mcts/mcts.ts';
export type { Play } from './mcts/play.ts';
export { type MctsOptions, playMcts } from './mcts/rollouts.ts';
export type {
  Ask,
  Doomed,
  Expansion,
  GrowthLimits,
  OpenLevel,
  Outcome,
  PathLimits,
  Program,
  StepReading,
} from './program.ts';
export { type ProgramName, programKnobs, programNames, programOf, programs, programWith } from './registry/programs.ts';
export { endThinking, isInThought, type ProgramThinking } from './thinking-moves.ts';
export { answersOf, createPanel, landedOf, panel, shownAttempts, votesOf } from './whole-answers/panel.ts';
export {
  answerTokensKnob,
  hasWriter,
  type WritingOptions,
  writingDefaults,
  writingKnobs,
  writingOf,
  writtenBy,
} from './whole-answers/writing.ts';
