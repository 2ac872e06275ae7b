// The models for drafting (../experiments/p2.ts): a 70B target with a small draft model, an 8B target, the models that ship, and P2's way of one
// branch at a time. Gives the time of each one's decodes, and the numbers of sequences and chances of acceptance to run.

import { curve, decodeMs, tableCost, valueAt } from '@coppice/core/cost';
import { draftDefaults } from '@coppice/llama/draft';
import { llama8b } from '@coppice/sim/engine';
import { h200, type ModelShape, rooflineCost } from '../sim/roofline.ts';
import type { DraftingCosts, DraftingSetup } from './virtual-drafting.ts';

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
const seedCosts: DraftingCosts = {
  name: '7B, 68M drafts (P2)',
  targetMs: () => 1000 / 42.3,
  draftMs: () => 0.15 * (1000 / 42.3),
};

export const draftingPlaces = {
  seventy: gpuCosts('70B, 1B drafts (H200, roofline)', rooflineCost(h200, llama70b)),
  eight: gpuCosts('8B, 1B drafts (H200, measured)', tableCost(llama8b)),
  shipped: {
    name: 'sapling, sapling-draft (one CPU core)',
    targetMs: (rows) => valueAt(saplingRows, rows),
    draftMs: (sequences) => valueAt(saplingDraftRows, sequences),
  },
  seed: seedCosts,
} as const satisfies Record<string, DraftingCosts>;
type DraftingPlace = keyof typeof draftingPlaces;

/** What the shipped draft model reaches on countdown (decision 42). */
const shippedAcceptance = 0.98;
export const acceptances = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, shippedAcceptance] as const;
/** The shipped models were measured up to 80 rows. */
const sequenceCounts: Readonly<Record<Exclude<DraftingPlace, 'seed'>, readonly number[]>> = {
  seventy: [1, 4, 16, 64],
  eight: [1, 4, 16, 64],
  shipped: [1, 4, 8, 16],
};
const tokens = 240;

/** A way of drafting at a place, and its baseline. */
export interface DraftingCell {
  readonly place: DraftingPlace;
  readonly way: string;
  readonly drafting: DraftingSetup;
  readonly without: DraftingSetup;
}

export function draftingCells(): DraftingCell[] {
  const batched = Object.entries(sequenceCounts).flatMap(([place, counts]) =>
    counts.flatMap((sequences) =>
      (['inline', 'thread'] as const).map((where) =>
        cellOf(place as DraftingPlace, where, sequences, { where }, { where: 'none' }),
      ),
    ),
  );
  // P2's target takes one branch at a time: alone, with one draft model in turns (SD), and with three that draft beside it (SEED).
  const alone = { where: 'none', serial: true } as const;
  const turns = { where: 'inline', serial: true, drafted: 3 } as const;
  const beside = { where: 'thread', oneByOne: true, drafted: 3 } as const;
  return [
    ...batched,
    cellOf('seed', 'SD: one branch, in turns', 3, turns, alone),
    cellOf('seed', 'SEED: one branch at a time, drafted beside', 3, beside, alone),
  ];
}

type DraftingWay = Partial<DraftingSetup> & Pick<DraftingSetup, 'where'>;

function cellOf(place: DraftingPlace, way: string, sequences: number, drafting: DraftingWay, without: DraftingWay) {
  const base = { sequences, tokens, drafted: draftDefaults.tokens, acceptance: 0 };
  return { place, way, drafting: { ...base, ...drafting }, without: { ...base, ...without } };
}
