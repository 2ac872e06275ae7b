// `npm run lab -- lines FILE`: compares trees and samples of a real model on exact tasks; the task's checker judges every line. Every line of the file is a
// search. A second run continues after the last line; if nothing is left to run, it only prints the report.

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
  type LineJob,
  type LineResult,
  lineChecker,
  lineOptions,
  linePrograms,
  searchLines,
} from '../real/line-search.ts';
import { lineTable } from '../real/line-table.ts';
import { lineQuestions, lineTasks } from '../real/line-tasks.ts';

const type = 'string';
const flags = {
  tasks: { type, takes: 'NAMES', default: lineTasks.join(), about: 'some of them' },
  programs: { type, takes: 'NAMES', default: linePrograms.join(), about: 'some of them' },
  seeds: { type, takes: 'N,…', default: '1', about: 'every question is searched under each' },
  size: { type, takes: 'N', default: '200', about: 'the first questions of each task; 0 prints the report alone' },
  part: { type, takes: 'NAME', default: 'test', about: 'test, or tuning: questions that are not measured' },
  'token-budget': { type, takes: 'N', default: '4000', about: 'generated tokens of one search' },
  temperature: { type, takes: 'T', default: '0.8', about: 'of all programs' },
  engine: { type, multiple: true, takes: 'URL', about: 'generates on a server; repeated for each replica' },
  model: { type, takes: 'NAME|FILE', about: "a GGUF file, or the server's name" },
  concurrency: { type, takes: 'N', default: '1', about: 'searches at a time' },
  against: { type, multiple: true, takes: 'FILE', about: 'searches of another file, for the report' },
  ...helpFlag,
} as const satisfies CommandFlags;

export const help: CommandHelp = {
  starts: 'npm run lab --',
  usage: 'lines FILE [options]',
  about: 'Searches exact tasks line by line on a real model and keeps what each search had spent when it was right.',
  groups: [['options', flags]],
  examples: [`lines lines.jsonl --tasks game24 --seeds 1,2,3 --concurrency 256 --engine ${exampleServer}`],
};

type Values = ReturnType<typeof valuesOf>;

function valuesOf(args: readonly string[]) {
  return readArguments({ args: [...args], options: flags }).values;
}

export async function run([file, ...rest]: readonly string[]): Promise<number> {
  if (file === undefined || file.startsWith('-'))
    return raise('bad-setting', 'searches go where? lines FILE [options]');
  const values = valuesOf(rest);
  const tokenBudget = flagOf('token-budget', values['token-budget'], requestKnobs.tokenBudget);
  const temperature = flagOf('temperature', values.temperature, samplingKnobs.temperature);
  const { model, part } = values;
  const kept = keptUnder<LineResult>(file, JSON.stringify({ part, temperature, model, tokenBudget }));
  const keys = new Set(kept.map(keyOf));
  const jobs = jobsOf(values).filter((job) => !keys.has(keyOf(job)));
  const onResult = (line: LineResult) => {
    // One that the server failed is run again by the next call.
    if (line.exit === 'failed') return console.error(line.fault);
    appendFileSync(file, `${JSON.stringify(line)}\n`);
    kept.push(line);
  };
  if (jobs.length > 0) await runAll(jobs, values, { tokenBudget, temperature }, onResult);
  const others = (values.against ?? []).flatMap((each) => keptLines<LineResult>(each));
  for (const line of lineTable([...kept, ...others], tokenBudget)) console.log(line);
  return 0;
}

function keyOf({ task, program, seed, question }: LineJob): string {
  return `${task} ${program} ${seed} ${question}`;
}

/** Program by program within a question: what happens to the machine on the way happens to all. */
function jobsOf({ tasks, programs, seeds, size, part }: Values): LineJob[] {
  const count = whole('size', size, 0, 1000, 'questions');
  const of = oneOf('part', part, ['test', 'tuning']);
  const asked = tasks.split(',').flatMap((name) => {
    const task = oneOf('tasks', name, lineTasks);
    return lineQuestions(task, of)
      .slice(0, count)
      .flatMap((question) =>
        programs.split(',').map((each) => ({ task, question, program: oneOf('programs', each, linePrograms) })),
      );
  });
  return seeds
    .split(',')
    .flatMap((told) => asked.map((job) => ({ ...job, seed: flagOf('seeds', told, requestKnobs.seed) })));
}

async function runAll(
  jobs: readonly LineJob[],
  { engine: urls, model: name, concurrency: told }: Values,
  shared: { readonly tokenBudget: number; readonly temperature: number },
  onResult: (line: LineResult) => void,
): Promise<void> {
  const budget = whole('concurrency', told, 1, 10_000, 'searches');
  const own = name === undefined ? {} : { model: name };
  const engine = urls === undefined ? { kind: 'llama' as const, ...own } : { kind: 'openai' as const, urls, ...own };
  const model = await openModel({ engine, budget, delimiters: ['\n'], stepPrompt: '', verifier: lineChecker });
  const waiting = jobs.toReversed();
  const work = async (): Promise<void> => {
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      onResult(await searchLines(next, { ...lineOptions(next.program), ...shared, model }));
    }
  };
  try {
    await Promise.all(Array.from({ length: Math.min(budget, jobs.length) }, work));
  } finally {
    await model.close();
  }
}
