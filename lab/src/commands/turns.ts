// `npm run lab -- turns record|replay`: records turns that a model with functions draws on a server, and replays votes over them. A recording
// has one question per line, with all that its replay needs; an interrupted run continues after its last line.

import { appendFileSync } from 'node:fs';
import { raise } from '@coppice/core/base';
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
import { makeQuestions, questionParts } from '../turns/question-maker.ts';
import { type RecordedQuestion, recordTurns } from '../turns/turn-record.ts';
import { replayTurns, turnLines } from '../turns/turn-replay.ts';

const text = 'string';
const recordGroup = {
  url: {
    type: text,
    takes: 'URL',
    default: exampleServer,
    about: 'of a server with a chat endpoint and a parser of calls',
  },
  model: { type: text, takes: 'NAME', about: "the server's name of it" },
  out: { type: text, takes: 'FILE', about: 'the recording' },
  draws: { type: text, takes: 'N', default: '16', about: 'turns of a question, besides the greedy one' },
  temperature: { type: text, takes: 'T', default: '0.8', about: 'of those' },
  'max-tokens': { type: text, takes: 'N', default: '512', about: 'of a turn' },
  questions: { type: text, takes: 'N', default: '400', about: 'how many' },
  part: {
    type: text,
    takes: questionParts.join('|'),
    default: 'held',
    about: 'functions to tune on, or those held out',
  },
  concurrency: { type: text, takes: 'N', default: '64', about: 'requests at a time' },
} as const satisfies CommandFlags;
const replayGroup = {
  orders: { type: text, takes: 'N', default: '20', about: 'random orders of each question’s turns' },
  parsed: { type: 'boolean', default: false, about: 'counts only calls that the server’s parser found' },
  json: { type: 'boolean', default: false, about: 'prints one object a file' },
} as const satisfies CommandFlags;
const bothGroup = {
  seed: { type: text, takes: 'N', default: '1', about: 'of questions and draws, or of orders' },
  ...helpFlag,
} as const satisfies CommandFlags;
const flags = { ...recordGroup, ...replayGroup, ...bothGroup } as const;

export const help: CommandHelp = {
  starts: 'npm run lab --',
  usage: 'turns record --url URL --model NAME --out FILE | turns replay FILE …',
  about: 'Draws turns with calls for made questions whose right calls are known, and replays votes over them.',
  groups: [
    ['turns record', recordGroup],
    ['turns replay', replayGroup],
    ['both', bothGroup],
  ],
  examples: [`turns record --url ${exampleServer} --model gen --out turns.jsonl`, 'turns replay turns.jsonl'],
};

type TurnValues = ReturnType<typeof valuesOf>['values'];

function valuesOf(args: readonly string[]) {
  return readArguments({ args: [...args], options: flags, allowPositionals: true });
}

export async function run(args: readonly string[]): Promise<number> {
  const { values, positionals } = valuesOf(args);
  const [verb, ...files] = positionals;
  const seed = whole('seed', values.seed, 0, 1_000_000, 'seed');
  if (verb === 'record' && files.length === 0) return record(values, seed);
  if (verb === 'replay' && files.length > 0) return replay(values, seed, files);
  return raise('bad-setting', 'npm run lab -- turns record --url URL --model NAME --out FILE, or turns replay FILE …');
}

async function record(values: TurnValues, seed: number): Promise<number> {
  const { url, model, out } = values;
  if (model === undefined || out === undefined)
    return raise('bad-setting', 'turns record wants --model NAME and --out FILE');
  const part = oneOf('part', values.part, questionParts);
  const drawing = {
    draws: whole('draws', values.draws, 1, 128, 'turns'),
    temperature: flagOf('temperature', values.temperature, { low: 0, high: 2, unit: 'number', why: '' }),
    maxTokens: whole('max-tokens', values['max-tokens'], 1, 100_000, 'tokens'),
  };
  const concurrency = whole('concurrency', values.concurrency, 1, 10_000, 'requests');
  // Of more questions the first are the same: the file may grow.
  const questions = makeQuestions(part, seed, whole('questions', values.questions, 1, 100_000, 'questions'));
  const kept = keptUnder<RecordedQuestion>(out, JSON.stringify({ model, part, seed, ...drawing }));
  const known = new Set(kept.map(({ question }) => question));
  const left = questions.filter(({ id }) => !known.has(id));
  let done = 0;
  const failed = await recordTurns({ url, model, seed, ...drawing }, left, concurrency, (line) => {
    appendFileSync(out, `${JSON.stringify(line)}\n`);
    done += 1;
    if (done % 50 === 0) console.error(`${done} of ${left.length}`);
  });
  console.log(`${out}: ${known.size + done} of ${questions.length} questions`);
  for (const [id, why] of [...failed].slice(0, 3)) console.error(`${id}: ${why}`);
  return failed.size > 0 ? 1 : 0;
}

function replay(values: TurnValues, seed: number, files: readonly string[]): number {
  const orders = whole('orders', values.orders, 1, 1000, 'orders');
  for (const file of files) {
    const lines = keptLines<RecordedQuestion>(file);
    if (lines.length < 2) return raise('bad-setting', `${file} holds too few questions to replay`);
    const table = replayTurns(lines, { orders, seed, written: !values.parsed });
    const { lines: _, ...figures } = table;
    if (values.json) console.log(JSON.stringify({ file, orders, seed, questions: lines.length, ...figures }));
    else for (const line of [`${file}, in ${orders} orders: `, ...turnLines(table), '']) console.log(line);
  }
  return 0;
}
