// Votes over recorded turns, replayed in random orders: a fixed number at once, and as many as `auto` draws at each effort, with the replay code of
// `lab -- worth`. A turn is right if it means the same as the reference; a tie counts as its share of right turns.

import { extractAnswer, readingFor, turnMeaning } from '@coppice/core/answer';
import { effortOf } from '@coppice/core/answering';
import { mean, Random } from '@coppice/core/base';
import { checkConfig, efforts } from '@coppice/core/config';
import { worthConstants } from '@coppice/core/tree';
import '@coppice/sim';
import { percentage } from '../real/percentage.ts';
import { stopAuto } from '../real/worth-auto.ts';
import {
  courseOf,
  oneByOne,
  questionOf,
  shippedWaves,
  type VoteCourse,
  type VoteQuestion,
} from '../real/worth-course.ts';
import { usualOf } from '../real/worth-curves.ts';
import { type Arm, allArms, replayArms } from '../real/worth-replay.ts';
import { meanDifference, percentile } from '../statistics.ts';
import { turnKinds } from './question-maker.ts';
import type { RecordedQuestion, RecordedTurn } from './turn-record.ts';
import { withWrittenCalls } from './written-calls.ts';

/** Prices and samples of efforts as they are unless a configuration says otherwise. */
const { limits } = checkConfig({ models: [{ name: 'any', engine: { kind: 'sim' } }] });

export interface TurnReplay {
  readonly orders: number;
  readonly seed: number;
  /** Calls that stand in the text count, as withWrittenCalls reads them. */
  readonly written: boolean;
}

export interface TurnRow {
  readonly name: string;
  /** Question by question, the mean of the orders. */
  readonly right: readonly number[];
  readonly tokens: number;
  readonly waves: number;
  /** Tokens of the slowest turn of each wave, added up: mean and 90th percentile of all searches. */
  readonly time: number;
  readonly time90: number;
}

export interface TurnTable {
  readonly lines: readonly RecordedQuestion[];
  readonly draws: number;
  readonly rows: readonly TurnRow[];
  /** Shares of all turns: calls that were read in a text, and turns that mean nothing. */
  readonly written: number;
  readonly meaningless: number;
}

const { turn: least } = worthConstants;

export const oneTurn = 'one turn';
export const usualAuto = 'auto medium';

export function replayTurns(lines: readonly RecordedQuestion[], { orders, seed, written }: TurnReplay): TurnTable {
  const read = (turn: RecordedTurn) => (written ? withWrittenCalls(turn) : turn);
  const meanings = lines.map(({ asked, tools, turns, greedy, reference }) => {
    const reading = readingFor(asked, extractAnswer);
    const [right, alone, ...drawn] = [reference, read(greedy), ...turns.map(read)].map((turn) =>
      turnMeaning(turn, tools, reading),
    );
    return { right: right!, alone, drawn };
  });
  const questions = lines.map(({ turns }, at) => {
    const { right, drawn } = meanings[at]!;
    return questionOf(
      turns.map(({ tokens }, each) => {
        const group = drawn[each];
        return { tokens, group, right: group === right, score: Number.NaN };
      }),
    );
  });
  const draws = Math.min(...questions.map(({ tokens }) => tokens.length));
  const replayed = replayArms(questions, armsOf(questions, draws), orders, (at) => new Random('orders', seed, at));
  const rows = replayed.flatMap(({ arm, levels }) =>
    levels.map(({ right, spent, waves, times }, at): TurnRow => {
      const time = { time: mean([...times]), time90: percentile([...times], 90) };
      const name = arm.name === 'votes' ? nameOf(arm.levels[at]!) : arm.name;
      return { name, right: [...right], tokens: mean([...spent]), waves: mean([...waves]), ...time };
    }),
  );
  const all = lines.flatMap(({ turns }) => turns);
  const found = meanings.flatMap(({ drawn }) => drawn);
  return {
    lines,
    draws,
    rows: [greedyRow(lines, meanings), ...rows],
    written: all.filter((turn) => withWrittenCalls(turn) !== turn).length / all.length,
    meaningless: found.filter((each) => each === undefined).length / found.length,
  };
}

function nameOf(count: number): string {
  return count === 1 ? oneTurn : `vote of ${count}`;
}

function greedyRow(
  lines: readonly RecordedQuestion[],
  meanings: readonly { readonly right: string; readonly alone: string | undefined }[],
): TurnRow {
  const tokens = lines.map(({ greedy }) => greedy.tokens);
  const right = meanings.map((each) => Number(each.alone === each.right));
  return {
    name: 'one greedy turn',
    right,
    tokens: mean(tokens),
    waves: 1,
    time: mean(tokens),
    time90: percentile(tokens, 90),
  };
}

/** Votes of turns that are drawn at once, and `auto` at every effort as it ships: without a judge, in waves. */
function armsOf(questions: readonly VoteQuestion[], draws: number): Arm[] {
  const [vote] = allArms(draws, { trust: undefined, cost: 0 }, 0);
  const waves = shippedWaves(Math.max(usualOf(questions), least));
  const atOnce = (course: VoteCourse, count: number) => {
    const times = course.order.slice(0, count).map((turn) => course.question.tokens[turn]!);
    return { ...vote!.stop(course, count), time: Math.max(...times) };
  };
  const counts = [1, 4, 8, 16].filter((count) => count <= draws);
  return [
    { name: 'votes', drawing: oneByOne, levels: counts, stop: atOnce },
    ...efforts.slice(0, -1).map((effort): Arm => {
      const { price, rollouts } = effortOf(limits, effort);
      return {
        name: `auto ${effort}`,
        drawing: oneByOne,
        levels: [price],
        stop: (course) => {
          const own = courseOf(course.question, course.order.slice(0, rollouts), oneByOne);
          return stopAuto(own, price, { trust: undefined, cost: 0, waves, least });
        },
      };
    }),
  ];
}

export function turnLines({ lines, draws, rows, written, meaningless }: TurnTable): string[] {
  const kinds = turnKinds.filter((kind) => lines.some((line) => line.kind === kind));
  const shareOf = (row: TurnRow, kind?: string) =>
    mean(row.right.filter((_, at) => kind === undefined || lines[at]!.kind === kind));
  const rightOf = (row: TurnRow) =>
    [undefined, ...kinds].map((kind) => percentage(shareOf(row, kind)).padStart(10)).join('');
  const asRow = (name: string) => rows.find((row) => row.name === name)!;
  const ahead = (row: TurnRow, base: TurnRow) => {
    const { value, low, high } = meanDifference(row.right.map((right, at) => right - base.right[at]!));
    return `${`${row.name} − ${base.name}`.padEnd(40)}${percentage(value)} [${percentage(low)}, ${percentage(high)}]`;
  };
  const [one, auto, most] = [asRow(oneTurn), asRow(usualAuto), asRow(nameOf(mostOf(rows)))];
  const counted = kinds.map((kind) => `${kind} ${lines.filter((line) => line.kind === kind).length}`).join(', ');
  return [
    `${lines.length} questions (${counted}), ${draws} turns of each; calls that stand in the text ${percentage(written)} %, turns that mean nothing ${percentage(meaningless)} %`,
    `${'right, %'.padEnd(26)}${['all', ...kinds].map((each) => each.padStart(10)).join('')}    tokens  waves  tokens long (90 %)`,
    ...rows.map(
      (row) =>
        `${row.name.padEnd(26)}${rightOf(row)}${row.tokens.toFixed(0).padStart(10)}${row.waves.toFixed(2).padStart(7)}  ${row.time.toFixed(0)} (${row.time90.toFixed(0)})`,
    ),
    'points ahead, paired by question',
    ...rows.filter((row) => row !== one).map((row) => ahead(row, one)),
    ahead(auto, rows[0]!),
    ahead(auto, most),
  ];
}

function mostOf(rows: readonly TurnRow[]): number {
  return Math.max(1, ...rows.map(({ name }) => Number(/^vote of (\d+)$/.exec(name)?.[1] ?? 1)));
}
