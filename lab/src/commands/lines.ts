// `npm run lab -- lines FILE`: trees and samples of a real model on exact tasks, every line judged by the task's checker. Each search ends with its
// first right answer or with its tokens, and is a line of the file; a second run goes on behind what the file holds, and with nothing left
// to run it prints the report alone. The first line says the settings that all searches of the file share.

import { appendFileSync } from 'node:fs';
import { raise } from '@coppice/core/base';
import { requestKnobs, samplingKnobs } from '@coppice/core/config';
import { openModel } from 'coppice';
import {
  type CommandFlags,
  type CommandHelp,
  exampleServer,
  flagOf,
  helpFlag,
  oneOf,
  readArguments,
  whole,
} from '../flags.ts';
import { keptLines, keptUnder } from '../real/kept-lines.ts';
import {
  type LineSearch,
  lineChecker,
  linePrograms,
  optionsOf,
  type SearchedLines,
  searchLines,
} from '../real/line-search.ts';
import { lineTable } from '../real/line-table.ts';
import { type LineQuestion, lineQuestions, lineTasks } from '../real/line-tasks.ts';

const text = 'string';
const searchGroup = {
  tasks: { type: text, takes: 'NAMES', default: 'game24', about: `${lineTasks.join(', ')}` },
  programs: {
    type: text,
    takes: 'NAMES',
    default: linePrograms.join(),
    about: 'the first is what others are held against',
  },
  seeds: { type: text, takes: 'N,…', default: '1', about: 'every question is searched under each' },
  size: { type: text, takes: 'N', default: '200', about: 'so many questions of each task, spread evenly' },
  part: { type: text, takes: 'NAME', default: 'test', about: 'test, or tuning: questions that are not measured' },
  'token-budget': { type: text, takes: 'N', default: '4000', about: 'generated tokens of one search' },
  temperature: { type: text, takes: 'T', default: '0.8', about: 'of all programs' },
} as const satisfies CommandFlags;
const machineGroup = {
  engine: { type: text, multiple: true, takes: 'URL', about: 'generates on a server; repeated for each replica' },
  model: { type: text, takes: 'NAME|FILE', about: "a GGUF file, or the server's name" },
  concurrency: { type: text, takes: 'N', default: '1', about: 'searches at a time, one strand each' },
  seconds: {
    type: text,
    takes: 'N',
    default: '1000000',
    about: 'begins no search after so long; 0 prints the report alone',
  },
  texts: { type: 'boolean', default: false, about: 'keeps every line that was drawn' },
  against: { type: text, multiple: true, takes: 'FILE', about: 'searches of another file, for the report' },
  ...helpFlag,
} as const satisfies CommandFlags;
const flags = { ...searchGroup, ...machineGroup } as const;

export const help: CommandHelp = {
  starts: 'npm run lab --',
  usage: 'lines FILE [options]',
  about: 'Searches exact tasks line by line on a real model and keeps what every search had spent when it was right.',
  groups: [
    ['every search', searchGroup],
    ['the machine', machineGroup],
  ],
  examples: [`lines lines.jsonl --tasks game24,countdown --seeds 1,2,3 --concurrency 256 --engine ${exampleServer}`],
};

type Values = ReturnType<typeof valuesOf>;

function valuesOf(args: readonly string[]) {
  return readArguments({ args: [...args], options: flags }).values;
}

interface LineJob extends LineSearch {
  readonly asked: LineQuestion;
}

export async function run(args: readonly string[]): Promise<number> {
  const [file, ...rest] = args;
  if (file === undefined || file.startsWith('-'))
    return raise('bad-setting', 'searches go where? npm run lab -- lines FILE [options]');
  const values = valuesOf(rest);
  const seconds = whole('seconds', values.seconds, 0, 1_000_000, 'seconds');
  const { part, temperature, model, 'token-budget': tokenBudget } = values;
  const kept = keptUnder<SearchedLines>(file, JSON.stringify({ part, temperature, model, tokenBudget }));
  const done = new Set(kept.map(keyOf));
  const jobs = jobsOf(values).filter((job) => !done.has(keyOf(job)));
  const keep = (line: SearchedLines) => {
    appendFileSync(file, `${JSON.stringify(line)}\n`);
    kept.push(line);
  };
  if (jobs.length > 0 && seconds > 0) await runAll(jobs, values, performance.now() + 1000 * seconds, keep);
  const all = [...kept, ...(values.against ?? []).flatMap((each) => keptLines<SearchedLines>(each))];
  for (const line of lineTable(all, budgetOf(values))) console.log(line);
  return 0;
}

function keyOf({ task, program, seed, question }: LineSearch): string {
  return `${task} ${program} ${seed} ${question}`;
}

function budgetOf(values: Values): number {
  return flagOf('token-budget', values['token-budget'], requestKnobs.tokenBudget);
}

/** Program by program within a question: what happens to the machine on the way happens to all. */
function jobsOf(values: Values): LineJob[] {
  const names = <Name extends string>(flag: string, told: string, known: readonly Name[]) =>
    told.split(',').map((name) => oneOf(flag, name.trim(), known));
  const part = oneOf('part', values.part, ['test', 'tuning'] as const);
  const size = whole('size', values.size, 1, 1_000_000, 'questions');
  const seeds = values.seeds.split(',').map((seed) => flagOf('seeds', seed.trim(), requestKnobs.seed));
  return names('tasks', values.tasks, lineTasks).flatMap((task) => {
    const all = lineQuestions(task, part);
    const count = Math.min(size, all.length);
    const questions = Array.from({ length: count }, (_, at) => all[Math.floor((at * all.length) / count)]!);
    return seeds.flatMap((seed) =>
      questions.flatMap((asked) =>
        names('programs', values.programs, linePrograms).map((program) => ({
          task,
          program,
          seed,
          question: asked.id,
          asked,
        })),
      ),
    );
  });
}

async function runAll(
  jobs: readonly LineJob[],
  values: Values,
  untilMs: number,
  onLine: (line: SearchedLines) => void,
): Promise<void> {
  const concurrency = whole('concurrency', values.concurrency, 1, 10_000, 'searches');
  const temperature = flagOf('temperature', values.temperature, samplingKnobs.temperature);
  const { engine: urls, model: name } = values;
  const named = name === undefined ? {} : { model: name };
  const engine =
    urls === undefined ? { kind: 'llama' as const, ...named } : { kind: 'openai' as const, urls, ...named };
  const model = await openModel({
    engine,
    budget: concurrency,
    delimiters: ['\n'],
    stepPrompt: '',
    verifier: lineChecker,
  });
  const waiting = [...jobs].reverse();
  const next = () => (performance.now() < untilMs ? waiting.pop() : undefined);
  let ended = 0;
  const work = async (): Promise<void> => {
    for (let job = next(); job !== undefined; job = next()) {
      const options = { ...optionsOf(job.program), tokenBudget: budgetOf(values), temperature };
      onLine(await searchLines(job, job.asked, { model, options, keepsTexts: values.texts }));
      ended += 1;
      if (ended % 100 === 0) console.error(`${ended} of ${jobs.length}`);
    }
  };
  try {
    await Promise.all(Array.from({ length: Math.min(concurrency, jobs.length) }, work));
  } finally {
    await model.close();
  }
}
