// Token-to-accuracy of P1 §6.2, simulated: self-consistency, MCTS and REBASE at the caps of its Table 2, each with and without exits of
// certainty, on the same questions. Without an exit every question gets the whole cap (the paper's baseline-even).

import type { Wish } from '../../answering/search-plan.ts';
import type { ProgramName } from '../../program/registry/programs.ts';
import { mean } from '../statistics.ts';
import type { ComparisonPlan } from './comparison.ts';
import type { RowName } from './contenders.ts';
import { yieldOf } from './measures.ts';
import { type TrialSpec, trialDefaults } from './trial.ts';
import type { TrialPool } from './trial-pool.ts';

interface Family {
  /** The row of `sim` that it is without an exit; `--policy` chooses among them. */
  readonly row: RowName;
  readonly program: ProgramName;
  /** Table 2: samples, rollouts, width. */
  readonly caps: readonly number[];
  /** How its answers are chosen in P1, and how many samples are open at a time. */
  readonly knobs: Wish;
  readonly rules: readonly (readonly [name: string, knobs: Wish])[];
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
      ['certificate 0.05', { certain: 'certificate' }],
      ['beta 0.05', { certain: 'beta' }],
      ['windows of 5', { certain: 'windows' }],
    ],
  },
  {
    row: 'vanilla',
    program: 'mcts',
    caps: [3, 7, 10, 15, 20],
    knobs: { choose: 'best' },
    rules: [
      [
        'threshold 0.99, reward 0.4',
        { certain: 'threshold', certainAgreement: 0.99, certainReward: 0.4, certainAnswers: 3 },
      ],
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
    ],
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
  /** Against no rule at the same cap: tokens in percent, accuracy in points. */
  readonly saved: number;
  readonly points: number;
}

export async function certaintyLines(plan: ComparisonPlan, pool: TrialPool): Promise<CertaintyLine[]> {
  const chosen = families.filter(({ row }) => plan.rows.includes(row));
  const rows = chosen.flatMap(({ program, caps, knobs, rules }) =>
    caps.flatMap((cap) =>
      [['none', {}] as const, ...rules].map(([rule, own]) => ({ program, cap, rule, knobs: { ...knobs, ...own } })),
    ),
  );
  const places = plan.settings.flatMap((setting) => plan.seeds.map((seed) => ({ setting, seed })));
  const results = await pool.run(rows.flatMap((row) => places.map((place) => specOf(plan, place, row))));
  const measured = rows.map((row, at) => {
    const yields = results.slice(at * places.length, (at + 1) * places.length).map(yieldOf);
    const over = (read: (each: (typeof yields)[number]) => number) => mean(yields.map(read));
    const certain = over(({ exits }) => exits.certain ?? 0);
    return { ...row, certain, tokens: over(({ tokens }) => tokens), accuracy: over(({ accuracy }) => accuracy) };
  });
  return measured.map(({ knobs: _, ...line }) => {
    const even = measured.find(({ program, cap }) => program === line.program && cap === line.cap)!;
    const saved = 100 * (1 - line.tokens / even.tokens);
    return { ...line, saved, points: line.accuracy - even.accuracy };
  });
}

function specOf(
  plan: ComparisonPlan,
  place: Pick<TrialSpec, 'setting' | 'seed'>,
  { program, cap, knobs }: { readonly program: ProgramName; readonly cap: number; readonly knobs: Wish },
): TrialSpec {
  const { requests, budget, threshold, verifierReuses, roofline } = plan;
  const system = { requests, budget, threshold, verifierReuses, ...(roofline && { roofline }) };
  const contender = { program, policy: 'vanilla', knobs } as const;
  return { ...trialDefaults, ...system, ...place, contender, rollouts: cap, arrivals: { kind: 'backlog' } };
}

/** As a table of Markdown, a row for every program, cap and rule. */
export function certaintyTable(lines: readonly CertaintyLine[]): string {
  const rows = lines.map(({ program, cap, rule, tokens, accuracy, certain, saved, points }) => {
    const against = rule === 'none' ? ['', ''] : [saved.toFixed(1), signed(points)];
    return [program, cap, rule, tokens.toFixed(0), accuracy.toFixed(1), certain.toFixed(0), ...against].join(' | ');
  });
  const head = 'program | cap | rule | tokens | accuracy, % | certain, % | tokens saved, % | accuracy, points';
  return [head, '---|--:|---|--:|--:|--:|--:|--:', ...rows].map((row) => `| ${row} |`).join('\n');
}

function signed(points: number): string {
  return `${points > 0 ? '+' : ''}${points.toFixed(1)}`;
}
