// `npm run lab -- worth [FILE …]`: replays rules that stop a vote over recorded samples, and compares them at equal cost.

import { basename } from 'node:path';
import { Random, raise } from '@coppice/core/base';
import { type CommandFlags, type CommandHelp, flagOf, helpFlag, readArguments, whole } from '../flags.ts';
import { type GpuTokens, gpuTokens } from '../real/gpu-tokens.ts';
import { recordedSamples } from '../real/sample-files.ts';
import { auditOf } from '../real/worth-audit.ts';
import { questionOf, type VoteQuestion } from '../real/worth-course.ts';
import { curvesOf, tokensOf, usualOf } from '../real/worth-curves.ts';
import { type JudgeReplay, lieLines, lieRows, trustLines, trustOf, trustRows } from '../real/worth-judges.ts';
import { priceLines, priceTable } from '../real/worth-prices.ts';
import { allArms, pooled, type Replayed, replayArms } from '../real/worth-replay.ts';
import { streamLines, streamRows } from '../real/worth-streams.ts';
import { budgetsTo, worthLines, worthRows } from '../real/worth-table.ts';

const recorded = ['gsm8k', 'math500', 'carp', 'college-math-odd'].map(
  (set) => `lab/recorded/qwen2.5-coder-1.5b-${set}.trees.gz`,
);
const tables = ['rules', 'drawing', 'trust', 'lies', 'streams', 'prices'] as const;

const text = 'string';
const flags = {
  table: {
    type: text,
    takes: tables.join('|'),
    default: 'rules',
    about:
      'rules at equal cost, the same with samples drawn otherwise, what auto trusts, lying judges, streams by which it learns to trust, prices',
  },
  'judge-cost': {
    type: text,
    takes: 'LIST',
    default: '1,0.3',
    about: 'of a token that the judge reads, of a generated one',
  },
  machine: {
    type: text,
    takes: 'FILE',
    about:
      'servers that the lab’s table measured: their times give the judge’s cost, and rules are shown with GPU seconds',
  },
  sequences: { type: text, takes: 'N', default: '64', about: 'decoded at a time on --machine' },
  trust: { type: text, takes: 'S', default: 'audit', about: 'of auto: a number, or what an audit of the set finds' },
  samples: { type: text, takes: 'LIST', default: '2,3,4,6,8,12,16,24', about: 'budgets to show: tokens of so many' },
  orders: { type: text, takes: 'N', default: '20', about: 'random orders of each question’s samples' },
  seed: { type: text, takes: 'N', default: '1', about: 'of orders and intervals' },
  json: { type: 'boolean', default: false, about: 'prints one object a set and cost' },
  ...helpFlag,
} as const satisfies CommandFlags;

export const help: CommandHelp = {
  starts: 'npm run lab --',
  usage: 'worth [FILE …] [--table NAME] [--judge-cost LIST] [--json]',
  about:
    'Replays rules that stop a vote over recorded trees and prints right answers at equal cost, the tokens at equal accuracy, and waves; all files pooled too.',
  groups: [['the replay', flags]],
  examples: ['worth lab/recorded/qwen2.5-coder-1.5b-gsm8k.trees.gz --judge-cost 0.3', 'worth --table lies'],
};

interface RecordedSet {
  readonly name: string;
  readonly questions: readonly VoteQuestion[];
  readonly most: number;
  /** s of `auto` there. */
  readonly trust: number;
}

function setIn(file: string, trust: number | undefined): RecordedSet {
  const all = recordedSamples(file).map(questionOf);
  const most = Math.max(...all.map(({ tokens }) => tokens.length));
  const questions = all.filter(({ tokens }) => tokens.length === most);
  if (most < 2 || questions.length < 2) return raise('bad-setting', `${file} has too few samples to vote`);
  const name = basename(file).replace(/\.trees(\.gz)?$/, '');
  return { name, questions, most, trust: trust ?? trustOf(auditOf(questions)) };
}

export async function run(args: readonly string[]): Promise<number> {
  const { values, positionals } = readArguments({ args: [...args], options: flags, allowPositionals: true });
  const number = (flag: string, given: string, low: number, high: number) =>
    flagOf(flag, given, { low, high, unit: 'number', why: '' });
  const shown = values.samples.split(',').map((each) => number('samples', each, 2, 1000));
  const { machine } = values;
  const gpu =
    machine === undefined
      ? undefined
      : gpuTokens(machine, whole('sequences', values.sequences, 1, 10_000, 'sequences'));
  const costs = gpu
    ? [gpu.readMs / gpu.writtenMs]
    : values['judge-cost'].split(',').map((each) => number('judge-cost', each, 0.001, 100));
  const trust = values.trust === 'audit' ? undefined : number('trust', values.trust, 0, 1);
  const orders = whole('orders', values.orders, 1, 1000, 'orders');
  const seed = whole('seed', values.seed, 0, 1_000_000, 'seed');
  const table = tables.find((each) => each === values.table);
  if (table === undefined) return raise('bad-setting', `--table is one of ${tables.join(', ')}, not ${values.table}`);
  const sets = (positionals.length > 0 ? positionals : recorded).map((file) => setIn(file, trust));
  const print = (head: object, title: string, found: object, lines: () => readonly string[]) => {
    if (values.json) console.log(JSON.stringify({ ...head, orders, seed, ...found }));
    else for (const line of [title, ...lines(), '']) console.log(line);
  };
  const titleOf = ({ name, questions, most, trust: s }: RecordedSet) =>
    `${name}: ${questions.length} questions, ${most} samples each in ${orders} orders; s ${s.toFixed(2)}`;
  if (table === 'prices') {
    for (const set of sets) {
      const found = priceTable({ ...set, orders, seed }, set.trust, costs);
      print({ set: set.name }, titleOf(set), found, () => priceLines(found));
    }
    return 0;
  }
  for (const cost of costs) {
    const priced = `a token that the judge reads costs ${Number(cost.toPrecision(2))}`;
    if (table === 'rules' || table === 'drawing') {
      const replays = sets.map((set) => replayRules(set, { cost, orders, seed, isAll: table === 'drawing' }));
      for (const { name, title, rows, budgets, usual } of ruleTables(sets, replays, cost, seed)) {
        const seconds = gpu && budgets.map((budget) => gpuSeconds(gpu, budget * usual));
        print({ set: name, cost, budgets, seconds }, `${title} in ${orders} orders; ${priced}`, { rows }, () => [
          ...(gpu
            ? [
                secondsLine(
                  gpu,
                  usual,
                  shown.filter((each) => budgets.includes(each)),
                ),
              ]
            : []),
          ...worthLines(rows, budgets, shown),
        ]);
      }
      continue;
    }
    for (const [at, set] of sets.entries()) {
      const replay: JudgeReplay = { ...set, cost, orders, seed };
      const title = `${titleOf(set)}; ${priced}`;
      if (table === 'trust') {
        const found = trustRows(replay);
        print({ set: set.name, cost }, title, found, () => trustLines(found));
      } else if (table === 'streams') {
        const rows = streamRows(replay, set.trust, sets.at(at - 1)!.questions);
        print({ set: set.name, cost }, title, { rows }, () => streamLines(rows));
      } else {
        const rows = lieRows(replay);
        print({ set: set.name, cost }, title, { rows }, () => lieLines(rows));
      }
    }
  }
  return 0;
}

function gpuSeconds({ writtenMs }: GpuTokens, tokens: number): number {
  return (tokens * writtenMs) / 1000;
}

function secondsLine(gpu: GpuTokens, usual: number, shown: readonly number[]): string {
  return `${'GPU seconds a question'.padEnd(28)}${shown
    .map((each) =>
      gpuSeconds(gpu, each * usual)
        .toFixed(3)
        .padStart(7),
    )
    .join('')}`;
}

function replayRules(
  { questions, most, trust }: RecordedSet,
  replay: { readonly cost: number; readonly orders: number; readonly seed: number; readonly isAll: boolean },
): Replayed[] {
  const { cost, orders, seed, isAll } = replay;
  const arms = allArms(most, { trust, cost }, usualOf(questions)).filter(
    (arm) => isAll || arm.variantOf === undefined || arm.isShipped,
  );
  return replayArms(questions, arms, orders, (at) => new Random('orders', seed, at));
}

/** One for each set, and one of all that have as many samples as the first. */
function ruleTables(sets: readonly RecordedSet[], replays: readonly Replayed[][], cost: number, seed: number) {
  const alike = sets.flatMap((set, at) => (set.most === sets[0]!.most ? [at] : []));
  const groups = [...sets.map((_, at) => [at]), ...(alike.length > 1 ? [alike] : [])];
  return groups.map((group) => {
    const { most } = sets[group[0]!]!;
    const replayed = group.length === 1 ? replays[group[0]!]! : pooled(group.map((at) => replays[at]!));
    const tokens = group.flatMap((at) => tokensOf(sets[at]!.questions));
    const budgets = budgetsTo(Math.ceil(most * (1 + cost)));
    const all = curvesOf(tokens, most, replayed, budgets, new Random('resamples', seed));
    const name = group.map((at) => sets[at]!.name).join(' + ');
    const trusts = group.map((at) => sets[at]!.trust.toFixed(2)).join(', ');
    const title = `${name}: ${tokens.length} questions, ${most} samples each, s ${trusts}`;
    const usual = tokens.reduce((sum, each) => sum + each, 0) / (most * tokens.length);
    return { name, title, budgets, usual, rows: worthRows(all, replayed) };
  });
}
