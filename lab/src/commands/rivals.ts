// `npm run lab -- rivals QUESTIONS SAMPLES [SEARCHES …]`: tries majority, weighted majority and best of n on recorded samples of a real
// model, and compares searches of `contest` with the best of them at as many tokens of both models, paired by question.

import { readQuestions } from '@coppice/core/answering';
import { mean, raise } from '@coppice/core/base';
import type { BenchTrial } from '../contest-shapes.ts';
import type { CommandHelp } from '../flags.ts';
import { keptLines } from '../real/kept-lines.ts';
import { percentage } from '../real/percentage.ts';
import {
  against,
  bestRival,
  ruleRow,
  rules,
  type Sample,
  type Searched,
  slopeOfLead,
  stoppedByLead,
} from '../real/rivals.ts';
import { checkQuestions } from '../real/same-questions.ts';
import { samplesIn } from '../real/sample-files.ts';

export const help: CommandHelp = {
  starts: 'npm run lab --',
  usage: 'rivals QUESTIONS SAMPLES[,MORE] [SEARCHES[,OTHER-SEED] …]',
  about:
    'Prints what rules that choose among samples of a real model come to, and how searches do against the best of them at as many tokens of both models. Samples are a recording of trees or a contest of best-of-n; seeds of one search, joined by commas, count as their mean where a question has them all.',
  groups: [],
  examples: ['rivals gsm8k.jsonl lab/recorded/qwen2.5-coder-1.5b-gsm8k.trees.gz rebase.jsonl'],
};

const shown = [1, 2, 4, 8, 16, 32];
const risks = [0.2, 0.1, 0.05];

export async function run(args: readonly string[]): Promise<number> {
  const [file, drawn, ...searches] = args;
  if (file === undefined || drawn === undefined)
    return raise('bad-setting', 'of what? npm run lab -- rivals QUESTIONS SAMPLES [SEARCHES …]');
  const questions = readQuestions(file);
  const samples = samplesIn(drawn.split(','), questions);
  for (const each of searches.flatMap((seeds) => seeds.split(',')))
    checkQuestions(each, keptLines<BenchTrial>(each), questions);
  const most = Math.max(...[...samples.values()].map(({ length }) => length));
  const whole = new Map([...samples].filter(([, each]) => each.length === most));
  console.log(`${whole.size} questions with ${most} samples each; tokens of both models`);
  for (const count of shown.filter((each) => each <= most)) {
    for (const rule of rules) console.log(rowLine(ruleRow([...whole.values()], rule, count)));
  }
  const drawnAll = [...whole.values()];
  for (const risk of risks) console.log(leadLine(drawnAll, risk, most));
  const halves = [0, 1].map((half) => slopeOfLead(drawnAll.filter((_, at) => at % 2 === half)).toFixed(2));
  console.log(
    `log odds of the leading answer by reward ahead, every second question and the others: ${halves.join(', ')}`,
  );
  for (const each of searches) console.log(searchLine(each, whole));
  return 0;
}

function searchLine(files: string, samples: ReadonlyMap<string, readonly Sample[]>): string {
  const seeds = files
    .split(',')
    .map((file) => new Map(keptLines<BenchTrial>(file).map((trial) => [trial.question, trial])));
  const [first, ...others] = seeds;
  const own = [...first!.keys()].filter((id) => samples.has(id) && others.every((seed) => seed.has(id)));
  if (own.length < 2) return `${files}: too few searches`;
  const searched = own.map((id): Searched => {
    const trials = seeds.map((seed) => seed.get(id)!);
    return {
      right: mean(trials.map(({ correct }) => Number(correct))),
      tokens: mean(trials.map(({ generatedTokens, scoredTokens }) => generatedTokens + scoredTokens)),
    };
  });
  const drawn = own.map((id) => samples.get(id)!);
  const tokens = mean(searched.map((each) => each.tokens));
  const rival = bestRival(drawn, tokens);
  const right = mean(searched.map((each) => each.right));
  const { value, low, high } = against(searched, drawn, rival);
  const gain = `${percentage(value)} [${percentage(low)}, ${percentage(high)}]`;
  const name = [first!.get(own[0]!)!.contender, ...(others.length > 0 ? [`${seeds.length} seeds`] : [])].join(', ');
  return `${name} on ${own.length} questions: ${percentage(right)} %, ${tokens.toFixed(0)} tokens; ${gain} against\n  ${rowLine(rival)}`;
}

function leadLine(drawn: readonly (readonly Sample[])[], risk: number, most: number): string {
  const stopped = drawn.map((samples) => stoppedByLead(samples, risk));
  const tokens = mean(stopped.map((each) => each.tokens));
  const rival = bestRival(drawn, tokens);
  const whole = ruleRow(drawn, 'weighted majority', most);
  const [gain, loss] = [rival, whole].map((row) => {
    const { value, low, high } = against(stopped, drawn, row);
    return `${percentage(value)} [${percentage(low)}, ${percentage(high)}]`;
  });
  const right = percentage(mean(stopped.map((each) => each.right)));
  return `stopped by lead, risk ${risk}: ${right} %, ${tokens.toFixed(0)} tokens (${(tokens / whole.tokens).toFixed(2)} of all ${most}); ${loss} against all, ${gain} against\n  ${rowLine(rival)}`;
}

function rowLine({ rule, samples, right, tokens }: ReturnType<typeof ruleRow>): string {
  return `${rule.padEnd(18)} ${String(samples).padStart(2)} samples  ${percentage(right)} %  ${tokens.toFixed(0)} tokens`;
}
