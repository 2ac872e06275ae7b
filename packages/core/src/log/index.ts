// Exports of this folder to other packages, as `@coppice/core/log`. A list only.

export { JudgeAudits, judgeSentence } from './agreement.ts';
export { describeEvent, describeExit, endings, reasonFigures, reasonSentence } from './describe.ts';
export { type Answer, type Cost, type Evidence, type Exit, type ExitKind, exitKinds, type WriterCost } from './end.ts';
export { eventsIn, hasEvent, type LogEntry, type LogFormats, logFormats } from './entry.ts';
export type { LoggedEvent, SearchEvent } from './events.ts';
export { SearchFold } from './fold.ts';
export { GrowthMeter, type GrowthTotals, goodput } from './growth-meter.ts';
export { addGuesses, type Guesses, sumOfGuesses } from './guesses.ts';
export { Replay } from './replay.ts';
export {
  confidentFrom,
  isDoubtful,
  type Judged,
  roundedScore,
  shortScore,
  shownScore,
  type Verdict,
  verdictOf,
  verdicts,
  verdictText,
  writtenVerdict,
} from './verdict.ts';
