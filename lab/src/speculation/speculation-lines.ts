// The lines of a p3.ts row: for one search at a time at each speculative width, and for several at a time.

import type { Guesses } from '@coppice/core/log';
import type { RowName } from '../service/index.ts';

/** The speculative width for several searches at a time. */
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

/** Several searches at a time (the batch size of P3's figure 10): searches done per minute, with and without speculation. */
export interface CompanyLine {
  readonly row: RowName;
  readonly together: number;
  readonly perMinute: number;
  readonly perMinuteWithout: number;
  /** In percent. */
  readonly waste: number;
}
