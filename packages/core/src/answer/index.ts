// Exports of this folder to other packages, as `@coppice/core/answer`. A list only.

export { readingFor } from './asked.ts';
export { canonical, sameAnswer } from './canonical.ts';
export {
  confidenceBy,
  confidenceOf,
  featuresOf,
  fitConfidence,
  type LabelledStop,
  type VotedStanding,
} from './confidence.ts';
export { AnswerTally } from './entropy.ts';
export { extractAnswer, lastNumber } from './extract.ts';
export { falseEquation } from './formula/equations.ts';
export { evaluate } from './formula/expression.ts';
export { valueKey } from './formula/value.ts';
export { groupAnswers, meaningOf } from './groups.ts';
export { checkLine, type LineCheck, type Rightness, type Task, taskOf, type WrongReason } from './task.ts';
export { offeredTools, turnMeaning } from './turns.ts';
