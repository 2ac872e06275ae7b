// The gain of P4's three parts for beam search on its consumer GPU, simulated (§6.2, §6.4), one question at a time. Goodput is the paper's: mean
// tokens of a beam over its mean time to completion. Speculation changes no beam, so tokens are the same.

import { goodput } from '@coppice/core/log';
import type { LabExperiment, MeasuredCell } from '../experiment/experiment.ts';
import { seedsFrom } from '../experiment/plan.ts';
import type { TrialResult } from '../sim/trial.ts';
import { beamCounts, type EdgeCell, type EdgeTrial, edgeTrials } from '../speculation/edge-cells.ts';
import { boundTable, type GoodputLine, goodputChart, goodputTable, stageTable } from '../speculation/goodput-report.ts';

interface EdgeRun extends Pick<GoodputLine, 'goodput' | 'completionMs' | 'generating' | 'evictedTokens'> {
  /** Of every question. */
  readonly tokens: readonly number[];
  readonly outcomes: readonly string[];
}

export const p4: LabExperiment<EdgeTrial, EdgeRun> = {
  name: 'p4',
  about: "goodput of beam search on P4's consumer GPU by its parts, up to 128 beams; whole, to 512",
  page: 'experiments/p4.md',
  takes: '2 hours',
  published: ['--full --seed 101 --seeds 1'],
  // Seeds that nothing was chosen on.
  preset: { seeds: seedsFrom(101, 3), beams: beamCounts.filter((beams) => beams <= 128) },
  full: { beams: beamCounts },
  flags: ['seed', 'seeds', 'beams', 'no-prefix-reuse'],
  cells: edgeTrials,
  measure: async ({ spec }, trials) => edgeRun(await trials.run(spec)),
  report: (found, { seeds, verifierReuses }) => {
    const lines = goodputLines(found);
    const of = seeds.length === 1 ? `seed ${seeds[0]}` : `seeds ${seeds.join(', ')}`;
    const head = `Simulated: beam search on one RTX 4090 (roofline), one question at a time, ${of}; the verifier ${verifierReuses ? 'reuses its prefixes' : 'computes every path anew'}. Goodput over that with none of the parts.`;
    return {
      head,
      body: [goodputTable(lines), stageTable(lines), boundTable(lines)],
      charts: [goodputChart(lines, head)],
      data: { seeds, lines },
    };
  },
};

function edgeRun(result: TrialResult): EdgeRun {
  const { served, growth, evictedTokens } = result;
  return {
    goodput: goodput(growth)!,
    completionMs: growth.pathMs / growth.paths,
    tokens: served.map(({ tokens }) => tokens),
    outcomes: served.map(({ exit, rollouts, correct }) => `${exit} ${rollouts} ${correct}`),
    generating: generatorShare(result),
    evictedTokens,
  };
}

/** The GPU is never idle while a search runs, and while both models work each has half of it. */
function generatorShare({ engineBusy, verifierBusy }: TrialResult): number {
  const both = engineBusy + verifierBusy - 1;
  return engineBusy - both / 2;
}

/** Each beside the same without any part. */
function goodputLines(found: readonly MeasuredCell<EdgeTrial, EdgeRun>[]): GoodputLine[] {
  const placeOf = ({ seed, task, pair, beams }: EdgeCell) => [seed, task, pair, beams].join(' ');
  const bases = new Map(
    found.flatMap(({ cell, result }) => (cell.stage === 'none' ? [[placeOf(cell), result] as const] : [])),
  );
  return found.map(({ cell: { spec: _, ...cell }, result }) => {
    const base = bases.get(placeOf(cell))!;
    const total = (tokens: readonly number[]) => tokens.reduce((sum, each) => sum + each, 0);
    return {
      ...cell,
      goodput: result.goodput,
      gain: result.goodput / base.goodput,
      completionMs: result.completionMs,
      tokens: total(result.tokens) / result.tokens.length,
      waste: 100 * (1 - total(base.tokens) / total(result.tokens)),
      different: result.outcomes.filter((each, at) => each !== base.outcomes[at]).length,
      generating: result.generating,
      evictedTokens: result.evictedTokens,
    };
  });
}
