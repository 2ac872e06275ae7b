// `npm run lab -- panel FILE URL MODEL`: runs a panel of two models live, against the same samples of both run to the end and judged, by vote and by a
// synthesis that is always written. Every line of the file is a question; a second run continues after the last one. The options of `coppice bench` give
// the model itself, questions and settings; URL and MODEL name the second one. `panel FILE` prints the table of a file,
// `panel --recorded QUESTIONS DRAWN DRAWN` the results of rules on recorded samples of two models.

import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { SearchModel } from '@coppice/core';
import { type GoldQuestion, openModel, ownModel, readQuestions } from '@coppice/core/answering';
import { raise } from '@coppice/core/base';
import { help as benchHelp, chooseQuestions, readBench } from 'coppice/cli';
import { type CommandHelp, exampleServer } from '../flags.ts';
import { keepDraws } from '../real/kept-draws.ts';
import { type PanelContest, panelLine } from '../real/panel-contest.ts';
import type { PanelSample } from '../real/panel-replay.ts';
import { liveTable, type PanelLine, replayedTable } from '../real/panel-table.ts';
import { type DrawnLine, drawnLines, sampleOf } from '../real/rivals.ts';

export const help: CommandHelp = {
  ...benchHelp,
  starts: 'npm run lab --',
  usage: 'panel FILE [URL MODEL [options of coppice bench]] | panel --recorded QUESTIONS DRAWN DRAWN',
  about: 'Answers questions with a panel of two models and with all its samples run to the end, and prints one table.',
  examples: [
    `panel gsm8k.jsonl http://localhost:8002/v1 small --questions gsm8k.jsonl --full --engine ${exampleServer} --model big --rollouts 7`,
    'panel --recorded gsm8k.jsonl big.jsonl small.jsonl',
  ],
};

export async function run(args: readonly string[]): Promise<number> {
  const [file, url, name, ...rest] = args;
  if (file === '--recorded') return recorded(args.slice(1));
  if (file === undefined || file.startsWith('-') || (url !== undefined && name === undefined))
    return raise('bad-setting', 'who answers, and where to? npm run lab -- panel FILE URL MODEL [options]');
  if (url !== undefined) await contest(file, url, name!, rest);
  for (const line of liveTable(linesOf(file))) console.log(line);
  return 0;
}

async function contest(file: string, url: string, name: string, rest: readonly string[]): Promise<void> {
  const settings = readBench([...rest, '--programs', 'panel']);
  const { own, wish, rollouts, seed, concurrency } = settings;
  const known = new Set(linesOf(file).map(({ question }) => question));
  const waiting = chooseQuestions(settings)
    .filter(({ id }) => !known.has(id))
    .reverse();
  const small = await opened({ ...own, engines: [url], model: name }, name, []);
  try {
    const big = await opened(own, own.model ?? 'own', [small]);
    try {
      const given: PanelContest = { model: big, wish: { ...wish, rollouts }, seed };
      const one = async (): Promise<void> => {
        for (let question = waiting.pop(); question !== undefined; question = waiting.pop())
          appendFileSync(file, `${JSON.stringify(await panelLine(given, question))}\n`);
      };
      await Promise.all(Array.from({ length: concurrency }, one));
    } finally {
      await big.close();
    }
  } finally {
    await small.close();
  }
}

/** Draws are kept: the second search of a question gets what the first was given. */
async function opened(own: Parameters<typeof ownModel>[0], name: string, panel: readonly SearchModel[]) {
  const parts = await openModel(ownModel({ ...own, settings: { ...own.settings, name } }), process.env);
  return new SearchModel({ ...parts, engine: keepDraws(parts.engine) }, undefined, panel);
}

function linesOf(file: string): PanelLine[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.filter((line) => line.endsWith('}')).map((line) => JSON.parse(line) as PanelLine);
}

/** Samples of each model in a round, as many as a panel of seven rollouts has. */
const recordedRounds = 3;

/** Only questions of which both files have enough samples. */
async function recorded([file, ...drawn]: readonly string[]): Promise<number> {
  if (file === undefined || drawn.length !== 2)
    return raise('bad-setting', 'of what? npm run lab -- panel --recorded QUESTIONS DRAWN DRAWN');
  const questions = readQuestions(file);
  const set = basename(file, '.jsonl');
  const byModel = drawn.map((each) => ofSet(set, drawnLines(each)));
  const whole = questions.flatMap((question, index) => {
    const lines = byModel.map((each) => each.get(index) ?? []);
    const times = Math.floor(Math.min(...lines.map(({ length }) => length)) / recordedRounds);
    const cut = (time: number) => lines.map((own) => own.slice(time * recordedRounds, (time + 1) * recordedRounds));
    return times === 0
      ? []
      : [Array.from({ length: times }, (_, time) => ({ samples: roundsOf(question, cut(time), drawn) }))];
  });
  const tries = whole.reduce((sum, { length }) => sum + length, 0);
  console.log(`${whole.length} questions of ${set}, ${tries} times ${recordedRounds} recorded samples of each model`);
  for (const line of replayedTable(whole)) console.log(line);
  return 0;
}

function ofSet(set: string, lines: readonly DrawnLine[]): Map<number, DrawnLine[]> {
  const own = lines.filter((line) => line.set === set && line.sample >= 0).sort((a, b) => a.sample - b.sample);
  return Map.groupBy(own, ({ index }) => index);
}

function roundsOf(question: GoldQuestion, lines: readonly DrawnLine[][], models: readonly string[]): PanelSample[] {
  return Array.from({ length: recordedRounds }, (_, round) =>
    lines.map((each, at): PanelSample => {
      const { group, right, tokens } = sampleOf(question, each[round]!, []);
      return { model: models[at]!, answer: group ?? null, right, tokens };
    }),
  ).flat();
}
