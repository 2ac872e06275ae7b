// `npm run lab -- record FILE`: draws independent samples of questions on a real model and writes their trees, for `sim --trees`, `fit`,
// `npm run lab -- rehearse --trees`. The options of `coppice bench` give questions, samples (--rollouts) and model.

import { closeModel, isRight, openModel, ownModel } from '@coppice/core/answering';
import { raise } from '@coppice/core/base';
import { help as benchHelp, chooseQuestions, readBench } from 'coppice/cli';
import type { CommandHelp } from '../flags.ts';
import { recordTrees } from '../profile-fit/tree-record.ts';

export const help: CommandHelp = {
  ...benchHelp,
  starts: 'npm run lab --',
  usage: 'record FILE [options of coppice bench]',
  about: 'Draws --rollouts samples of every question on a real model and writes their trees to a file.',
  examples: ['record countdown.trees --task countdown --size 60 --rollouts 48'],
};

export async function run(args: readonly string[]): Promise<number> {
  const [file, ...rest] = args;
  if (file === undefined || file.startsWith('-'))
    return raise('bad-setting', 'record where? npm run lab -- record FILE [options]');
  const settings = readBench(rest);
  const questions = chooseQuestions(settings);
  const { own, wish, rollouts: samples, seed } = settings;
  const model = await openModel(ownModel(own), process.env);
  try {
    const recording = { file, model, modelName: own.model ?? 'sapling', wish, samples, seed, isCorrect: isRight };
    await recordTrees(recording, questions);
    console.log(`${questions.length} trees of ${samples} samples in ${file}`);
    return 0;
  } finally {
    await closeModel(model);
  }
}
