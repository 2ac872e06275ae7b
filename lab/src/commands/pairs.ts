// `npm run lab -- pairs WITHOUT WITH`: pairs two files of `contest` over the same questions: the ratios of time, cost and right answers, and
// the number of different answers. Times only mean something if a file's searches ran one at a time.

import { mean, raise } from '@coppice/core/base';
import type { BenchTrial } from '../contest-shapes.ts';
import type { CommandHelp } from '../flags.ts';
import { keptLines } from '../real/kept-lines.ts';
import { meanDifference, percentile } from '../statistics.ts';

export const help: CommandHelp = {
  starts: 'npm run lab --',
  usage: 'pairs WITHOUT WITH',
  about: 'Compares two files of contest over the same questions: times, tokens, right answers, different answers.',
  groups: [],
  examples: ['pairs plain.jsonl speculating.jsonl'],
};

export async function run(args: readonly string[]): Promise<number> {
  const [before, after] = args;
  if (before === undefined || after === undefined)
    return raise('bad-setting', 'which two files of contest? npm run lab -- pairs WITHOUT WITH');
  const firsts = new Map(keptLines<BenchTrial>(before).map((trial) => [trial.question, trial]));
  const both = keptLines<BenchTrial>(after).flatMap((trial): [BenchTrial, BenchTrial][] => {
    const first = firsts.get(trial.question);
    return first === undefined ? [] : [[first, trial]];
  });
  if (both.length === 0) raise('bad-setting', `${before} and ${after} have no question in common`);
  console.log(pairText(both));
  return 0;
}

function pairText(both: readonly (readonly [BenchTrial, BenchTrial])[]): string {
  const median = (at: 0 | 1) =>
    percentile(
      both.map((pair) => pair[at].latencyMs / 1000),
      50,
    );
  const ratio = Math.exp(mean(both.map(([first, second]) => Math.log(first.latencyMs / second.latencyMs))));
  const tokens = ([0, 1] as const).map((at) => mean(both.map((pair) => pair[at].generatedTokens)));
  const { value, low, high } = meanDifference(
    both.map(([first, second]) => 100 * (Number(second.correct) - Number(first.correct))),
  );
  const different = both.filter(([first, second]) => first.answer !== second.answer).length;
  return [
    `${both.length} questions: median ${median(0).toFixed(2)} and ${median(1).toFixed(2)} s (${(median(0) / median(1)).toFixed(2)} times as fast, ${ratio.toFixed(2)} in the mean of questions)`,
    `${tokens[0]!.toFixed(0)} and ${tokens[1]!.toFixed(0)} tokens (${(tokens[1]! / tokens[0]!).toFixed(2)} times)`,
    `right ${value.toFixed(1)} [${low.toFixed(1)}, ${high.toFixed(1)}] points; ${different} answers differ`,
  ].join('; ');
}
