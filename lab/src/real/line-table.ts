// Trees and samples on exact tasks as tables: right answers within so many generated tokens and the tokens spent under that bound, and the lead of
// trees over samples, paired by question and averaged over seeds. Pure.

import { mean } from '@coppice/core/base';
import { meanDifference } from '../statistics.ts';
import type { LineResult } from './line-search.ts';
import { percentage } from './percentage.ts';

/** `most`: token budget of a search; the bounds are this and its halves. */
export function lineTable(found: readonly LineResult[], most: number): string[] {
  const bounds = [16, 8, 4, 2, 1].map((part) => Math.round(most / part));
  return Object.entries(Object.groupBy(found, ({ task }) => task)).flatMap(([task, lines]) => {
    const all = Object.entries(Object.groupBy(lines, ({ program }) => program));
    const rivals = all.filter(([program]) => program.endsWith('samples'));
    const trees = all.filter((each) => !rivals.includes(each));
    return [
      `${task}: right in % (tokens spent) within ${bounds.join(', ')} tokens`,
      ...all.map(([program, own]) => `  ${program.padEnd(12)} ${bounds.map((bound) => cellOf(own, bound)).join('  ')}`),
      ...trees.flatMap(([tree, own]) =>
        rivals.map(
          ([rival, its]) => `  ${tree} over ${rival}: ${bounds.map((bound) => gainOf(own, its, bound)).join('  ')}`,
        ),
      ),
      ...all.map(([program, own]) => `  ${program}: ${traitsOf(own)}`),
    ];
  });
}

function isRightWithin({ right, tokens }: LineResult, bound: number): number {
  return Number(right && tokens <= bound);
}

function cellOf(lines: readonly LineResult[], bound: number): string {
  const spent = mean(lines.map(({ tokens }) => Math.min(tokens, bound)));
  return `${percentage(mean(lines.map((line) => isRightWithin(line, bound))))} (${spent.toFixed(0)})`;
}

/** Over questions and seeds that both have. */
function gainOf(trees: readonly LineResult[], rivals: readonly LineResult[], bound: number): string {
  const keyOf = ({ question, seed }: LineResult) => `${question} ${seed}`;
  const others = new Map(rivals.map((line) => [keyOf(line), isRightWithin(line, bound)]));
  const both = trees.filter((line) => others.has(keyOf(line)));
  const byQuestion = Object.values(Object.groupBy(both, ({ question }) => question));
  const gains = byQuestion.map((own) =>
    mean(own!.map((line) => isRightWithin(line, bound) - others.get(keyOf(line))!)),
  );
  const { value, low, high } = meanDifference(gains);
  return `${percentage(value)} [${percentage(low)}, ${percentage(high)}]`;
}

function traitsOf(lines: readonly LineResult[]): string {
  const sum = (read: (line: LineResult) => number) => lines.reduce((total, line) => total + read(line), 0);
  const drawn = sum(({ lines: count }) => count);
  const wrong = percentage(sum(({ falseLines }) => falseLines) / drawn);
  const [read, cached] = [mean(lines.map((line) => line.promptTokens)), mean(lines.map((line) => line.cachedTokens))];
  const exits = Object.entries(Object.groupBy(lines, ({ exit }) => exit)).map(
    ([exit, all]) => `${all!.length} ${exit}`,
  );
  return `${drawn} lines, ${wrong} % false; prompts ${read.toFixed(0)} computed, ${cached.toFixed(0)} cached; ${exits.join(', ')}`;
}
