// How the work of one decision grows with the number of live searches: no faster than n log n.

import { Random } from '@coppice/core/base';
import { createScheduler, type RunningSearch, type Snapshot } from 'coppice';
import { type Block, type TableColumn, tableOf } from '../experiment/table.ts';
import { boostingRoom } from '../lost/algorithm-1-letter.ts';
import { countOperations } from './operations.ts';

export const liveSearches = [10, 100, 1_000, 10_000] as const;

/** Kinds of crowds of live searches, each heavy for another part of the decision. */
export const crowds = [
  'all run, half the budget free',
  'half wait, half the rest boosted',
  'all boosted, all yield',
] as const;
type Crowd = (typeof crowds)[number];

/** Who gets freed strands first; see ../lost. */
type First = 'admit' | 'boost';

export interface DecisionCount {
  readonly crowd: Crowd;
  readonly first: First;
  readonly live: number;
  readonly operations: number;
}

export function countDecisions(): DecisionCount[] {
  return crowds.flatMap((crowd) =>
    (['admit', 'boost'] as const).flatMap((first) => liveSearches.map((live) => countOne(crowd, first, live))),
  );
}

function countOne(crowd: Crowd, first: First, live: number): DecisionCount {
  const scheduler = createScheduler('boost', {}, {}, first === 'boost' ? { room: boostingRoom } : {});
  const snapshot = crowdOf(crowd, live);
  const operations = countOperations('/src/scheduler/', () => void scheduler.decide(snapshot));
  return { crowd, first, live, operations };
}

function crowdOf(crowd: Crowd, live: number): Snapshot {
  const random = new Random('crowd', live);
  const ids = Array.from({ length: live }, (_, at) => at);
  const nowMs = 1_000_000;
  switch (crowd) {
    case 'all run, half the budget free':
      return { nowMs, budget: 2 * live, waiting: [], running: ids.map((id) => anyRunning(id, 1, random)) };
    case 'half wait, half the rest boosted': {
      const waiting = ids.slice(live / 2).map((id) => anyWaiting(id, random));
      const running = ids.slice(0, live / 2).map((id) => anyRunning(id, 1 + (id % 2), random));
      return { nowMs, budget: live, waiting, running };
    }
    case 'all boosted, all yield': {
      const waiting = ids.slice(live / 2).map((id) => anyWaiting(id, random));
      const running = ids.slice(0, live / 2).map((id) => anyRunning(id, 8, random));
      return { nowMs, budget: 4 * live, waiting, running };
    }
  }
}

function anyWaiting(id: number, random: Random): Snapshot['waiting'][number] {
  return { id: `s${id}`, turn: random.integer(1000) - 60 * random.integer(3), naturalWidth: 1 };
}

function anyRunning(id: number, openStrands: number, random: Random): RunningSearch {
  const demand = openStrands + random.integer(16);
  const seen = { observations: random.integer(8), progress: random.uniform() };
  const known = { id: `s${id}`, arrivalMs: random.integer(1_000_000), naturalWidth: 1 };
  const width = { primary: openStrands, speculative: 0 };
  return { ...known, demand, openStrands, width, rolloutsLeft: demand, ...seen };
}

/** Growth of the operations since the step before, relative to n log n: at most 1 if they grow no faster. */
export function growthFrom(before: DecisionCount, after: DecisionCount): number {
  const each = ({ live, operations }: DecisionCount) => operations / (live * Math.log2(live));
  return each(after) / each(before);
}

const columns: readonly TableColumn<DecisionCount & { readonly growth: string }>[] = [
  { heading: 'first', left: true, of: ({ first }) => first },
  { heading: 'crowd', left: true, of: ({ crowd }) => crowd },
  { heading: 'n', of: ({ live }) => live },
  { heading: 'operations', of: ({ operations }) => operations },
  { heading: 'growth', of: ({ growth }) => growth },
];

export function report(print: (block: Block) => void): void {
  print('One decision of the boost policy, in calls and blocks entered (V8 precise coverage of src/scheduler).');
  print('growth: from the line above, over that of n log n; at most 1 where the work grows no faster.');
  const rows = countDecisions().map((count, at, all) => {
    const isFirst = count.live === liveSearches[0];
    return { ...count, growth: isFirst ? '' : growthFrom(all[at - 1]!, count).toFixed(2) };
  });
  print(tableOf(columns, rows));
}
