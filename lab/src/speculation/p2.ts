// In which regime drafting pays (P2), in virtual time by the embedded engine's own scheduling of drafts: a 70B target with a small
// draft model, P2's way of one branch at a time, an 8B target, and the models that ship. Speed-ups are the time without drafts
// over the time with them, for the same sequences.

import {
  curve,
  decodeMs,
  draftDefaults,
  h200,
  llama8b,
  type ModelShape,
  rooflineCost,
  tableCost,
  valueAt,
} from 'coppice/internals';
import type { Figure } from '../sim/p0-figures.ts';
import { type Chart, svgOf } from '../svg.ts';
import { type DraftingCosts, type DraftingSetup, draftingMs } from './virtual-drafting.ts';

const contextTokens = 1024;
const shared = { headDim: 128, kvHeads: 8 };
const llama70b: ModelShape = {
  name: '70B',
  layers: 80,
  hidden: 8192,
  heads: 64,
  ...shared,
  weightBytes: 141e9,
  kvBytesPerToken: 327_680,
};
const llama1b: ModelShape = {
  name: '1B',
  layers: 16,
  hidden: 2048,
  heads: 32,
  ...shared,
  weightBytes: 2.5e9,
  kvBytesPerToken: 32_768,
};

/** The rows of one sequence read the same keys and values. */
function gpuCosts(name: string, target: ReturnType<typeof rooflineCost>): DraftingCosts {
  const draft = rooflineCost(h200, llama1b);
  return {
    name,
    targetMs: (rows, sequences) => decodeMs(target, rows, sequences * contextTokens),
    draftMs: (sequences) => decodeMs(draft, sequences, sequences * contextTokens),
  };
}

// Milliseconds over rows of a decode on one core: decision 42 (`npm run bench -- draft`), the shorter of its two runs.
const saplingRows = curve([
  ...([
    [1, 0.79],
    [2, 1.25],
    [4, 1.67],
    [8, 2.42],
    [16, 4.23],
    [20, 5.1],
    [40, 10.6],
    [80, 16],
  ] as const),
]);
const saplingDraftRows = curve([
  [1, 0.19],
  [4, 0.38],
  [8, 0.55],
  [16, 0.85],
]);

/** Draft and target of P2 as far as its Table 1 says: 42 tokens a second alone; a draft's share of the target's time is not given. */
const p2Costs: DraftingCosts = {
  name: '7B, 68M drafts (P2)',
  targetMs: () => 1000 / 42.3,
  draftMs: () => 0.15 * (1000 / 42.3),
};

export const draftingPlaces = {
  seventy: gpuCosts('70B, 1B drafts (H200, roofline)', rooflineCost(h200, llama70b)),
  eight: gpuCosts('8B, 1B drafts (H200, measured)', tableCost(llama8b.points)),
  shipped: {
    name: 'sapling, sapling-draft (one CPU core)',
    targetMs: (rows) => valueAt(saplingRows, rows),
    draftMs: (sequences) => valueAt(saplingDraftRows, sequences),
  },
} as const satisfies Record<string, DraftingCosts>;
type DraftingPlace = keyof typeof draftingPlaces;

/** What the shipped draft model reaches on countdown (decision 42). */
const shippedAcceptance = 0.98;
export const acceptances = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, shippedAcceptance] as const;
/** The shipped models were measured up to 80 rows. */
const sequenceCounts: Readonly<Record<DraftingPlace, readonly number[]>> = {
  seventy: [1, 4, 16, 64],
  eight: [1, 4, 16, 64],
  shipped: [1, 4, 8, 16],
};
const tokens = 240;

export interface DraftingLine {
  readonly place: string;
  readonly way: string;
  readonly sequences: number;
  /** Speed-up for each of `acceptances`. */
  readonly gains: readonly number[];
}

export function draftingLines(): DraftingLine[] {
  const batched = Object.entries(draftingPlaces).flatMap(([place, costs]) =>
    sequenceCounts[place as DraftingPlace].flatMap((sequences) =>
      (['inline', 'thread'] as const).map((where) => lineOf(costs, where, sequences, { where }, { where: 'none' })),
    ),
  );
  return [...batched, ...p2Lines(p2Costs)];
}

/** P2's target takes one branch at a time: alone, with one draft model in turns (SD), and with three that draft beside it (SEED). */
function p2Lines(costs: DraftingCosts): DraftingLine[] {
  const alone = { where: 'none', serial: true } as const;
  return [
    lineOf(costs, 'SD: one branch, in turns', 3, { where: 'inline', serial: true, drafted: 3 }, alone),
    lineOf(
      costs,
      'SEED: one branch at a time, drafted beside',
      3,
      { where: 'thread', oneByOne: true, drafted: 3 },
      alone,
    ),
  ];
}

function lineOf(
  costs: DraftingCosts,
  way: string,
  sequences: number,
  drafting: Partial<DraftingSetup> & Pick<DraftingSetup, 'where'>,
  without: Partial<DraftingSetup> & Pick<DraftingSetup, 'where'>,
): DraftingLine {
  const base = { sequences, tokens, drafted: draftDefaults.tokens, acceptance: 0 };
  const aloneMs = draftingMs(costs, { ...base, ...without });
  const gains = acceptances.map((acceptance) => aloneMs / draftingMs(costs, { ...base, ...drafting, acceptance }));
  return { place: costs.name, way, sequences, gains };
}

export function draftingTable(lines: readonly DraftingLine[]): string {
  const head = ['target, drafts', 'drafted', 'sequences', ...acceptances.map((each) => each.toFixed(2))];
  const rows = lines.map(({ place, way, sequences, gains }) => [
    ...[place, way, String(sequences)],
    ...gains.map((gain) => gain.toFixed(2)),
  ]);
  const rule = `|---|---|--:|${acceptances.map(() => '--:|').join('')}`;
  return [`| ${head.join(' | ')} |`, rule, ...rows.map((row) => `| ${row.join(' | ')} |`)].join('\n');
}

export function draftingFigure(lines: readonly DraftingLine[]): Figure {
  // One colour for a name, whichever panel it is in.
  const names = new Set<string>();
  const colourOf = (name: string) => [...names.add(name)].indexOf(name);
  const panel = (title: string, own: readonly DraftingLine[], nameOf: (line: DraftingLine) => string) => ({
    title,
    xLabel: 'chance that a drafted token is accepted',
    yLabel: 'times as fast as without drafts',
    series: own.map((line) => {
      const points = line.gains.map((gain, at) => [acceptances[at]!, gain] as const);
      return { name: nameOf(line), colour: colourOf(nameOf(line)), points };
    }),
  });
  const batched = Object.values(draftingPlaces).map(({ name }) => {
    const own = lines.filter(({ place, way }) => place === name && way === 'inline');
    return panel(name, own, ({ sequences }) => `${sequences} sequences`);
  });
  const p2 = lines.filter(({ place }) => place === p2Costs.name);
  const chart: Chart = {
    title: 'Where drafting pays, simulated',
    note: 'By the scheduling of the embedded engine in virtual time; drafts of 4 tokens, P2: 3. The shipped pair reaches 0.98.',
    panels: [...batched, panel(p2Costs.name, p2, ({ way }) => way)],
    columns: 2,
  };
  return { name: 'p2-drafting', svg: svgOf(chart), data: lines };
}
