// `npm run lab -- load LOADS`: runs MCTS under several policies on the embedded engine while questions arrive at random moments, beside the
// simulator's prediction of the same run. The options of `coppice bench` give questions, policies and model.

import { closeModel, isRight, noteFor, openModel, ownModel } from '@coppice/core/answering';
import { raise } from '@coppice/core/base';
import { contendersOf } from 'coppice/bench';
import { help as benchHelp, chooseQuestions, configurationLine, configurationOf, readBench } from 'coppice/cli';
import type { CommandHelp } from '../flags.ts';
import { openLoad } from '../open-load/open-load.ts';
import { openLoadLines } from '../open-load/open-load-table.ts';
import { type Load, parseLoad } from '../service/index.ts';

export const help: CommandHelp = {
  ...benchHelp,
  starts: 'npm run lab --',
  usage: 'load LOADS [options of coppice bench]',
  about:
    'Serves questions at multiples of what the first of --policies serves (0.5p,1p,2p), or at so many a second (3/s), and says what the simulator makes of it.',
  examples: ['load 0.5p,1p,2p --task countdown --set check=none --policies positive,safe --size 20 --rollouts 8'],
};

export async function run(args: readonly string[]): Promise<number> {
  const [given = '', ...rest] = args;
  const loads = given.split(',').map((each) => readLoad(each.trim()));
  const settings = readBench(rest);
  const questions = chooseQuestions(settings);
  const contenders = contendersOf({ ...settings, entrants: ['mcts'] });
  const model = await openModel(ownModel(settings.own), process.env);
  try {
    const contest = { model, settings, isCorrect: isRight };
    const found = await openLoad({ contest, contenders, questions, loads }, (about) => console.error(about));
    const configuration = configurationOf(settings);
    const lines = [`${questions.length} questions, ${noteFor(model)}`, ...openLoadLines(found), ''];
    if (settings.json) console.log(JSON.stringify({ ...configuration, note: noteFor(model), ...found }));
    else console.log([...lines, configurationLine(configuration)].join('\n'));
    return 0;
  } finally {
    await closeModel(model);
  }
}

/** Multiples of what the first policy serves; there is no vanilla to measure here. */
function readLoad(text: string): Load {
  const load = parseLoad(text);
  return load.of === 'vanilla'
    ? raise('bad-setting', `the load is '${text}'; it must be as 0.5p, or a rate as 3/s`)
    : load;
}
