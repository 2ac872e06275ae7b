// Tests whether the widths of `safe` follow the machine: on three machines (../policies/width-places.ts) it is compared with `boost` and with
// itself under every fixed elasticity, its former rule. For each load the best of these at the median and the best at p95 count, even if
// they differ. Above 1 is better.

import type { LabExperiment, TrialSource } from '../experiment/experiment.ts';
import { listed } from '../experiment/plan.ts';
import { type TableColumn, tableOf } from '../experiment/table.ts';
import { type WidthPlaceName, widthPlaceNames, widthPlaces } from '../policies/width-places.ts';
import { latenciesOf, type RowName, warmUpShare, yieldOf } from '../service/index.ts';
import { capacityIn } from '../sim/comparison.ts';
import { contenderOf } from '../sim/contenders.ts';
import type { TrialResult, TrialSpec } from '../sim/trial.ts';
import { estimateRatio, percentile } from '../statistics.ts';

const challenger: RowName = 'safe';
const fixed = [0, 0.25, 0.5, 1].map((elasticity) => `safe:elasticity=${elasticity}`);

interface WidthCell {
  readonly place: WidthPlaceName;
  readonly seed: number;
  readonly factor: number;
  readonly requests: number;
  readonly row: RowName;
  /** In the place of simulated questions, on the embedded engine. */
  readonly trees?: string;
}

interface WidthFigures {
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly tokens: number;
  readonly accuracy: number;
}

interface WidthLine {
  readonly place: WidthPlaceName;
  readonly load: string;
  readonly row: RowName;
  readonly p50: number;
  readonly p95: number;
  readonly p50Seconds: number;
  readonly p95Seconds: number;
  readonly tokens: number;
  readonly accuracy: number;
}

export const width: LabExperiment<WidthCell, WidthFigures> = {
  name: 'width',
  about: 'widths of safe against boost and against every fixed elasticity, on three machines',
  page: 'policies-measured.md',
  takes: '15 minutes',
  published: ['--seed 11 --seeds 2'],
  preset: { rows: ['boost', ...fixed, challenger], seeds: [801], loads: listed(['0.5p', '1p', '2p']), requests: 240 },
  flags: ['seed', 'seeds', 'requests', 'load', 'policy', 'trees'],
  cells: ({ seeds, loads, requests, rows, trees }) => {
    const places = trees === undefined ? widthPlaceNames : (['embedded'] as const);
    const common = { requests, ...(trees === undefined ? {} : { trees }) };
    return places.flatMap((place) =>
      seeds.flatMap((seed) =>
        loads.flatMap(({ factor }) => rows.map((row) => ({ place, seed, factor, row, ...common }))),
      ),
    );
  },
  measure: figuresOf,
  report: (found, { seeds, requests, trees }) => {
    const lines = linesFrom(found);
    const asked = trees === undefined ? 'simulated questions (math500/8b)' : `trees of ${trees}`;
    return {
      head: [
        `Simulated: ${asked}, ${requests} requests a run, the first ${100 * warmUpShare} % left out of latencies; seeds ${seeds.join(', ')},`,
        'each with its own questions and arrivals. Loads are multiples of what positive sustains there. Times are geometric means over seeds;',
        'ratios are over the best of the rows but the last: above 1 is better.',
        ...widthPlaceNames.map((name) => `${name}: ${widthPlaces[name].about}.`),
      ].join('\n'),
      body: [tableOf(columns, lines)],
      data: { lines },
    };
  },
};

async function figuresOf(cell: WidthCell, trials: TrialSource): Promise<WidthFigures> {
  const { trees, place, seed, requests } = cell;
  const spec = { ...widthPlaces[place].spec, seed, requests, ...(trees === undefined ? {} : { trees }) };
  const of = (row: RowName, arrivals: TrialSpec['arrivals']) => ({ ...spec, contender: contenderOf(row), arrivals });
  const capacity = capacityIn(await trials.once(of('positive', { kind: 'backlog' })));
  const run = await trials.run(of(cell.row, { kind: 'rate', perSecond: cell.factor * capacity }));
  const { tokens, accuracy } = yieldOf(run);
  return { p50Ms: latenciesOf(run).p50Ms, p95Ms: p95Of(run), tokens, accuracy };
}

function p95Of({ served }: TrialResult): number {
  const warm = served.slice(Math.floor(warmUpShare * served.length));
  return percentile(
    warm.map(({ arrivalMs, endedMs }) => endedMs - arrivalMs),
    95,
  );
}

function linesFrom(found: readonly { readonly cell: WidthCell; readonly result: WidthFigures }[]): WidthLine[] {
  const spots = Map.groupBy(found, ({ cell: { place, factor } }) => `${place} ${factor}`);
  return [...spots.values()].flatMap((spot) => {
    const rows = [...Map.groupBy(spot, ({ cell }) => cell.row)].map(([row, own]) => {
      const over = (read: (figures: WidthFigures) => number) =>
        estimateRatio([own.map(({ result }) => read(result))]).value;
      const { place, factor } = own[0]!.cell;
      const seconds = { p50Seconds: over(({ p50Ms }) => p50Ms) / 1000, p95Seconds: over(({ p95Ms }) => p95Ms) / 1000 };
      const gained = { tokens: over(({ tokens }) => tokens), accuracy: over(({ accuracy }) => accuracy) };
      return { place, load: `${factor}p`, row, ...seconds, ...gained };
    });
    const rivals = rows.filter(({ row }) => row !== challenger);
    const best = (read: (row: (typeof rows)[number]) => number) => Math.min(...rivals.map(read));
    const [p50, p95] = [best(({ p50Seconds }) => p50Seconds), best(({ p95Seconds }) => p95Seconds)];
    return rows.map((each) => ({ ...each, p50: p50 / each.p50Seconds, p95: p95 / each.p95Seconds }));
  });
}

const columns: readonly TableColumn<WidthLine>[] = [
  { heading: 'machine', left: true, of: ({ place }) => place },
  { heading: 'load', left: true, of: ({ load }) => load },
  { heading: 'row', left: true, of: ({ row }) => row },
  { heading: 'p50 s', of: ({ p50Seconds }) => p50Seconds.toFixed(2) },
  { heading: 'p95 s', of: ({ p95Seconds }) => p95Seconds.toFixed(2) },
  { heading: 'p50 over the best', of: ({ p50 }) => p50.toFixed(2) },
  { heading: 'p95 over the best', of: ({ p95 }) => p95.toFixed(2) },
  { heading: 'tokens', of: ({ tokens }) => tokens.toFixed(0) },
  { heading: 'acc %', of: ({ accuracy }) => accuracy.toFixed(1) },
];
