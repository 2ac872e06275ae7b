// The calibrated exit in the simulator: searches of calibration seeds run to their end, on odd seeds at saturation (where a search
// has one strand), on even ones one at a time (where it has all it can use), and what the exit would have read is noted. From the notes follow
// the calibration of all settings together, and what one that was made on a single setting does on the others.

import {
  type CalibrationFile,
  calibrateHazard,
  type HazardParts,
  hazardFeatures,
  type NoHazard,
  type NotedSearch,
  pairOf,
  reportOf,
  type SettingName,
  triedCuts,
} from 'coppice/internals';
import type { LabExperiment } from '../experiment/experiment.ts';
import { type LabPlan, seedsFrom } from '../experiment/plan.ts';
import { type Block, plainTable, tableOf } from '../experiment/table.ts';
import { simulatedFile, simulatedSearch } from '../policies/simulated-calibration.ts';
import { placesOf, type SeededSetting, specOf } from '../sim/comparison.ts';
import type { TrialSpec } from '../sim/trial.ts';

/** `fast` without the exits that give up: what they are measured against. */
const row = 'fast:negativeExit=off:settledExit=off';

interface NotedCell extends SeededSetting {
  readonly spec: TrialSpec;
}

export const hazard: LabExperiment<NotedCell, readonly NotedSearch[]> = {
  name: 'hazard',
  about: 'calibrates the exits of fast on seeds kept for it, tries them across settings, leaves hazard.json',
  page: 'policies-measured.md',
  takes: '40 minutes',
  published: ['--requests 400 --loss-budget 1'],
  // Seeds that nothing else was chosen on; odd ones all at once, even ones one by one.
  preset: { seeds: seedsFrom(951, 4), requests: 1000, lossBudget: 0.5 },
  flags: ['setting', 'seed', 'seeds', 'requests', 'budget', 'rollouts', 'threshold', 'loss-budget'],
  cells: (plan) =>
    placesOf(plan).map((place) => {
      const kind = place.seed % 2 === 0 ? 'one-by-one' : 'backlog';
      return { ...place, spec: { ...specOf(plan, { ...place, row }, { kind }), noted: true } };
    }),
  measure: async ({ spec }, trials) => (await trials.run(spec)).noted ?? [],
  report: (found, plan) => {
    const { settings, seeds, requests, lossBudget } = plan;
    const notes = Map.groupBy(found, ({ cell }) => cell.setting);
    const study = studyOf(
      new Map(Array.from(notes, ([name, own]) => [name, own.flatMap(({ result }) => result)])),
      plan,
    );
    const head = `Simulated: ${settings.join(', ')}; seeds ${seeds.join(', ')}; ${requests} questions a run, all at once on odd seeds and one by one on even ones; at most ${lossBudget} points of accuracy to lose.`;
    const file = 'refused' in study.pooled ? [] : [hazardFile(plan, study.pooled)];
    return {
      head,
      body: hazardBlocks(study),
      data: { lossBudget, ...study, alone: Object.fromEntries(study.alone) },
      files: file.map((each) => ({ name: 'hazard.json', text: `${JSON.stringify(each, undefined, 1)}\n` })),
    };
  },
};

type Notes = ReadonlyMap<SettingName, readonly NotedSearch[]>;

/** What a calibration of one setting, or of all, does on the questions of another. */
interface Transfer {
  readonly from: string;
  readonly to: SettingName;
  readonly reported: ReturnType<typeof reportOf>;
}

export interface HazardStudy {
  readonly pooled: HazardParts | NoHazard;
  readonly alone: ReadonlyMap<SettingName, HazardParts | NoHazard>;
  readonly transfers: readonly Transfer[];
}

function studyOf(notes: Notes, { lossBudget, seeds }: Pick<LabPlan, 'lossBudget' | 'seeds'>): HazardStudy {
  const calibrated = (searches: readonly NotedSearch[]) => calibrateHazard(searches, lossBudget, seeds[0]!);
  const alone = new Map(Array.from(notes, ([setting, own]) => [setting, calibrated(own)] as const));
  return { pooled: calibrated([...notes.values()].flat()), alone, transfers: transfersOf(alone, notes) };
}

/** Every calibration on the settings that it has not seen. */
function transfersOf(alone: HazardStudy['alone'], notes: Notes): Transfer[] {
  return Array.from(alone).flatMap(([from, parts]) => {
    if ('refused' in parts) return [];
    const cutAt = triedCuts.indexOf(parts.settings.firstDepthCut as (typeof triedCuts)[number]);
    const others = Array.from(notes).filter(([to]) => to !== from);
    return others.map(([to, own]) => ({
      from,
      to,
      reported: reportOf(own.map((search) => pairOf(search, parts.hazard, cutAt))),
    }));
  });
}

/** What `sim --calibration` reads. */
function hazardFile(
  { rollouts, lossBudget }: Pick<LabPlan, 'rollouts' | 'lossBudget'>,
  parts: HazardParts,
): CalibrationFile {
  return simulatedFile([{ kind: 'hazard', search: simulatedSearch(rollouts), lossBudget, ...parts }]);
}

function hazardBlocks({ pooled, alone, transfers }: HazardStudy): Block[] {
  const rows = [['all settings', pooled] as const, ...alone];
  return [
    plainTable(
      [
        ...['calibrated on', 'settled below', 'cut of the negative exit'],
        ...['points lost, second half', 'tokens saved, %', 'searches ended'],
      ],
      rows.map(([name, parts]) => [name, ...('refused' in parts ? [parts.refused, '', '', '', ''] : partCells(parts))]),
    ),
    ...('refused' in pooled ? [] : [weightsText(pooled)]),
    tableOf<Transfer>(
      [
        { heading: 'calibrated on', left: true, of: ({ from }) => from },
        { heading: 'used on', left: true, of: ({ to }) => to },
        { heading: 'points lost', of: ({ reported }) => intervalText(reported.pointsLost, 2) },
        { heading: 'tokens saved, %', of: ({ reported }) => intervalText(reported.tokensSaved, 0) },
      ],
      transfers,
    ),
  ];
}

function partCells({ hazard, settings, reported, expected }: HazardParts): string[] {
  const lost = intervalText(reported.pointsLost, 2);
  const ended = (100 * expected.firedShare).toFixed(0);
  const chosen = [hazard.below, settings.firstDepthCut].map(String);
  return [...chosen, lost, intervalText(reported.tokensSaved, 0), `${ended} %`];
}

function weightsText({ hazard: { bias, weights } }: HazardParts): string {
  return `weights: bias ${bias}, ${hazardFeatures.map((name) => `${name} ${weights[name]}`).join(', ')}`;
}

function intervalText({ value, low, high }: { value: number; low: number; high: number }, digits: number): string {
  return `${value.toFixed(digits)} (${low.toFixed(digits)} to ${high.toFixed(digits)})`;
}
