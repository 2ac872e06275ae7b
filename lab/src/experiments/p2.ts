// The conditions under which drafting pays (P2), in virtual time with the embedded engine's own scheduling of drafts. Speed-ups are the time
// without drafts over the time with them, for the same sequences.

import type { LabExperiment, NamedChart } from '../experiment/experiment.ts';
import { type LabTable, plainTable } from '../experiment/table.ts';
import { acceptances, type DraftingCell, draftingCells, draftingPlaces } from '../speculation/drafting-places.ts';
import { draftingMs } from '../speculation/virtual-drafting.ts';

export interface DraftingLine {
  readonly place: string;
  readonly way: string;
  readonly sequences: number;
  /** Speed-up for each of `acceptances`. */
  readonly gains: readonly number[];
}

export const p2: LabExperiment<DraftingCell, DraftingLine> = {
  name: 'p2',
  about: "where token-level drafting pays: a 70B target with small drafts, P2's way, the shipped models",
  page: 'experiments/p2.md',
  takes: '10 seconds',
  published: [''],
  preset: {},
  flags: [],
  cells: draftingCells,
  measure: async ({ place, way, drafting, without }) => {
    const costs = draftingPlaces[place];
    const aloneMs = draftingMs(costs, without);
    const gains = acceptances.map((acceptance) => aloneMs / draftingMs(costs, { ...drafting, acceptance }));
    return { place: costs.name, way, sequences: drafting.sequences, gains };
  },
  report: (found) => {
    const lines = found.map(({ result }) => result);
    const head = 'Simulated: times as fast as without drafts, by the chance that a drafted token is accepted.';
    return { head, body: [draftingTable(lines)], charts: [draftingChart(lines)], data: { lines } };
  },
};

function draftingTable(lines: readonly DraftingLine[]): LabTable {
  const head = ['target, drafts', 'drafted', 'sequences', ...acceptances.map((each) => each.toFixed(2))];
  const rows = lines.map(({ place, way, sequences, gains }) => [
    place,
    way,
    String(sequences),
    ...gains.map((gain) => gain.toFixed(2)),
  ]);
  return plainTable(head, rows, undefined, 2);
}

function draftingChart(lines: readonly DraftingLine[]): NamedChart {
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
  const panels = Object.values(draftingPlaces).map(({ name }) => {
    const own = lines.filter(({ place }) => place === name);
    if (name === draftingPlaces.seed.name) return panel(name, own, ({ way }) => way);
    const inline = own.filter(({ way }) => way === 'inline');
    return panel(name, inline, ({ sequences }) => `${sequences} sequences`);
  });
  const title = 'Where drafting pays, simulated';
  const note =
    'By the scheduling of the embedded engine in virtual time; drafts of 4 tokens, P2: 3. The shipped pair reaches 0.98.';
  return { name: 'p2-drafting', chart: { title, note, panels, columns: 2 } };
}
