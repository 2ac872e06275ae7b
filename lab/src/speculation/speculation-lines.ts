// What p3.ts says of a row: of one search at a time at each speculative width, and of several at a time.

import type { Guesses } from '@coppice/core/log';
import type { RowName } from '../service/index.ts';

/** The speculative width with which company is tried. */
export const widthInCompany = 4;

export interface SpeculationLine {
  readonly row: RowName;
  readonly speculate: number;
  readonly p50Ms: number;
  /** Times of the same questions without speculation over these: of the medians, and the geometric mean over questions. */
  readonly medianGain: number;
  readonly meanGain: number;
  readonly tokens: number;
  /** In percent. */
  readonly waste: number;
  readonly byDistance: readonly Guesses[];
  readonly byDepth: readonly Guesses[];
  /** Questions whose outcome differs from the one without. */
  readonly different: number;
}

/** Several searches at a time (the batch size of P3's figure 10): how many are done in a minute, with speculation and without. */
export interface CompanyLine {
  readonly row: RowName;
  readonly together: number;
  readonly perMinute: number;
  readonly perMinuteWithout: number;
  /** In percent. */
  readonly waste: number;
}
