// The library: the names below are kept by semantic versioning, everything else may change at any time. A list only; nothing is
// defined here.

// Plain data that the contracts below speak of.
export { type Fault, FaultError, fault } from '../base/fault.ts';
export type { Knob, Knobs } from '../base/knob.ts';
export type { PartInput, PartOptions, PlugIn } from '../base/part.ts';
// The contracts of engines and verifiers.
export type {
  Engine,
  EngineCapabilities,
  EngineLoad,
  EngineMessage,
  GenerateRequest,
  GenerationUsage,
  RequestId,
} from '../engine/engine.ts';
// Rules that end a search, or one of its strands.
export {
  defineExit,
  definePrune,
  type ExitPart,
  type ExitRule,
  type Judge,
  type PrunePart,
  type PruneRule,
  type SearchView,
} from '../exit/exit.ts';
export type { Answer, Cost, Evidence, Exit, ExitKind } from '../log/end.ts';
export { eventsIn, type LogEntry } from '../log/entry.ts';
export type { LoggedEvent, SearchEvent } from '../log/events.ts';
export { SearchFold } from '../log/fold.ts';
export type { Verdict } from '../log/verdict.ts';
// Policies: when a search ends and how the budget is shared.
export { createPolicy, createRules, createScheduler } from '../policy/create.ts';
export { definePolicy } from '../policy/define-policy.ts';
export type { PolicyDefinition, PolicyInput } from '../policy/definition.ts';
export type { PolicyOptions } from '../policy/knobs.ts';
export { type PolicyName, policyNames } from '../policy/policies.ts';
export type { Policy, Rules } from '../policy/policy.ts';
// Programs: those there are, and what one's own is made of.
export { type Choice, chosenAnswer } from '../program/choice.ts';
export { defineProgram, type ProgramDefinition, type ProgramSize } from '../program/definition.ts';
export {
  askBelow,
  foldOutcome,
  follow,
  freeIndex,
  freeIndices,
  missingIndices,
  openAt,
  readyStrand,
} from '../program/growth.ts';
export type { Ask, Doomed, Expansion, GrowthLimits, Outcome, Program } from '../program/program.ts';
export { createProgram, type ProgramName, programNames } from '../program/registry/programs.ts';
export { endThinking, isInThought, type ProgramThinking } from '../program/thinking-moves.ts';

// The runtime, for programs that drive it themselves.
export { LiveLoop, systemClock } from '../runtime/live.ts';
export type { RuntimeOptions, Token } from '../runtime/parts/options.ts';
export { Runtime } from '../runtime/runtime.ts';
export type { SearchRequest, SearchResult } from '../runtime/search/request.ts';
// Shares of the budget between searches.
export type { RunningSearch, Scheduler, Snapshot } from '../scheduler/scheduler.ts';
export type { Seat } from '../scheduler/seat.ts';
export { defineOrder, type OrderPart, type OrderRule, type QueueStanding } from '../scheduler/turns/order.ts';
export { defineWidths, type Targets, type WidthRule, type WidthsPart } from '../scheduler/widths.ts';
export type { Aggregation } from '../tree/aggregate.ts';
export { answerText, type Node, pathText, pathTo } from '../tree/node.ts';
export { turnIn } from '../tree/readings/agent-turn.ts';
export type { Certainty, PathVote } from '../tree/readings/certaindex.ts';
export type { Manner, Message, Prompt, Sampling, Step } from '../tree/step.ts';
export type { Strand } from '../tree/strand.ts';
export type { Tree } from '../tree/tree.ts';
export { type CommandOptions, CommandVerifier } from '../verifier/command/command-verifier.ts';
export { defineVerifier, type ScoreText, type VerifierPart } from '../verifier/definition.ts';
export type { ScoreStep } from '../verifier/judging-verifier.ts';
export type {
  Judgement,
  ScoreRequest,
  ScoreUsage,
  Verifier,
  VerifierCapabilities,
  VerifierLoad,
  VerifierMessage,
} from '../verifier/verifier.ts';
export {
  type ModelParts,
  type ModelPolicy,
  type ModelSettings,
  makeModel,
  type NamedSettings,
  openModel,
} from './open-search-model.ts';
export { type FoundAnswer, type SearchOptions, search } from './search.ts';
export { type EventListener, SearchModel } from './search-model.ts';
export type { SpeculativeCall } from './speculative-calls.ts';
