// The results of policies under open arrivals: times, their ratios to the first contender's, and the simulator's prediction of both;
// then the pairs of policies that measurement and simulator order differently.

import type { LoadFigures, LoadPoint, LoadReport } from './open-load.ts';

type LatencyName = 'p50Ms' | 'p95Ms';
const figures: readonly LatencyName[] = ['p50Ms', 'p95Ms'];

/** Times nearer than this are level: no order is claimed of them. */
const level = 1.1;

export function openLoadLines({ capacity, points, unrecorded, others }: LoadReport): string[] {
  const [first] = points;
  return [
    `${first?.contender} serves ${capacity.toFixed(2)} questions a second, all there at once; ${(100 * unrecorded).toFixed(1)} % of simulated steps were stood in for; others had ${(100 * others).toFixed(0)} % of the cores`,
    '',
    '| load | contender | p50 s | times better | simulated | p95 s | times better | simulated | accuracy % | tokens |',
    '|---|---|--:|--:|--:|--:|--:|--:|--:|--:|',
    ...points.map((point) => rowOf(point, baseOf(points, point))),
    '',
    ...orderLines(points),
  ];
}

/** The first contender at the same load. */
function baseOf(points: readonly LoadPoint[], { load }: LoadPoint): LoadPoint {
  return points.find((each) => each.load === load)!;
}

function rowOf({ load, contender, measured, predicted }: LoadPoint, base: LoadPoint): string {
  const cells = figures.flatMap((name) => [
    (measured[name] / 1000).toFixed(2),
    (base.measured[name] / measured[name]).toFixed(2),
    (base.predicted[name] / predicted[name]).toFixed(2),
  ]);
  return `| ${[load, contender, ...cells, measured.accuracy.toFixed(0), measured.tokens.toFixed(0)].join(' | ')} |`;
}

/** Every pair whose order is told apart on both sides, and told otherwise. */
function orderLines(points: readonly LoadPoint[]): string[] {
  let told = 0;
  const otherwise: string[] = [];
  for (const [at, one] of points.entries()) {
    for (const other of points.slice(at + 1).filter(({ load }) => load === one.load)) {
      for (const name of figures) {
        const [real, simulated] = [
          ratio(one.measured, other.measured, name),
          ratio(one.predicted, other.predicted, name),
        ];
        if (isLevel(real) || isLevel(simulated)) continue;
        told += 1;
        if (real > 1 !== simulated > 1) otherwise.push(differenceOf(one, other, name));
      }
    }
  }
  return [
    `${told - otherwise.length} of ${told} pairs of policies that differ by more than a tenth, measured and simulated, are in the same order`,
    ...otherwise,
  ];
}

function ratio(one: LoadFigures, other: LoadFigures, name: LatencyName): number {
  return one[name] / other[name];
}

function isLevel(value: number): boolean {
  return value < level && value > 1 / level;
}

function differenceOf(one: LoadPoint, other: LoadPoint, name: LatencyName): string {
  const seconds = ({ measured, predicted }: LoadPoint) =>
    `${(measured[name] / 1000).toFixed(2)} s (simulated ${(predicted[name] / 1000).toFixed(2)})`;
  return `${one.load}, ${name.slice(0, 3)}: ${one.contender} ${seconds(one)}, ${other.contender} ${seconds(other)}`;
}
