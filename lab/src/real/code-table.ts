// Programs on programming tasks as a table: right answers, costs, and the lead over the first program, paired by task and averaged
// over seeds; also at equal tokens, by the best answer that each had found by then. Pure.

import { mean } from '@coppice/core/base';
import { meanDifference } from '../statistics.ts';
import type { CodeAnswer, CodeLine } from './code-search.ts';
import { percentage } from './percentage.ts';

/** `first`: the program to compare with; `tokens`: budgets per search at which programs are compared, besides their ends. */
export function codeTable(found: readonly CodeLine[], first: string, tokens: readonly number[]): string[] {
  const lines = found.toSorted((a, b) => Number(b.program === first) - Number(a.program === first));
  const sets = [...new Set(lines.map(({ set }) => set))];
  const parts = sets.length > 1 ? [...sets, undefined] : sets;
  return parts.flatMap((set) =>
    tableOf(set ?? 'all', set === undefined ? lines : lines.filter((line) => line.set === set), tokens),
  );
}

function tableOf(name: string, lines: readonly CodeLine[], tokens: readonly number[]): string[] {
  const programs = [...new Set(lines.map(({ program }) => program))];
  const [base, ...others] = programs.map((program) => lines.filter((line) => line.program === program));
  const rows = programs.flatMap((program) => {
    const own = lines.filter((line) => line.program === program);
    return [rowOf(program, own), ...laterLine(own)];
  });
  const pairs = others.flatMap((own) => [
    gainLine(`  ${own[0]!.program} against ${base![0]!.program}`, base!, own, ({ right }) => right),
    ...tokens.map((limit) =>
      gainLine(`    after ${limit} tokens`, base!, own, ({ answers }) => isRightWithin(answers, limit)),
    ),
  ]);
  return [name, ...rows, ...pairs];
}

/** What answers behind a failed first one come to, new ones and repairs apart: each was written where none before it had passed. */
function laterLine(lines: readonly CodeLine[]): string[] {
  const later = lines.flatMap(({ answers }) => answers.slice(1));
  const kinds = [
    ['a later fresh answer', later.filter(({ depth }) => depth === 1)],
    ['a first repair', later.filter(({ depth }) => depth === 2)],
    ['a repair of a repair', later.filter(({ depth }) => depth > 2)],
  ] as const;
  const said = kinds.flatMap(([kind, all]) => {
    if (all.length === 0) return [];
    const share = (is: (answer: CodeAnswer) => boolean) => percentage(all.filter(is).length / all.length);
    const repeats = share(({ repeats }) => repeats === true);
    return `${kind} passes in ${share(({ score }) => score === 1)} % of ${all.length}, repeats one in ${repeats} %`;
  });
  return said.length === 0 ? [] : [`    ${said.join('; ')}`];
}

function rowOf(program: string, lines: readonly CodeLine[]): string {
  const tasks = new Set(lines.map(({ question }) => question)).size;
  const seeds = new Set(lines.map(({ seed }) => seed)).size;
  const of = (read: (line: CodeLine) => number) => mean(lines.map(read));
  const right = percentage(of(({ right }) => Number(right)));
  const passed = percentage(of(({ score }) => Number(score === 1)));
  const repairs = of(({ answers }) => answers.filter(({ depth }) => depth > 1).length);
  const spent = `${of(({ tokens }) => tokens).toFixed(0)} tokens, ${of(({ promptTokens }) => promptTokens).toFixed(0)} of prompts computed`;
  const drawn = `${of(({ answers }) => answers.length).toFixed(2)} answers, ${repairs.toFixed(2)} of them repairs`;
  const took = `${(of(({ ms }) => ms) / 1000).toFixed(2)} s a search`;
  const failed = lines.filter(({ exit }) => exit === 'failed').length;
  const size = `${tasks} tasks, ${seeds} seeds`;
  return `  ${program.padEnd(12)} ${right} % right, ${passed} % pass what searches; ${spent}; ${drawn}; ${took}; ${size}${failed > 0 ? `; ${failed} FAILED` : ''}`;
}

function gainLine(
  name: string,
  base: readonly CodeLine[],
  own: readonly CodeLine[],
  isRight: (line: CodeLine) => boolean,
): string {
  const [before, after] = [byTask(base, isRight), byTask(own, isRight)];
  const both = [...after.keys()].filter((task) => before.has(task));
  const { value, low, high } = meanDifference(both.map((task) => mean(after.get(task)!) - mean(before.get(task)!)));
  const [first, second] = [before, after].map((each) => percentage(mean(both.map((task) => mean(each.get(task)!)))));
  return `${name}: ${percentage(value)} points [${percentage(low)}, ${percentage(high)}] (${second} to ${first} %, ${both.length} tasks)`;
}

/** For each task, whether it was got right under each seed. */
function byTask(lines: readonly CodeLine[], isRight: (line: CodeLine) => boolean): Map<string, number[]> {
  const found = new Map<string, number[]>();
  for (const line of lines) found.set(line.question, [...(found.get(line.question) ?? []), Number(isRight(line))]);
  return found;
}

/** Whether the best answer within so many tokens is right: the last graded one of them. */
export function isRightWithin(answers: readonly CodeAnswer[], limit: number): boolean {
  let spent = 0;
  let right = false;
  for (const answer of answers) {
    spent += answer.tokens;
    if (spent > limit) break;
    right = answer.right ?? right;
  }
  return right;
}
