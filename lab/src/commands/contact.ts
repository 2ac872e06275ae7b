// `npm run lab -- contact`: compares greedy answers with and without coppice, from one server, with one limit and one grader. The options
// of `coppice bench` give questions and model; `--set maxTokens` limits an answer on both sides.

import { readFileSync, writeFileSync } from 'node:fs';
import { closeModel, isRight, openModel, ownModel } from '@coppice/core/answering';
import { raise } from '@coppice/core/base';
import { contendersOf, runBlock } from 'coppice/bench';
import { help as benchHelp, chooseQuestions, readBench } from 'coppice/cli';
import type { BenchTrial } from '../contest-shapes.ts';
import { type CommandHelp, exampleServer } from '../flags.ts';
import { askDirectly, type DirectAnswer } from '../real/direct.ts';
import { meanDifference } from '../statistics.ts';

export const help: CommandHelp = {
  ...benchHelp,
  starts: 'npm run lab --',
  usage: 'contact FILE [options of coppice bench]',
  about: 'Asks a server greedily with coppice and without it, writes every answer to a file and prints one table.',
  examples: [`contact gsm8k.json --questions gsm8k.jsonl --full --engine ${exampleServer} --set maxTokens=700`],
};

const usualLimit = 700;

export async function run(args: readonly string[]): Promise<number> {
  const [file, ...rest] = args;
  if (file === undefined || file.startsWith('-'))
    return raise('bad-setting', 'answers go where? npm run lab -- contact FILE [options]');
  const maxTokens = Number(readBench(rest).wish.maxTokens ?? usualLimit);
  const settings = readBench([...rest, '--programs', 'greedy', '--set', `maxTokens=${maxTokens}`]);
  const [url] =
    settings.own.engines ?? raise('bad-setting', 'contact needs --engine URL: a chat server to ask directly');
  const { model: name = '' } = settings.own;
  const questions = chooseQuestions(settings);
  const server = { url: url!, model: name, maxTokens, concurrency: settings.concurrency };
  const advice = readFileSync(new URL('../../../packages/core/prompts/answer.txt', import.meta.url), 'utf8').trim();
  const bare: DirectAnswer[] = [];
  const advised: DirectAnswer[] = [];
  await askDirectly(server, questions, (answer) => bare.push(answer));
  await askDirectly({ ...server, system: advice }, questions, (answer) => advised.push(answer));
  const model = await openModel(ownModel(settings.own), process.env);
  const through: BenchTrial[] = [];
  try {
    const [greedy] = contendersOf({ ...settings });
    await runBlock({ model, settings, isCorrect: isRight }, greedy!, questions, (trial) => through.push(trial));
  } finally {
    await closeModel(model);
  }
  writeFileSync(file, JSON.stringify({ questions: questions.length, maxTokens, bare, advised, through }));
  console.log(row('without coppice, no system message', bare));
  console.log(row('without coppice, its sentence as system message', advised));
  const found = through.map(({ question, correct, generatedTokens }) => ({
    question,
    correct,
    tokens: generatedTokens,
  }));
  console.log(row('through coppice', found, best(bare, advised)));
  return 0;
}

type Answers = readonly Pick<DirectAnswer, 'question' | 'correct' | 'tokens'>[];

/** The better of two rows: coppice is measured against that. */
function best(one: Answers, other: Answers): Answers {
  return rightOf(one) >= rightOf(other) ? one : other;
}

function rightOf(answers: Answers): number {
  return answers.filter(({ correct }) => correct).length / answers.length;
}

function row(name: string, answers: Answers, against?: Answers): string {
  const tokens = answers.reduce((sum, each) => sum + each.tokens, 0) / answers.length;
  const text = `${name.padEnd(50)} ${(100 * rightOf(answers)).toFixed(1)} % of ${answers.length}, ${tokens.toFixed(0)} tokens`;
  if (against === undefined) return text;
  const right = new Map(against.map(({ question, correct }) => [question, Number(correct)]));
  const gains = answers.map(({ question, correct }) => Number(correct) - right.get(question)!);
  const { value, low, high } = meanDifference(gains);
  const points = (share: number) => (100 * share).toFixed(1);
  return `${text}, ${points(value)} points against the better [${points(low)}, ${points(high)}]`;
}
