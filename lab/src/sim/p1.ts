// Token-to-accuracy of P1 §6.2, simulated: self-consistency, MCTS and REBASE at the caps of its Table 2, each with and without exits of
// certainty, on the same questions. Without an exit every question gets the whole cap (the paper's baseline-even). And §6.7: chains of
// thought five times as long as those of the settings, probed and not.

import type { ProgramName } from 'coppice';
import {
  type Estimate,
  estimate,
  type QuestionProfile,
  type RowName,
  type TurnedWish,
  yieldOf,
} from 'coppice/internals';
import type { LostSettings } from '../lost/lost-search.ts';
import { type Series, svgOf } from '../svg.ts';
import type { ComparisonPlan } from './comparison.ts';
import type { Figure } from './p0-figures.ts';
import { type TrialSpec, trialDefaults } from './trial.ts';
import type { TrialPool } from './trial-pool.ts';

interface Family {
  /** The row of `sim` that it is without an exit; `--policy` chooses among them. */
  readonly row: RowName;
  readonly program: ProgramName;
  /** Table 2: samples, rollouts, width. */
  readonly caps: readonly number[];
  /** How its answers are chosen in P1, and how many samples are open at a time. */
  readonly knobs: TurnedWish;
  readonly rules: readonly (readonly [name: string, knobs: TurnedWish, lost?: LostSettings])[];
  /** Questions that differ from those of the setting. */
  readonly profile?: Partial<QuestionProfile>;
}

/** Thresholds and detection points of Table 1, which were tuned on the paper's test sets and not on these questions. */
const families: readonly Family[] = [
  {
    row: 'self-consistency',
    program: 'self-consistency',
    caps: [5, 10, 15, 20, 25, 30],
    knobs: { window: 5 },
    rules: [
      ['threshold 0.7', { certain: 'threshold', certainAgreement: 0.7, certainAnswers: 5 }],
      ['threshold 0.7, once', { certain: 'threshold', certainAgreement: 0.7, certainAnswers: 5, certainEvery: 0 }],
      ['curve', { certain: 'curve', certainAnswers: 5 }],
      ['certificate 0.05', { certain: 'certificate' }],
      ['beta 0.05', { certain: 'beta' }],
      ['windows of 5', { certain: 'windows' }],
      ['length 400', {}, { lengthExit: 400, lengthAnswers: 5 }],
      ['length 500', {}, { lengthExit: 500, lengthAnswers: 5 }],
    ],
  },
  {
    row: 'vanilla',
    program: 'mcts',
    caps: [3, 7, 10, 15, 20],
    knobs: { choose: 'best', expansion: 'whole' },
    rules: [
      [
        'threshold 0.99, reward 0.4',
        { certain: 'threshold', certainAgreement: 0.99, certainReward: 0.4, certainAnswers: 3 },
      ],
      ['length 400', {}, { lengthExit: 400, lengthAnswers: 3 }],
    ],
  },
  {
    row: 'rebase',
    program: 'rebase',
    caps: [16, 32, 64, 128],
    knobs: { choose: 'vote' },
    rules: [
      ['threshold 0.75', { certain: 'threshold', certainAgreement: 0.75, certainAnswers: 16 }],
      [
        'threshold 0.85, reward 0.99',
        { certain: 'threshold', certainAgreement: 0.85, certainReward: 0.99, certainAnswers: 16 },
      ],
      // As P1 runs it: a first round of 16 paths, and the others only where those were not certain.
      ['two rounds', { firstPaths: 16 }],
      [
        'two rounds, threshold 0.75',
        { firstPaths: 16, certain: 'threshold', certainAgreement: 0.75, certainAnswers: 16 },
      ],
      [
        'two rounds, threshold 0.85, reward 0.99',
        { firstPaths: 16, certain: 'threshold', certainAgreement: 0.85, certainReward: 0.99, certainAnswers: 16 },
      ],
      ['length 400', {}, { lengthExit: 400, lengthAnswers: 16 }],
    ],
  },
  {
    row: 'chain',
    program: 'chain',
    caps: [1],
    knobs: { probe: 'off', maxDepth: 200 },
    rules: [
      ['3 probes agree', { probe: 'answer' }],
      ['2 probes agree', { probe: 'answer', probeAgree: 2 }],
      ['entropy at rest', { probe: 'entropy' }],
    ],
    profile: {
      meanSteps: 40,
      easy: { soundness: { low: 0.995, high: 1 }, strictness: { low: 1, high: 1 } },
      scaling: { soundness: { low: 0.97, high: 0.995 }, strictness: { low: 1, high: 1 } },
    },
  },
];

export const certaintyRows: readonly RowName[] = families.map(({ row }) => row);

export interface CertaintyLine {
  readonly program: ProgramName;
  readonly cap: number;
  readonly rule: string;
  readonly tokens: number;
  /** In percent. */
  readonly accuracy: number;
  /** Searches that ended because they were certain, in percent. */
  readonly certain: number;
  /** Against no rule at the same cap, question by question: tokens in percent, accuracy in points. */
  readonly saved: Estimate;
  readonly points: Estimate;
}

interface CertaintyRow {
  readonly family: Family;
  readonly cap: number;
  readonly rule: string;
  readonly knobs: TurnedWish;
  readonly lost?: LostSettings | undefined;
}

export async function certaintyLines(plan: ComparisonPlan, pool: TrialPool): Promise<CertaintyLine[]> {
  const rows = families.filter(({ row }) => plan.rows.includes(row)).flatMap(rowsOf);
  const places = plan.settings.flatMap((setting) => plan.seeds.map((seed) => ({ setting, seed })));
  const results = await pool.run(rows.flatMap((row) => places.map((place) => specOf(plan, place, row))));
  const yields = rows.map((_, at) => results.slice(at * places.length, (at + 1) * places.length).map(yieldOf));
  return rows.map(({ family, cap, rule }, at) => {
    const own = yields[at]!;
    const even = yields[rows.findIndex((each) => each.family === family && each.cap === cap)]!;
    const over = (read: (place: number) => number) =>
      estimate(
        bySetting(
          plan,
          own.map((_, place) => read(place)),
        ),
      );
    return {
      program: family.program,
      cap,
      rule,
      tokens: over((place) => own[place]!.tokens).value,
      accuracy: over((place) => own[place]!.accuracy).value,
      certain: over((place) => own[place]!.exits.certain ?? 0).value,
      saved: over((place) => 100 * (1 - own[place]!.tokens / even[place]!.tokens)),
      points: over((place) => own[place]!.accuracy - even[place]!.accuracy),
    };
  });
}

function rowsOf(family: Family): CertaintyRow[] {
  const rules: Family['rules'] = [['none', {}], ...family.rules];
  return family.caps.flatMap((cap) =>
    rules.map(([rule, own, lost]) => ({ family, cap, rule, knobs: { ...family.knobs, ...own }, lost })),
  );
}

/** Places stand setting by setting, each with all its seeds. */
function bySetting({ settings, seeds }: ComparisonPlan, values: readonly number[]): number[][] {
  return settings.map((_, at) => values.slice(at * seeds.length, (at + 1) * seeds.length));
}

function specOf(
  plan: ComparisonPlan,
  place: Pick<TrialSpec, 'setting' | 'seed'>,
  { family: { program, profile }, cap, knobs, lost }: CertaintyRow,
): TrialSpec {
  const { requests, budget, threshold, verifierReuses, roofline } = plan;
  const system = {
    requests,
    budget,
    threshold,
    verifierReuses,
    ...(roofline && { roofline }),
    ...(profile && { profile }),
  };
  const contender = { program, policy: 'vanilla', knobs, ...(lost && { lost }) } as const;
  return { ...trialDefaults, ...system, ...place, contender, rollouts: cap, arrivals: { kind: 'backlog' } };
}

/** As a table of Markdown, a row for every program, cap and rule. */
export function certaintyTable(lines: readonly CertaintyLine[]): string {
  const rows = lines.map(({ program, cap, rule, tokens, accuracy, certain, saved, points }) => {
    const against = rule === 'none' ? ['', ''] : [withHalf(saved), withHalf(points)];
    return [program, cap, rule, tokens.toFixed(0), accuracy.toFixed(1), certain.toFixed(0), ...against].join(' | ');
  });
  const head = 'program | cap | rule | tokens | accuracy, % | certain, % | tokens saved, % | accuracy, points';
  return [head, '---|--:|---|--:|--:|--:|--:|--:', ...rows].map((row) => `| ${row} |`).join('\n');
}

function withHalf({ value, half }: Estimate): string {
  return half === undefined ? value.toFixed(1) : `${value.toFixed(1)} ± ${half.toFixed(1)}`;
}

/** Token-to-accuracy: a figure for every program, a line for every rule, a point for every cap. */
export function certaintyFigures(lines: readonly CertaintyLine[], note: string): Figure[] {
  return [...new Set(lines.map(({ program }) => program))].map((program) => {
    const own = lines.filter((line) => line.program === program);
    const series = [...new Set(own.map(({ rule }) => rule))].map((rule, at): Series => {
      const points = own
        .filter((line) => line.rule === rule)
        .map(({ tokens, accuracy }) => [tokens, accuracy] as const);
      return rule === 'none'
        ? { name: 'no exit', colour: 7, points, dashed: true }
        : { name: rule, colour: at - 1, points };
    });
    const panel = { title: program, xLabel: 'tokens per question', yLabel: 'accuracy, %', series, zoomed: true };
    const title = 'Token-to-accuracy, exits of certainty (simulated)';
    return { name: `p1-${program}`, svg: svgOf({ title, note, panels: [panel], columns: 1 }), data: own };
  });
}
