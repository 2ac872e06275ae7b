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
import { contenderOf } from '../sim/contenders.ts';
import { type TrialSpec, trialDefaults } from '../sim/trial.ts';
import type { TrialPool } from '../sim/trial-pool.ts';
import { simulatedFile, simulatedSearch } from './simulated-calibration.ts';

export interface HazardPlan {
  readonly settings: readonly SettingName[];
  readonly seeds: readonly number[];
  readonly requests: number;
  readonly budget: number;
  readonly rollouts: number;
  readonly threshold: number;
  readonly lossBudget: number;
}

/** What a calibration of one setting, or of all, does on the questions of another. */
export interface Transfer {
  readonly from: string;
  readonly to: SettingName;
  readonly reported: ReturnType<typeof reportOf>;
}

export interface HazardStudy {
  readonly pooled: HazardParts | NoHazard;
  readonly alone: ReadonlyMap<SettingName, HazardParts | NoHazard>;
  readonly transfers: readonly Transfer[];
}

/** `fast` without the exits that give up: what they are measured against. */
const fullRow = 'fast:negativeExit=off:settledExit=off';

export async function hazardStudy(plan: HazardPlan, pool: Pick<TrialPool, 'run'>): Promise<HazardStudy> {
  const places = plan.settings.flatMap((setting) => plan.seeds.map((seed) => ({ setting, seed })));
  const specs = places.map((place) => specOf(plan, place));
  const results = await pool.run(specs);
  const notes = new Map<SettingName, NotedSearch[]>();
  for (const [at, { noted = [] }] of results.entries()) {
    const { setting } = specs[at]!;
    notes.set(setting, [...(notes.get(setting) ?? []), ...noted]);
  }
  const calibrated = (searches: readonly NotedSearch[]) => calibrateHazard(searches, plan.lossBudget, plan.seeds[0]!);
  const alone = new Map(Array.from(notes, ([setting, own]) => [setting, calibrated(own)] as const));
  return { pooled: calibrated([...notes.values()].flat()), alone, transfers: transfersOf(alone, notes) };
}

function specOf(
  { requests, budget, rollouts, threshold }: HazardPlan,
  place: { readonly setting: SettingName; readonly seed: number },
): TrialSpec {
  const kind = place.seed % 2 === 0 ? 'one-by-one' : 'backlog';
  const size = { requests, budget, rollouts, threshold };
  return { ...trialDefaults, ...place, ...size, contender: contenderOf(fullRow), arrivals: { kind }, noted: true };
}

/** Every calibration on the settings that it has not seen. */
function transfersOf(alone: HazardStudy['alone'], notes: ReadonlyMap<SettingName, readonly NotedSearch[]>): Transfer[] {
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
export function hazardFile({ rollouts, lossBudget }: HazardPlan, parts: HazardParts): CalibrationFile {
  return simulatedFile([{ kind: 'hazard', search: simulatedSearch(rollouts), lossBudget, ...parts }]);
}

export function hazardLines({ pooled, alone, transfers }: HazardStudy): string[] {
  const rows = [['all settings', pooled] as const, ...alone];
  return [
    '| calibrated on | settled below | cut of the negative exit | points lost, second half | tokens saved, % | searches ended |',
    '|---|--:|--:|--:|--:|--:|',
    ...rows.map(([name, parts]) => `| ${name} | ${'refused' in parts ? parts.refused : partsText(parts)} |`),
    '',
    ...('refused' in pooled ? [] : [weightsText(pooled), '']),
    '| calibrated on | used on | points lost | tokens saved, % |',
    '|---|---|--:|--:|',
    ...transfers.map(({ from, to, reported }) => {
      return `| ${from} | ${to} | ${intervalText(reported.pointsLost, 2)} | ${intervalText(reported.tokensSaved, 0)} |`;
    }),
  ];
}

function partsText({ hazard, settings, reported, expected }: HazardParts): string {
  const lost = intervalText(reported.pointsLost, 2);
  const ended = (100 * expected.firedShare).toFixed(0);
  return `${hazard.below} | ${settings.firstDepthCut} | ${lost} | ${intervalText(reported.tokensSaved, 0)} | ${ended} %`;
}

function weightsText({ hazard: { bias, weights } }: HazardParts): string {
  return `weights: bias ${bias}, ${hazardFeatures.map((name) => `${name} ${weights[name]}`).join(', ')}`;
}

function intervalText({ value, low, high }: { value: number; low: number; high: number }, digits: number): string {
  return `${value.toFixed(digits)} (${low.toFixed(digits)} to ${high.toFixed(digits)})`;
}
