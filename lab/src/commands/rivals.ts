// `npm run lab -- rivals QUESTIONS DRAWN SCORED [SEARCHES …]`: majority, weighted majority and best of n over recorded samples of a real
// model, and searches of `contest` against the best of them at as many tokens of both models, paired by question.

import { basename } from 'node:path';
import { type GoldQuestion, type Help, mean, raise, readQuestions, type Trial } from 'coppice/internals';
import { keptLines } from '../real/kept-lines.ts';
import {
  against,
  bestRival,
  type DrawnLine,
  drawnLines,
  recordedLines,
  ruleRow,
  rules,
  type Sample,
  type ScoredLine,
  type Searched,
  sampleOf,
  slopeOfLead,
  stoppedByLead,
} from '../real/rivals.ts';

export const help: Help = {
  starts: 'npm run lab --',
  usage: 'rivals QUESTIONS DRAWN SCORED [SEARCHES …]',
  about:
    'Prints what rules that choose among samples of a real model come to, and how searches do against the best of them at as many tokens of both models.',
  groups: [],
  examples: ['rivals gsm8k.jsonl tests.jsonl scores.jsonl rebase.jsonl'],
};

const shown = [1, 2, 4, 8, 16];
const risks = [0.2, 0.1, 0.05];

export async function run(args: readonly string[]): Promise<number> {
  const [file, drawn, scored, ...searches] = args;
  if (file === undefined || drawn === undefined || scored === undefined)
    return raise('bad-setting', 'of what? npm run lab -- rivals QUESTIONS DRAWN SCORED [SEARCHES …]');
  const questions = readQuestions(file);
  const samples = samplesOf(basename(file, '.jsonl'), questions, drawn, scored);
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

function samplesOf(
  set: string,
  questions: readonly GoldQuestion[],
  drawn: string,
  scored: string,
): Map<string, Sample[]> {
  const odds = new Map(recordedLines<ScoredLine>(scored).map((line) => [keyOf(line), line.odds]));
  const found = new Map<string, Sample[]>();
  const own = drawnLines(drawn).filter((line) => line.set === set && line.sample >= 0);
  for (const line of own.sort((a, b) => a.sample - b.sample)) {
    const question = questions[line.index]!;
    const score = odds.get(keyOf(line));
    if (score === undefined) continue;
    found.set(question.id, [...(found.get(question.id) ?? []), sampleOf(question, line, score)]);
  }
  return found;
}

function keyOf({ set, index, sample }: Pick<DrawnLine, 'set' | 'index' | 'sample'>): string {
  return `${set}:${index}:${sample}`;
}

function searchLine(file: string, samples: ReadonlyMap<string, readonly Sample[]>): string {
  const own = keptLines<Trial>(file).filter(({ question }) => samples.has(question));
  if (own.length < 2) return `${file}: too few searches`;
  const searched = own.map(({ correct, generatedTokens, scoredTokens }): Searched => {
    return { right: correct, tokens: generatedTokens + scoredTokens };
  });
  const drawn = own.map(({ question }) => samples.get(question)!);
  const tokens = mean(searched.map((each) => each.tokens));
  const rival = bestRival(drawn, tokens);
  const right = mean(searched.map((each) => Number(each.right)));
  const { value, low, high } = against(searched, drawn, rival);
  const gain = `${points(value)} [${points(low)}, ${points(high)}]`;
  return `${own[0]!.contender} on ${own.length} questions: ${points(right)} %, ${tokens.toFixed(0)} tokens; ${gain} against\n  ${rowLine(rival)}`;
}

function leadLine(drawn: readonly (readonly Sample[])[], risk: number, most: number): string {
  const stopped = drawn.map((samples) => stoppedByLead(samples, risk));
  const tokens = mean(stopped.map((each) => each.tokens));
  const rival = bestRival(drawn, tokens);
  const whole = ruleRow(drawn, 'weighted majority', most);
  const [gain, loss] = [rival, whole].map((row) => {
    const { value, low, high } = against(stopped, drawn, row);
    return `${points(value)} [${points(low)}, ${points(high)}]`;
  });
  const right = points(mean(stopped.map((each) => Number(each.right))));
  return `stopped by lead, risk ${risk}: ${right} %, ${tokens.toFixed(0)} tokens (${(tokens / whole.tokens).toFixed(2)} of all ${most}); ${loss} against all, ${gain} against\n  ${rowLine(rival)}`;
}

function rowLine({ rule, samples, right, tokens }: ReturnType<typeof ruleRow>): string {
  return `${rule.padEnd(18)} ${String(samples).padStart(2)} samples  ${points(right)} %  ${tokens.toFixed(0)} tokens`;
}

function points(share: number): string {
  return (100 * share).toFixed(1);
}
