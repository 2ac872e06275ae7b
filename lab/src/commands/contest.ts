// `npm run lab -- contest FILE`: runs one program over questions on a real model. Every line of the file is a search: its cost, its answer, and
// its tree without texts, so that rules that choose an answer can be compared afterwards. A second run continues after the last
// line. The options of `coppice bench` give questions, program and model.

import { appendFileSync } from 'node:fs';
import { closeModel, isRight, openModel, ownModel } from '@coppice/core/answering';
import { raise } from '@coppice/core/base';
import { contendersOf, runBlock } from 'coppice/bench';
import { help as benchHelp, chooseQuestions, configurationOf, readBench } from 'coppice/cli';
import type { BenchTrial } from '../contest-shapes.ts';
import { type CommandHelp, exampleServer } from '../flags.ts';
import { keptUnder } from '../real/kept-lines.ts';
import { type KeptNode, keptTree } from '../real/kept-tree.ts';

export const help: CommandHelp = {
  ...benchHelp,
  starts: 'npm run lab --',
  usage: 'contest FILE [options of coppice bench]',
  about: 'Answers questions with one of --programs on a real model and keeps every search with its tree.',
  examples: [`contest rebase.jsonl --programs rebase --questions gsm8k.jsonl --full --engine ${exampleServer}`],
};

export async function run(args: readonly string[]): Promise<number> {
  const [file, ...rest] = args;
  if (file === undefined || file.startsWith('-'))
    return raise('bad-setting', 'searches go where? npm run lab -- contest FILE [options]');
  const settings = readBench(rest);
  const [contender, ...others] = contendersOf({ ...settings });
  if (contender === undefined || others.length > 0)
    return raise('bad-setting', '--programs and --policies must name one each');
  const { range: _, size: __, ...told } = configurationOf(settings);
  const trials = keptUnder<BenchTrial>(file, JSON.stringify({ ...told, contender }));
  const kept = new Set(trials.map(({ question }) => question));
  const questions = chooseQuestions(settings).filter(({ id }) => !kept.has(id));
  const model = await openModel(ownModel(settings.own), process.env);
  const trees = new Map<string, KeptNode[]>();
  try {
    const contest = {
      model,
      settings,
      isCorrect: isRight,
      onTree: ({ question }, tree) =>
        trees.set(
          question.id,
          keptTree(tree, (answer) => isRight(question, answer)),
        ),
    } satisfies Parameters<typeof runBlock>[0];
    await runBlock(contest, contender, questions, (trial: BenchTrial) => {
      appendFileSync(file, `${JSON.stringify({ ...trial, nodes: trees.get(trial.question) })}\n`);
      trees.delete(trial.question);
    });
    console.log(`${questions.length} searches of ${contender.name} in ${file}`);
    return 0;
  } finally {
    await closeModel(model);
  }
}
