// Trees and samples on exact tasks as tables: what each gets right within so many generated tokens and spends under that bound, and how far trees are
// ahead of samples, paired by question and averaged over seeds. Pure.

import { mean } from '@coppice/core/base';
import { meanDifference } from '../statistics.ts';
import type { SearchedLines } from './line-search.ts';
import { percentage } from './percentage.ts';

/** `most`: the token budget of the searches; the bounds are it and its halves. */
export function lineTable(found: readonly SearchedLines[], most: number): string[] {
  const bounds = [16, 8, 4, 2, 1].map((part) => Math.round(most / part));
  return [...new Set(found.map(({ task }) => task))].flatMap((task) => {
    const lines = found.filter((line) => line.task === task);
    const programs = [...new Set(lines.map(({ program }) => program))];
    const own = (program: string) => lines.filter((line) => line.program === program);
    const rivals = programs.filter((program) => program.endsWith('samples'));
    const trees = programs.filter((program) => !rivals.includes(program));
    return [
      `${task}: right in % (tokens spent) within ${bounds.join(', ')} tokens`,
      ...programs.map((program) => rowOf(program, own(program), bounds)),
      ...trees.flatMap((tree) => rivals.map((rival) => gainRow(tree, rival, own(tree), own(rival), bounds))),
      ...programs.map((program) => traitsOf(program, own(program))),
    ];
  });
}

function isRightWithin({ right, tokens }: SearchedLines, bound: number): boolean {
  return right && tokens <= bound;
}

function rowOf(program: string, lines: readonly SearchedLines[], bounds: readonly number[]): string {
  const cells = bounds.map((bound) => {
    const right = percentage(mean(lines.map((line) => Number(isRightWithin(line, bound)))));
    return `${right} (${mean(lines.map(({ tokens }) => Math.min(tokens, bound))).toFixed(0)})`;
  });
  return `  ${program.padEnd(12)} ${cells.join('  ')}`;
}

function gainRow(
  tree: string,
  rival: string,
  trees: readonly SearchedLines[],
  rivals: readonly SearchedLines[],
  bounds: readonly number[],
): string {
  const cells = bounds.map((bound) => {
    const [after, before] = [trees, rivals].map((lines) => sharesOf(lines, bound));
    const both = [...after!.keys()].filter((question) => before!.has(question));
    const { value, low, high } = meanDifference(
      both.map((question) => mean(after!.get(question)!) - mean(before!.get(question)!)),
    );
    return `${percentage(value)} [${percentage(low)}, ${percentage(high)}]`;
  });
  return `  ${tree} over ${rival}, points: ${cells.join('  ')}`;
}

/** For each question, whether it was got right under each seed. */
function sharesOf(lines: readonly SearchedLines[], bound: number): Map<string, number[]> {
  const found = new Map<string, number[]>();
  for (const line of lines)
    found.set(line.question, [...(found.get(line.question) ?? []), Number(isRightWithin(line, bound))]);
  return found;
}

function traitsOf(program: string, lines: readonly SearchedLines[]): string {
  const sum = (read: (line: SearchedLines) => number) => lines.reduce((total, line) => total + read(line), 0);
  const drawn = sum(({ lines: count }) => count);
  const share = percentage(sum(({ falseLines }) => falseLines) / drawn);
  const per = (sum(({ tokens }) => tokens) / sum(({ paths }) => paths)).toFixed(1);
  const read = `${(sum(({ promptTokens }) => promptTokens) / lines.length).toFixed(0)} of prompts computed, ${(sum(({ cachedTokens }) => cachedTokens) / lines.length).toFixed(0)} cached`;
  const questions = new Set(lines.map(({ question }) => question)).size;
  const seeds = new Set(lines.map(({ seed }) => seed)).size;
  const exits = Object.entries(Object.groupBy(lines, ({ exit }) => exit)).map(
    ([exit, all]) => `${all!.length} ${exit}`,
  );
  return `  ${program}: ${drawn} lines, ${share} % false; ${per} tokens a path; ${read}; ${questions} questions, ${seeds} seeds; ${exits.join(', ')}`;
}
