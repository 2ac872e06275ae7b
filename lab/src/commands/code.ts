// `npm run lab -- code FILE`: runs programs on programming tasks with a real model; tests that no search sees judge them. Every line of the file
// is a search. A second run continues after the last line; if nothing is left to run, it only prints the report. The first line has
// the settings that all searches of the file share.

import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { raise } from '@coppice/core/base';
import { modelKnobs, overlay, requestKnobs, samplingKnobs } from '@coppice/core/config';
import { runnerCommand, sandboxKinds } from '@coppice/core/verifier';
import { CommandVerifier, type ModelSettings, openModel, programNames, type SearchOptions } from 'coppice';
import { readSettings, setFlag } from 'coppice/cli';
import {
  type CommandFlags,
  type CommandHelp,
  type CommandSettings,
  exampleServer,
  flagOf,
  helpFlag,
  oneOf,
  readArguments,
  whole,
} from '../flags.ts';
import { replayLines } from '../real/code-replay.ts';
import { type CodeLine, Grader, searchCode } from '../real/code-search.ts';
import { codeTable } from '../real/code-table.ts';
import { type CodeTask, readTasks } from '../real/code-tasks.ts';
import { keptLines, keptUnder } from '../real/kept-lines.ts';

const text = 'string';
const scope: CommandSettings = { search: ['maxDepth', 'topP', 'topK', 'minP'], model: () => true };

const taskGroup = {
  questions: {
    type: text,
    takes: 'FILES',
    default: 'humaneval.jsonl,mbpp.jsonl',
    about: 'of HumanEval and MBPP, by commas',
  },
  ids: { type: text, takes: 'A-B', about: 'only MBPP tasks A to B by their own numbers (its test part is 11-510)' },
  size: { type: text, takes: 'N', about: 'so many of each file, spread evenly' },
  write: {
    type: text,
    takes: 'TASKS',
    about: 'writes tasks, runner and words of a repair for other programs, and ends',
  },
} as const satisfies CommandFlags;
const searchGroup = {
  programs: {
    type: text,
    takes: 'NAMES',
    default: 'best-of-n,refine',
    about: 'the first is what others are held against',
  },
  policy: { type: text, takes: 'NAME', default: 'positive', about: 'all end when every searching test passes' },
  seeds: { type: text, takes: 'N,…', default: '1', about: 'every task is searched under each' },
  'token-budget': { type: text, takes: 'N', default: '3000', about: 'generated tokens of one search' },
  'answer-tokens': { type: text, takes: 'N', default: '768', about: 'of one answer' },
  rollouts: { type: text, takes: 'N', default: '64', about: 'answers of one search' },
  temperature: { type: text, takes: 'T', default: '0.8', about: 'of both programs' },
  ...setFlag,
} as const satisfies CommandFlags;
const machineGroup = {
  engine: { type: text, multiple: true, takes: 'URL', about: 'a server of the generator; once per replica' },
  model: { type: text, takes: 'NAME|FILE', about: "a GGUF file, or the server's name" },
  concurrency: { type: text, takes: 'N', default: '1', about: 'searches at a time' },
  budget: { type: text, takes: 'N', about: 'strands at a time; as many as searches unless set' },
  parallel: { type: text, takes: 'N', default: '2', about: 'tests that run at a time' },
  'test-ms': { type: text, takes: 'MS', default: '5000', about: 'longest run of the tests of one answer' },
  sandbox: {
    type: text,
    takes: 'NAME',
    default: 'bubblewrap',
    about: 'bubblewrap, or limits: the code under test is not shut in',
  },
  seconds: {
    type: text,
    takes: 'N',
    default: '1000000',
    about: 'begins no search after so long; 0 prints the report alone',
  },
  texts: { type: 'boolean', default: false, about: 'keeps what was answered and what the tests said' },
  replay: {
    type: text,
    takes: 'N',
    about: 'also replays refine over the answers of the file, alone and learning, N times',
  },
  against: { type: text, multiple: true, takes: 'FILE', about: 'searches of another file, for the report' },
  ...helpFlag,
} as const satisfies CommandFlags;
const flags = { ...taskGroup, ...searchGroup, ...machineGroup } as const;

export const help: CommandHelp = {
  starts: 'npm run lab --',
  usage: 'code FILE [options]',
  about: 'Searches for code that passes half of the tests, grades it by the other half and keeps every search.',
  groups: [
    ['the tasks', taskGroup],
    ['every search', searchGroup],
    ['the machine', machineGroup],
  ],
  examples: [`code code.jsonl --questions humaneval.jsonl --seeds 1,2,3 --concurrency 200 --engine ${exampleServer}`],
};

type Values = ReturnType<typeof valuesOf>;

function valuesOf(args: readonly string[]) {
  return readArguments({ args: [...args], options: flags }).values;
}

/** One search that the file does not hold yet. */
interface CodeJob {
  readonly program: string;
  readonly seed: number;
  readonly task: CodeTask;
}

export async function run(args: readonly string[]): Promise<number> {
  const [file, ...rest] = args;
  if (file === undefined || file.startsWith('-'))
    return raise('bad-setting', 'searches go where? npm run lab -- code FILE [options]');
  const values = valuesOf(rest);
  const times = values.replay === undefined ? 0 : whole('replay', values.replay, 1, 1000, 'times');
  const tasks = tasksOf(values);
  if (values.write !== undefined) return writeTasks(values.write, tasks);
  const programs = values.programs.split(',').map((name) => oneOf('programs', name.trim(), programNames()));
  const seeds = values.seeds.split(',').map((seed) => flagOf('seeds', seed.trim(), requestKnobs.seed));
  const kept = keptUnder<CodeLine>(file, headOf(values));
  const keys = new Set(kept.map(keyOf));
  // Program by program within a task: what happens to the machine on the way happens to all.
  const jobs = seeds
    .flatMap((seed) => tasks.flatMap((task) => programs.map((program) => ({ program, seed, task }))))
    .filter(({ program, seed, task }) => !keys.has(keyOf({ program, seed, question: task.id })));
  if (jobs.length > 0 && secondsOf(values) > 0) await runAll(jobs, values, (line) => keep(file, kept, line));
  const asked = new Set(tasks.map(({ id }) => id));
  const others = (values.against ?? []).flatMap((each) => keptLines<CodeLine>(each));
  const shown = [...kept, ...others].filter(({ question }) => asked.has(question));
  const budget = budgetOf(values);
  if (shown.length > 0) console.log(codeTable(shown, programs[0]!, [budget / 4, budget / 2, budget]).join('\n'));
  for (const line of times === 0 ? [] : replayLines(shown, budget, times)) console.log(line);
  return 0;
}

function keep(file: string, kept: CodeLine[], line: CodeLine): void {
  appendFileSync(file, `${JSON.stringify(line)}\n`);
  kept.push(line);
}

function keyOf({ program, seed, question }: Pick<CodeLine, 'program' | 'seed' | 'question'>): string {
  return `${program} ${seed} ${question}`;
}

function budgetOf(values: Values): number {
  return flagOf('token-budget', values['token-budget'], requestKnobs.tokenBudget);
}

function secondsOf(values: Values): number {
  return whole('seconds', values.seconds, 0, 1_000_000, 'seconds');
}

function tasksOf({ questions, ids, size }: Values): CodeTask[] {
  const [from, to] = ids === undefined ? [0, Number.POSITIVE_INFINITY] : rangeOf(ids);
  const isAsked = ({ id }: CodeTask) => {
    const number = /^MBPP\/(\d+)$/.exec(id)?.[1];
    return number === undefined || (Number(number) >= from && Number(number) <= to);
  };
  return questions.split(',').flatMap((each) => {
    const all = readTasks(each.trim()).filter(isAsked);
    const count = size === undefined ? all.length : Math.min(all.length, whole('size', size, 1, 1_000_000, 'tasks'));
    return Array.from({ length: count }, (_, at) => all[Math.floor((at * all.length) / count)]!);
  });
}

function rangeOf(given: string): readonly [number, number] {
  const [, from = '', to = ''] = /^(\d+)-(\d+)$/.exec(given) ?? [];
  if (from === '') raise('bad-setting', `--ids is '${given}'; it must be two numbers, such as 11-510`);
  return [Number(from), Number(to)];
}

/** What a program beside coppice needs to search in the same way. */
function writeTasks(file: string, tasks: readonly CodeTask[]): number {
  const repair = readFileSync(new URL('../../../packages/core/prompts/refine.txt', import.meta.url), 'utf8').trim();
  const runner = runnerCommand('python3', 'inside').at(-2);
  writeFileSync(file, [{ runner, repair }, ...tasks].map((each) => `${JSON.stringify(each)}\n`).join(''));
  console.log(`${tasks.length} tasks in ${file}`);
  return 0;
}

/** What all searches of a file share; machines and numbers at a time may change between two runs of it. */
function headOf(values: Values): string {
  const { policy, rollouts, temperature, engine, model, set } = values;
  const limits = { tokenBudget: budgetOf(values), answerTokens: values['answer-tokens'], testMs: values['test-ms'] };
  return JSON.stringify({ policy, rollouts, temperature, ...limits, model, servers: engine?.length, set });
}

async function runAll(jobs: readonly CodeJob[], values: Values, onLine: (line: CodeLine) => void): Promise<void> {
  const { command, tests } = testing(values);
  const concurrency = whole('concurrency', values.concurrency, 1, 10_000, 'searches');
  const model = await openModel(modelOf(values, concurrency, tests));
  const grader = new Grader({ ...command, parallel: Math.max(1, Math.ceil(command.parallel / 2)) });
  const waiting = [...jobs].reverse();
  const fromMs = performance.now();
  const untilMs = fromMs + 1000 * secondsOf(values);
  const next = () => (performance.now() < untilMs ? waiting.pop() : undefined);
  let done = 0;
  const work = async (): Promise<void> => {
    for (let job = next(); job !== undefined; job = next()) {
      const { program, ...rest } = job;
      const options = optionsOf(program, values);
      onLine(await searchCode({ ...rest, model, options, grader, keepsTexts: values.texts }));
      done += 1;
      if (done % 100 === 0) console.error(`${done} of ${jobs.length} after ${seconds(fromMs)} s`);
    }
  };
  try {
    await Promise.all(Array.from({ length: Math.min(concurrency, jobs.length) }, work));
    console.log(`${done} searches in ${seconds(fromMs)} s, ${concurrency} at a time; ${tests.note}`);
  } finally {
    await model.close();
    await grader.close();
  }
}

function seconds(fromMs: number): string {
  return ((performance.now() - fromMs) / 1000).toFixed(1);
}

function testing(values: Values) {
  const sandbox = oneOf('sandbox', values.sandbox, sandboxKinds);
  const parallel = whole('parallel', values.parallel, 1, 1024, 'processes');
  const timeoutMs = whole('test-ms', values['test-ms'], 100, 600_000, 'ms');
  const command = { command: 'python', sandbox, parallel, timeoutMs } as const;
  return { command, tests: new CommandVerifier(command) };
}

/** Answers are whole: no string ends a step. */
const never = '<|no delimiter|>';

function modelOf(values: Values, concurrency: number, verifier: CommandVerifier): ModelSettings {
  const { engine: urls, model } = values;
  const budget = values.budget === undefined ? concurrency : whole('budget', values.budget, 1, 100_000, 'strands');
  const named = model === undefined ? {} : { model };
  const engine =
    urls === undefined ? { kind: 'llama' as const, ...named } : { kind: 'openai' as const, urls, ...named };
  const own = { engine, budget, delimiters: [never], stepPrompt: '', threshold: 1 };
  const { model: set } = readSettings(values.set, scope);
  return { ...(overlay(own, set) as unknown as ModelSettings), verifier };
}

function optionsOf(program: string, values: Values): SearchOptions & { readonly program: string } {
  const answerTokens = flagOf('answer-tokens', values['answer-tokens'], modelKnobs.stepTokens);
  const { refine, ...wish } = readSettings(values.set, scope).wish;
  const own = {
    'best-of-n': { 'best-of-n': { window: 1 } },
    refine: { refine: { answerTokens, ...refine } },
  };
  return {
    ...(wish as SearchOptions),
    ...own[program as keyof typeof own],
    program: program as never,
    policy: values.policy as never,
    rollouts: flagOf('rollouts', values.rollouts, requestKnobs.rollouts),
    tokenBudget: budgetOf(values),
    stepTokens: answerTokens,
    maxTokens: answerTokens,
    ...(program === 'greedy'
      ? {}
      : { temperature: flagOf('temperature', values.temperature, samplingKnobs.temperature) }),
  };
}
