// What is believed of scores in groups under the mixed model of AB-MCTS-M (arXiv 2503.04412 §3, with the authors' priors): group means spread
// around a common mean, scores around the mean of their group. For given spreads all is normal and in closed form; the two spreads are
// integrated over a grid of their logarithms. So there are no chains to sample, and the same scores give the same belief. Pure.

import type { Random } from '../../base/random.ts';
import type { ScoreSums } from '../../tree/learned.ts';

/** Of the common mean; and of the spreads between and within groups, half-normal each. */
const prior = { mean: 0.5, deviation: 0.2, between: 0.2, within: 0.3 };
/**
 * Scores that repeat each other would make the spread within groups vanish: its posterior is no distribution then. Scores are not told
 * apart more finely than this.
 */
const leastWithin = 0.01;
const leastBetween = 0.002;
/** Of the priors' own deviations: what lies beyond has less than one chance in 10,000. */
const farthest = 4;
/** Of each spread. Spacings are below the width that the scores of a search give a spread, so that the sum is exact to the digits that matter. */
const points = { between: 20, within: 32 };

/** One pair of spreads, as variances. */
interface Spreads {
  readonly between: number;
  readonly within: number;
  readonly logWithin: number;
  /** Logarithm of the prior, and of the size of the cell: cells are equal steps of logarithms. */
  readonly logPrior: number;
}

interface Group {
  readonly count: number;
  readonly mean: number;
  /** Sum of squared distances from its mean. */
  readonly spread: number;
}

/** One pair after the scores: what it weighs, and what is believed of the common mean with it. */
interface Believed {
  readonly cell: Spreads;
  readonly log: number;
  readonly mean: number;
  readonly variance: number;
}

/** A normal distribution of the next score. */
type Predicted = Pick<Believed, 'mean' | 'variance'>;

export class MixedPosterior {
  readonly #groups: readonly Group[];
  readonly #cells: readonly Believed[];
  readonly #weights: readonly number[];
  readonly #sum: number;

  constructor(sums: readonly ScoreSums[]) {
    this.#groups = sums.map(groupOf);
    const seen = this.#groups.filter(({ count }) => count > 0);
    this.#cells = cells.map((cell) => believedIn(cell, seen));
    const highest = this.#cells.reduce((most, { log }) => Math.max(most, log), Number.NEGATIVE_INFINITY);
    this.#weights = this.#cells.map(({ log }) => Math.exp(log - highest));
    this.#sum = this.#weights.reduce((all, each) => all + each, 0);
  }

  /** One draw of the next score of a group, or of one that is not there yet. */
  draw(group: number | undefined, random: Random): number {
    let left = random.uniform() * this.#sum;
    const drawn = this.#weights.findIndex((weight) => {
      left -= weight;
      return left < 0;
    });
    const { mean, variance } = this.#predicted(this.#cells.at(drawn)!, group);
    return random.normal(mean, Math.sqrt(variance));
  }

  /** Mean and deviation of that draw. */
  moments(group: number | undefined): { readonly mean: number; readonly deviation: number } {
    let [mean, square] = [0, 0];
    for (const [at, weight] of this.#weights.entries()) {
      const each = this.#predicted(this.#cells[at]!, group);
      mean += (weight / this.#sum) * each.mean;
      square += (weight / this.#sum) * (each.variance + each.mean ** 2);
    }
    return { mean, deviation: Math.sqrt(square - mean ** 2) };
  }

  #predicted({ cell: { between, within }, mean, variance }: Believed, at: number | undefined): Predicted {
    const group = at === undefined ? undefined : this.#groups[at];
    if (group === undefined || group.count === 0) return { mean, variance: variance + between + within };
    // How far the group's own scores are believed, against the common mean.
    const trust = between / (between + within / group.count);
    const ofMean = (trust * within) / group.count + (1 - trust) ** 2 * variance;
    return { mean: (1 - trust) * mean + trust * group.mean, variance: ofMean + within };
  }
}

function groupOf({ count, sum, squares }: ScoreSums): Group {
  const mean = count === 0 ? 0 : sum / count;
  return { count, mean, spread: Math.max(0, squares - count * mean * mean) };
}

/** Group means are integrated out, then the common mean; constants are left off. */
function believedIn(cell: Spreads, groups: readonly Group[]): Believed {
  const { between, within, logWithin, logPrior } = cell;
  let precision = 1 / prior.deviation ** 2;
  let pull = prior.mean * precision;
  let log = logPrior;
  for (const { count, mean, spread } of groups) {
    // Variance of the group's mean score around the common mean.
    const apart = between + within / count;
    precision += 1 / apart;
    pull += mean / apart;
    log -= (count - 1) * logWithin + (spread / within + Math.log(apart) + (mean * mean) / apart) / 2;
  }
  const mean = pull / precision;
  return { cell, mean, variance: 1 / precision, log: log + (pull * mean - Math.log(precision)) / 2 };
}

/** Middles of equal steps between two logarithms. */
function steps(low: number, high: number, count: number): number[] {
  const ratio = Math.log(high / low);
  return Array.from({ length: count }, (_, at) => low * Math.exp((ratio * (at + 0.5)) / count));
}

const cells: readonly Spreads[] = steps(leastBetween, farthest * prior.between, points.between).flatMap((between) =>
  steps(leastWithin, farthest * prior.within, points.within).map((within) => {
    const halfNormal = (between / prior.between) ** 2 + (within / prior.within) ** 2;
    const logPrior = Math.log(between * within) - halfNormal / 2;
    return { between: between ** 2, within: within ** 2, logWithin: Math.log(within), logPrior };
  }),
);
