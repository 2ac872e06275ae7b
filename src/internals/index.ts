// What `import … from 'coppice/internals'` gives: what the lab needs beyond `coppice`. Outside semantic versioning: any of it may change or
// go in any release, without a word in the changelog. A list only; nothing is defined here, and nothing in src/ imports it.

import '../cli/plugins/plugins.ts';

export { readingFor } from '../answer/asked.ts';
export { canonical } from '../answer/canonical.ts';
export { extractAnswer as extractWritten } from '../answer/extract.ts';
export { groupAnswers } from '../answer/groups.ts';
export {
  type Embedded,
  type MemoryShare,
  measuredRound,
  measuredSplit,
  openEmbedded,
} from '../answering/models/embedded.ts';
export { embeddedModel } from '../answering/models/embedded-model.ts';
export { ownModel } from '../answering/models/model-by-name.ts';
export { closeModel, type OpenModel } from '../answering/models/open-model.ts';
export { openModel } from '../answering/models/open-models.ts';
export { ownPlan } from '../answering/models/own-plan.ts';
export { servedProfile } from '../answering/models/simulated.ts';
export { RealTimeWorld } from '../answering/models/simulated-real-time.ts';
export { makePlan } from '../answering/plan/plan.ts';
export type { PlannedModel, SearchPlan, Wish } from '../answering/plan/search-plan.ts';
export { type BuiltSearch, buildSearch, requestOf } from '../answering/plan/search-request.ts';
export { isRight } from '../answering/question.ts';
export type { GoldQuestion } from '../answering/question-file.ts';
export { readQuestions } from '../answering/question-file.ts';
export { runSearch } from '../answering/search-run.ts';
export { mean, meanOrZero, median, percentile } from '../base/arithmetic.ts';
export { assert } from '../base/assert.ts';
export { VirtualClock } from '../base/clock.ts';
export { raise } from '../base/fault.ts';
export { Heap } from '../base/heap.ts';
export { defaultsOf, type OptionsOf } from '../base/knob.ts';
export { hash, Random } from '../base/random.ts';
export type { Timers } from '../base/timers.ts';
export { runBlock } from '../bench/contest/block.ts';
export { contendersOf } from '../bench/contest/contenders.ts';
export {
  type Contender,
  type Contest,
  type ContestJob,
  contestRequest,
  schedulerOf,
  type Trial,
  trialOf,
} from '../bench/contest/contest.ts';
export { EngineProbe, type ProbeRequest } from '../bench/engine-probe.ts';
export { fillerPrompt, tokensPerWord } from '../bench/rehearse/filler.ts';
export {
  allRows,
  contenderOf,
  type PolicyContender,
  type RowName,
  rows,
  type SimulatedSearch,
  type SimulatedSize,
  searchOf,
  type TurnedWish,
  turnedKnob,
} from '../bench/simulated/contenders.ts';
export { type Load, parseLoad } from '../bench/simulated/load.ts';
export { type Latencies, latenciesOf, warmUpShare, type Yield, yieldOf } from '../bench/simulated/measures.ts';
export { modelConfig, profileOf, type SettingName, searchDefaults, settingNames } from '../bench/simulated/profiles.ts';
export { questionsOf, readTrees, type SimulatedQuestions } from '../bench/simulated/questions.ts';
export {
  type Arrivals,
  arrivalTimesMs,
  outcomeOf,
  questionRequest,
  type Served,
  type ServedEnd,
  saturatedRate,
  servedOf,
  tookMs,
} from '../bench/simulated/service.ts';
export { ownTraceHead, type TracedRequest } from '../bench/simulated/trace/formats.ts';
export { readRequestTrace } from '../bench/simulated/trace/request-trace.ts';
export type { TraceUse } from '../bench/simulated/trace/trace-stream.ts';
export { traceStreamOf } from '../bench/simulated/trace/traced-questions.ts';
export { meanDifference } from '../bench/statistics.ts';
export {
  configurationLine,
  configurationOf,
  help as benchHelp,
  readBench,
  withVerifier,
} from '../cli/commands/bench/bench-options.ts';
export { namedOf } from '../cli/commands/doctor/doctor-options.ts';
export { exampleServer, type Flags, type Help, helpAsked, helpFlag } from '../cli/flags/help.ts';
export { keyOf, modelFlags, readModelFlags, serverFlags } from '../cli/flags/model-flags.ts';
export { flagOf, given, oneOf, readArguments, whole } from '../cli/flags/options.ts';
export { chooseQuestions } from '../cli/flags/question-flags.ts';
export { settingHelp } from '../cli/flags/setting-help.ts';
export { readSearchArguments, readSettings, type SettingScope, setFlag } from '../cli/flags/settings.ts';
export { type ClusterOptions, PostgresCluster } from '../cluster/cluster.ts';
export { serverName } from '../cluster/server-name.ts';
export { checkConfig, overlay } from '../config/load.ts';
export { budgetKnob } from '../config/machine-knobs.ts';
export type { Config } from '../config/schema.ts';
export { modelKnobs, requestKnobs, samplingKnobs } from '../config/vocabulary.ts';
export { type CostModel, decodeMs, type ModelShape, prefillMs } from '../cost/cost.ts';
export { type Curve, curve, valueAt } from '../cost/curve.ts';
export { llama8b, type MeasuredModel, prm7b } from '../cost/h200.ts';
export { type KvSplitProblem, splitKv, timedSplit } from '../cost/kv-split.ts';
export { type Gpu, h200, ridgeSequences } from '../cost/roofline.ts';
export { evenSlowdown, type GpuUser, type SlowdownTable } from '../cost/slowdown.ts';
export { tableCost } from '../cost/table.ts';
export type { GenerateRequest as SimRequest } from '../engine/engine.ts';
export { isAnswer, type PathStep } from '../engine/engine.ts';
export { Batcher } from '../engine/llama/batch/batcher.ts';
export { Context } from '../engine/llama/batch/context.ts';
export type { Batch, Run, Sequence } from '../engine/llama/batch/run.ts';
export { Sampler, uniformOf } from '../engine/llama/batch/sampler.ts';
export { DraftDesk } from '../engine/llama/draft/draft-desk.ts';
export type { Draft, DraftJob } from '../engine/llama/draft/draft-model.ts';
export {
  type DraftLink,
  type DraftOptions,
  Drafts,
  draftDefaults,
  type ToDrafter,
} from '../engine/llama/draft/drafts.ts';
export { LlamaEngine, llamaDefaults } from '../engine/llama/llama-engine.ts';
export { type Binding, loadBinding, type Pointer } from '../engine/llama/native/binding.ts';
export { Model } from '../engine/llama/native/model.ts';
export { findLibrary } from '../engine/llama/native/platform.ts';
export { PrefixStore } from '../engine/llama/prefix-cache/prefix-store.ts';
export { modelPath, rewardModelOf } from '../engine/llama/shipped-models.ts';
export type { Call, Dialect, ServerFacts } from '../engine/remote/dialect/dialect.ts';
export { dialects } from '../engine/remote/dialect/dialects.ts';
export { probe } from '../engine/remote/dialect/probe.ts';
export { vllm } from '../engine/remote/dialect/vllm.ts';
export { openRemoteEngine } from '../engine/remote/open-engine.ts';
export { RemoteEngine } from '../engine/remote/remote-engine.ts';
export { QuestionModel } from '../engine/sim/questions/question-model.ts';
export type { DepthHabits, QuestionProfile } from '../engine/sim/questions/question-profile.ts';
export { extractAnswer } from '../engine/sim/questions/question-text.ts';
export {
  type RecordedNode,
  type RecordedTree,
  type TreesHeader,
  treesFormat,
  treesVersion,
} from '../engine/sim/recorded-trees.ts';
export { SharedGpu } from '../engine/sim/shared-gpu.ts';
export { SimEngine, type SimEngineOptions } from '../engine/sim/sim-engine.ts';
export { SimReplica } from '../engine/sim/sim-replica.ts';
export type { RewardSource, StepSource } from '../engine/sim/source.ts';
export { World } from '../engine/sim/world.ts';
export { requireBound } from '../exit/bound.ts';
export { leadNeeded } from '../exit/certain.ts';
export { concluded } from '../exit/concluded.ts';
export { readable } from '../exit/exit.ts';
export { type CertaintyRule, certainExit, certaintyKnobs } from '../exit/exits.ts';
export { doomedBy, type Pruning, pruningsOf, spentAt } from '../exit/prune/prune.ts';
export { chanceToReach, experience } from '../exit/prune/prune-outdone.ts';
export { Gateway } from '../gateway/gateway.ts';
export { ApiError } from '../gateway/http/api-error.ts';
export type { Caller } from '../gateway/http/keys.ts';
export type { Loop } from '../gateway/models/served-model.ts';
export { NodeTaker } from '../gateway/nodes/node-taker.ts';
export { silentLog } from '../gateway/observe/log.ts';
export { countUsage, UsageMeter } from '../gateway/observe/usage.ts';
export type { LiveSearch } from '../gateway/searches/live-search.ts';
export { Searches } from '../gateway/searches/searches.ts';
export type { Acceptance, AppendResult, FinishedSearch, Journal } from '../journal/journal.ts';
export type { JournalWrite } from '../journal/postgres/batch.ts';
export { connect, type DatabaseOptions } from '../journal/postgres/connection.ts';
export type { BellEars, PostgresParts } from '../journal/postgres/postgres-journal.ts';
export { PostgresJournal } from '../journal/postgres/postgres-journal.ts';
export { migrate } from '../journal/postgres/schema.ts';
export { SqliteJournal } from '../journal/sqlite/sqlite-journal.ts';
export { SearchModel } from '../library/search-model.ts';
export { GrowthMeter, type GrowthTotals, goodput } from '../log/growth-meter.ts';
export { addGuesses, type Guesses, rightShares, sumOfGuesses } from '../log/guesses.ts';
export { verdictOf } from '../log/verdict.ts';
export { createScheduler } from '../policy/create.ts';
export { policyDefinition } from '../policy/definition.ts';
export { policyKnobs } from '../policy/knobs.ts';
export { partsOf, policyOf } from '../policy/policies.ts';
export { createSelfConsistency } from '../program/best-of-n.ts';
export { bestAnswer, type Choice, certainAnswer } from '../program/choice.ts';
export { followLanded } from '../program/growth.ts';
export { createMcts } from '../program/mcts/mcts.ts';
export { createRefine } from '../program/refine/refine.ts';
export { programKnobs, programOf } from '../program/registry/programs.ts';
export { attemptsText } from '../program/whole-answers/attempts.ts';
export { createPanel, type PanelOrder, panel, shownAttempts, turnOf } from '../program/whole-answers/panel.ts';
export { answersOf, landedOf, votesOf } from '../program/whole-answers/root-answers.ts';
export { writtenBy } from '../program/whole-answers/writers.ts';
export { Connection, type ConnectionOptions } from '../remote/connection.ts';
export type { SentRequest, Transport, WireResponse } from '../remote/http-transport.ts';
export { type WorkEstimates, WorkMeter } from '../runtime/queue/work-meter.ts';
export type { Runtime } from '../runtime/runtime.ts';
export { lastWorthwhile, stretchOf } from '../scheduler/cycle.ts';
export type { preemptAsNeeded } from '../scheduler/preemption.ts';
export type { RunningSearch, Snapshot, WaitingSearch } from '../scheduler/scheduler.ts';
export { naturalSeats } from '../scheduler/seat.ts';
export { boostMoments, proximity, seniority, shareWidths, sum } from '../scheduler/widths.ts';
export type { Learned } from '../tree/events.ts';
export { plantedEvent } from '../tree/events.ts';
export { formKey, rootKey } from '../tree/keys.ts';
export { pathTo, saysSomething } from '../tree/node.ts';
export { sampleEnds, treeBelief } from '../tree/readings/certaindex.ts';
export { lowestGroup, tokenConfidence, windowFor } from '../tree/readings/confidence.ts';
export { Tree } from '../tree/tree.ts';
export { sandboxKinds } from '../verifier/command/limits.ts';
export { runnerCommand } from '../verifier/command/test-runners.ts';
export { LlamaPrm } from '../verifier/prm/llama-prm.ts';
export { renderQwen } from '../verifier/prm/qwen-scorer.ts';
export { openRemoteVerifier } from '../verifier/remote/open-verifier.ts';
export { SimVerifier, type SimVerifierOptions } from '../verifier/sim/sim-verifier.ts';
export { commandFile, sourceFolder } from './command-file.ts';
