// `npm run lab -- arrivals FILE LOADS`: compares policies on a real model behind servers while questions arrive at random moments, the same
// for each policy. Every line of the file is a search; a complete cell (a policy at a load) is not run again. The options of
// `coppice bench` give questions, policies and model.

import { appendFileSync } from 'node:fs';
import { closeModel, type GoldQuestion, isRight, openModel, ownModel, usualSearch } from '@coppice/core/answering';
import { raise } from '@coppice/core/base';
import { contendersOf, runBlock } from 'coppice/bench';
import { help as benchHelp, chooseQuestions, configurationOf, readBench } from 'coppice/cli';
import type { BenchContender, BenchContest, BenchTrial } from '../contest-shapes.ts';
import { type CommandHelp, exampleServer } from '../flags.ts';
import { arrivals, mixed } from '../open-load/arrivals.ts';
import { sustained } from '../open-load/sustained.ts';
import { type ArrivalLine, arrivalTable } from '../real/arrival-table.ts';
import { keptUnder } from '../real/kept-lines.ts';
import { type Load, parseLoad } from '../service/index.ts';

export const help: CommandHelp = {
  ...benchHelp,
  starts: 'npm run lab --',
  usage: 'arrivals FILE LOADS [options of coppice bench]',
  about:
    'Serves questions at multiples of what the first of --policies serves (1p,2p), or at so many a second (3/s), and keeps every search. MCTS unless --programs names others.',
  examples: [
    `arrivals p0.jsonl 1p --policies positive,safe --questions gsm8k.jsonl --size 150 --engine ${exampleServer}`,
  ],
};

interface CapacityLine {
  readonly capacity: number;
}

export async function run(args: readonly string[]): Promise<number> {
  const [file, given, ...rest] = args;
  if (file === undefined || given === undefined || file.startsWith('-') || given.startsWith('-'))
    return raise('bad-setting', 'what goes where? npm run lab -- arrivals FILE LOADS [options]');
  const settings = readBench(rest);
  const loads = given.split(',').map((each) => parseLoad(each.trim()));
  // bench has programs of its own where none is named; here they would all be under load.
  const named = rest.some((each) => each.startsWith('--programs'));
  const entrants = named ? settings.entrants : (['mcts'] as const);
  const kept = keptIn(file, JSON.stringify(configurationOf(settings)));
  const questions = mixed(settings.seed, chooseQuestions(settings));
  const model = await openModel(ownModel(settings.own), process.env);
  try {
    const contenders = contendersOf({ ...settings, entrants, usual: usualSearch(model) });
    const contest = { model, settings, isCorrect: isRight };
    const isRelative = loads.some(({ of }) => of !== 'clock');
    const capacity = isRelative ? await capacityIn(file, kept, contest, contenders[0]!, questions) : undefined;
    for (const load of loads) {
      const perSecond = rateOf(load, capacity);
      for (const contender of contenders) {
        const done = kept.lines.filter((line) => line.load === load.name && line.contender === contender.name);
        if (done.length === questions.length) continue;
        const found: ArrivalLine[] = [];
        const atMs = arrivals(settings.seed, questions.length, perSecond);
        await runBlock(contest, contender, questions, (trial) => found.push(lineOf(load, perSecond, trial)), atMs);
        for (const line of found) appendFileSync(file, `${JSON.stringify(line)}\n`);
        kept.lines.push(...found);
        console.error(`${load.name} ${contender.name}`);
      }
    }
    const serves = capacity === undefined ? [] : [`${contenders[0]!.name} serves ${capacity.toFixed(2)} a second`];
    console.log([...serves, ...arrivalTable(kept.lines)].join('\n'));
    return 0;
  } finally {
    await closeModel(model);
  }
}

function lineOf({ name }: Load, perSecond: number, trial: BenchTrial): ArrivalLine {
  return { load: name, perSecond, ...trial };
}

function rateOf({ name, factor, of }: Load, capacity = 0): number {
  if (of === 'vanilla') return raise('bad-setting', `the load is '${name}'; it must be as 0.5p, or a rate as 3/s`);
  return of === 'clock' ? factor : factor * capacity;
}

/** Questions a second that the first policy sustains with all of them there at once; measured once for a file. */
async function capacityIn(
  file: string,
  kept: ReturnType<typeof keptIn>,
  contest: BenchContest,
  contender: BenchContender,
  questions: readonly GoldQuestion[],
): Promise<number> {
  if (kept.capacity !== undefined) return kept.capacity;
  const capacity = await sustained(contest, contender, questions);
  appendFileSync(file, `${JSON.stringify({ capacity } satisfies CapacityLine)}\n`);
  return capacity;
}

/** Refuses a file of other settings. A cell that was broken off is run again as a whole: its lines were never written. */
function keptIn(file: string, head: string): { capacity: number | undefined; lines: ArrivalLine[] } {
  const all = keptUnder<ArrivalLine | CapacityLine>(file, head);
  const capacity = all.find((line): line is CapacityLine => 'capacity' in line)?.capacity;
  return { capacity, lines: all.filter((line): line is ArrivalLine => !('capacity' in line)) };
}
