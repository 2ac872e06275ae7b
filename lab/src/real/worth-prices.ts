// Right answers and tokens at each price, in waves as they ship, with and without a judge, and the price that loses half a point.

import { mean, Random } from '@coppice/core/base';
import { percentage } from './percentage.ts';
import { shippedWaves, sizedWaves } from './worth-course.ts';
import { type CostAndRight, curvesOf, tokensOf, usualOf } from './worth-curves.ts';
import type { JudgeReplay } from './worth-judges.ts';
import { allArms, autoArm, replayArms } from './worth-replay.ts';

const prices = Array.from({ length: 33 }, (_, at) => 2e-3 * 0.8 ** at);
const allowedLoss = 0.005;

export interface PriceTable {
  /** Right answers of a plain vote of all samples. */
  readonly vote: number;
  readonly prices: readonly number[];
  readonly arms: readonly {
    readonly name: string;
    /** At each price. */
    readonly curve: readonly CostAndRight[];
    readonly waves: readonly number[];
    /** Tokens of both models a question, whatever reading costs. */
    readonly both: readonly number[];
    /** The dearest price whose right answers are those of the plain vote less half a point; 0 where none is. */
    readonly halfPoint: number;
  }[];
}

export function priceTable(replay: Omit<JudgeReplay, 'cost'>, trust: number, costs: readonly number[]): PriceTable {
  const { questions, most, orders, seed } = replay;
  const usual = usualOf(questions);
  const [vote] = allArms(most, { trust, cost: 0 }, usual);
  const waves = shippedWaves(usual);
  const judged = costs.map((cost) => ({
    cost,
    arm: autoArm(`judge at ${Number(cost.toFixed(2))}`, { trust, cost, waves }, prices),
  }));
  const arms = [
    autoArm('no judge', { trust: undefined, cost: 0, waves }, prices),
    autoArm('no judge, looks within', { trust: undefined, cost: 0, waves: sizedWaves(2, 0.5, 'within') }, prices),
    ...judged.map(({ arm }) => arm),
  ];
  const replayed = replayArms(questions, [vote!, ...arms], orders, (at) => new Random('orders', seed, at));
  const { curves } = curvesOf(tokensOf(questions), most, replayed, [], new Random(seed), 0);
  const right = curves[0]!.at(-1)![1];
  const rows = arms.map((arm, at) => {
    const curve = curves[at + 1]!;
    const { levels } = replayed[at + 1]!;
    const waves = levels.map((level) => mean([...level.waves]));
    const { cost = 0 } = judged.find((each) => each.arm === arm) ?? {};
    const both = levels.map(({ spent, read }) => mean([...spent]) + (1 - cost) * mean([...read]));
    return { name: arm.name, curve, waves, both, halfPoint: priceOf(curve, right - allowedLoss) };
  });
  return { vote: right, prices, arms: rows };
}

/** Between two prices in proportion to their logarithms. */
function priceOf(curve: readonly CostAndRight[], right: number): number {
  const above = curve.findIndex(([, each]) => each >= right);
  if (above <= 0) return above < 0 ? 0 : prices[0]!;
  const [[, from], [, to]] = [curve[above - 1]!, curve[above]!];
  return prices[above - 1]! * (prices[above]! / prices[above - 1]!) ** ((right - from) / (to - from));
}

export function priceLines({ vote, arms }: PriceTable, every = 2): string[] {
  return [
    `a plain vote of all samples: ${percentage(vote)}; half a point less at a price of ${arms.map(({ name, halfPoint }) => `${halfPoint.toExponential(2)} (${name})`).join(', ')}`,
    `${'price'.padEnd(10)}${arms.map(({ name }) => `${name}: right, samples’ tokens, waves, tokens of both`.padEnd(64)).join('')}`,
    ...prices.flatMap((price, at) => {
      if (at % every > 0) return [];
      const cells = arms.map(({ curve, waves, both }) => {
        const [cost, right] = curve[at]!;
        return `${percentage(right)}  ${cost.toFixed(2).padStart(5)}  ${waves[at]!.toFixed(1)}  ${both[at]!.toFixed(0)}`.padEnd(
          64,
        );
      });
      return [`${price.toExponential(2).padEnd(10)}${cells.join('')}`];
    }),
  ];
}
