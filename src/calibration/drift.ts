// Whether live searches are still like those that a calibration was made from: the share that its rule ends, and the tokens
// that they take, over the last so many, in standard errors from what was found then. Both samples are small, so both count.
// A setting that drifts may still be good, but no measurement says so. Rewards that are not like those then are another matter: what was
// chosen by them is refused. Holds counts, and no clock.

import { meanOrZero } from '../base/arithmetic.ts';
import type { CalibrationSection } from './calibration-file.ts';
import { momentsOf, type RewardsSeen } from './rewards-seen.ts';

/** The last searches that are compared. */
const window = 200;
/** Fewer say nothing. */
const fewest = 40;
/** Read after every search, two errors would be passed all the time; four hardly ever. */
const limit = 4;

export interface DriftReading {
  readonly searches: number;
  readonly firedShare: number;
  readonly expectedShare: number;
  readonly tokens: number;
  readonly expectedTokens: number;
  /** The larger of the two distances, in standard errors; 0 while there are too few searches. */
  readonly errors: number;
  /** There are enough searches to say something. */
  readonly enough: boolean;
  readonly drifted: boolean;
  /** Distance of the rewards from those of the calibration, in standard errors; 0 where it has none, or too few searches had. */
  readonly rewardErrors: number;
  /** They are not like those: the section is to be refused. */
  readonly strange: boolean;
}

interface CalibratedEnd {
  readonly fired: boolean;
  readonly tokens: number;
  readonly rewards?: RewardsSeen | undefined;
}

export class DriftMeter {
  readonly #expected: CalibrationSection['expected'];
  readonly #last: CalibratedEnd[] = [];

  constructor({ expected }: Pick<CalibrationSection, 'expected'>) {
    this.#expected = expected;
  }

  ended(search: CalibratedEnd): void {
    this.#last.push(search);
    if (this.#last.length > window) this.#last.shift();
  }

  get reading(): DriftReading {
    const { firedShare: expectedShare, tokens: expectedTokens } = this.#expected;
    const searches = this.#last.length;
    const firedShare = meanOrZero(this.#last.map(({ fired }) => (fired ? 1 : 0)));
    const tokens = meanOrZero(this.#last.map((each) => each.tokens));
    const enough = searches >= fewest;
    const errors = !enough ? 0 : Math.max(this.#shareErrors(firedShare), this.#tokenErrors(tokens));
    const rewardErrors = this.#rewardErrors();
    const drifted = errors > limit;
    const found = { searches, firedShare, expectedShare, tokens, expectedTokens, errors, enough, drifted };
    return { ...found, rewardErrors, strange: rewardErrors > limit };
  }

  /** Of two shares, by what they have in common; half a search more of each kind, so that a share of 0 has an error too. */
  #shareErrors(share: number): number {
    const { searches, firedShare } = this.#expected;
    const now = this.#last.length;
    const common = (share * now + firedShare * searches + 0.5) / (now + searches + 1);
    return Math.abs(share - firedShare) / Math.sqrt(common * (1 - common) * (1 / now + 1 / searches));
  }

  /** The larger of the two. Both samples have a spread of their own: rewards of another world often differ in that too. */
  #rewardErrors(): number {
    const { rewards, searches } = this.#expected;
    const seen = this.#last.flatMap((each) => each.rewards ?? []);
    if (rewards === undefined || seen.length < fewest) return 0;
    const errors = (['firstReward', 'score'] as const).map((name) => {
      const now = momentsOf(seen.map((each) => each[name]));
      const error = Math.sqrt(now.spread ** 2 / seen.length + rewards[name].spread ** 2 / searches);
      const distance = Math.abs(now.mean - rewards[name].mean);
      return error === 0 ? (distance === 0 ? 0 : Number.POSITIVE_INFINITY) : distance / error;
    });
    return Math.max(...errors);
  }

  #tokenErrors(tokens: number): number {
    const { searches, tokens: expected, tokensSpread } = this.#expected;
    const error = tokensSpread * Math.sqrt(1 / this.#last.length + 1 / searches);
    return error === 0 ? 0 : Math.abs(tokens - expected) / error;
  }
}
