// Whether searches are still like those that a calibration was made from, section by section. Only searches that a section has set
// something for are counted, and only those that ended by themselves. Gateway and benchmarks tell it of the ends of their searches.

import type { ExitKind } from '../log/end.ts';
import {
  type CalibratedSearch,
  type CalibrationFile,
  type CalibrationSection,
  searchText,
  sectionsFor,
} from './calibration-file.ts';
import { DriftMeter } from './drift.ts';
import type { RewardsSeen } from './rewards-seen.ts';

/** The exit by which a section ends searches. */
const exitOf: Readonly<Record<CalibrationSection['kind'], ExitKind>> = { certain: 'certain', hazard: 'settled' };
/** What ended for reasons of its own says nothing about a rule. */
const others: readonly ExitKind[] = ['cancelled', 'failed', 'deadline'];

/** What a search was planned to be, as far as a calibration is about it. */
export interface WatchedPlan extends Omit<CalibratedSearch, 'options'> {
  readonly programOptions: CalibratedSearch['options'];
  /** The kinds of sections that have set something for it. */
  readonly calibrated?: readonly CalibrationSection['kind'][];
}

export interface WatchedEnd {
  readonly exit: ExitKind;
  /** Generated, whether they were kept or not. */
  readonly tokens: number;
  /** Where a tree was scored. */
  readonly rewards?: RewardsSeen | undefined;
}

/** In one line: what was expected, and what came. */
export interface DriftFinding {
  readonly drifted: boolean;
  readonly text: string;
}

export interface WatchedSection {
  readonly section: CalibrationSection;
  readonly meter: DriftMeter;
}

export class SectionWatch {
  readonly #calibration: CalibrationFile;
  readonly sections: readonly WatchedSection[];

  constructor(calibration: CalibrationFile) {
    this.#calibration = calibration;
    this.sections = calibration.sections.map((section) => ({ section, meter: new DriftMeter(section) }));
  }

  /** Gives the sections that have counted it. */
  ended(plan: WatchedPlan, { exit, tokens, rewards }: WatchedEnd): WatchedSection[] {
    const { program, programOptions: options, branching, choose, aggregation, rollouts, calibrated } = plan;
    if (calibrated === undefined || others.includes(exit)) return [];
    const holding = sectionsFor(this.#calibration, { program, options, branching, choose, aggregation, rollouts }, {});
    const counting = this.sections.filter(
      ({ section }) => holding.includes(section) && calibrated.includes(section.kind),
    );
    for (const { section, meter } of counting) meter.ended({ fired: exit === exitOf[section.kind], tokens, rewards });
    return counting;
  }

  /** Takes a section away: from now on no plan has it. Gives why, in one line. */
  refuse({ section, meter }: WatchedSection): string {
    const at = this.#calibration.sections.indexOf(section);
    if (at >= 0) this.#calibration.sections.splice(at, 1);
    const { searches, rewardErrors } = meter.reading;
    const found = `the rewards of the last ${searches} searches are ${rewardErrors.toFixed(1)} standard errors from those that it was made on (4 are allowed)`;
    return `calibration '${section.kind}' of ${searchText(section.search)} is refused: ${found}; run coppice calibrate again`;
  }

  /** Of every section that has counted enough to say something. */
  get findings(): DriftFinding[] {
    return this.sections.flatMap(({ section, meter }) => {
      const { reading } = meter;
      return reading.enough ? [{ drifted: reading.drifted, text: driftText(section, reading) }] : [];
    });
  }
}

function driftText({ kind, search }: CalibrationSection, reading: DriftMeter['reading']): string {
  const { searches, firedShare, expectedShare, tokens, expectedTokens, errors, drifted } = reading;
  const percent = (share: number) => `${(100 * share).toFixed(0)} %`;
  const found = `${percent(firedShare)} of the last ${searches} searches ended by it (${percent(expectedShare)} expected), ${tokens.toFixed(0)} tokens each (${expectedTokens.toFixed(0)})`;
  const verdict = drifted
    ? `drifted, ${errors.toFixed(1)} standard errors away: run coppice calibrate again`
    : `as expected, ${errors.toFixed(1)} standard errors away`;
  return `calibration '${kind}' of ${search.program} with ${search.rollouts} rollouts: ${found}; ${verdict}`;
}
