// Exports of this folder to the other folders of the lab. A list only.

export {
  allRows,
  contenderOf,
  type RowName,
  rows,
  type SimulatedSearch,
  searchOf,
  type TurnedWish,
  turnedKnob,
} from './contenders.ts';
export { type Load, parseLoad } from './load.ts';
export { type Latencies, latenciesOf, warmUpShare, type Yield, yieldOf } from './measures.ts';
export { modelConfig, profileOf, type SettingName, searchDefaults, settingNames } from './profiles.ts';
export { questionsOf, readTrees, type SimulatedQuestions } from './questions.ts';
export { drawnPaths, type RecordedTree, type TreesHeader, treesFormat, treesVersion } from './recorded-trees.ts';
export {
  type Arrivals,
  arrivalTimesMs,
  outcomeOf,
  questionRequest,
  type Served,
  servedOf,
  tookMs,
} from './service.ts';
export { ownTraceHead, type TracedRequest } from './trace/formats.ts';
export { perSecondOf, readRequestTrace } from './trace/request-trace.ts';
export type { TraceUse } from './trace/trace-stream.ts';
export { fitsInto, traceStreamOf } from './trace/traced-questions.ts';
