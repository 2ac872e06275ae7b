// `npm run lab -- drafts FILE --model TARGET --draft DRAFT --questions FILE`: tries a draft model for a real target on the embedded engine (P2), with and
// without it in turns on the same questions. Every line of the file is one block of questions under one way of drafting. A second run continues after
// the last line; a run whose time is up finishes its current line. If nothing is left to run, it only prints the tables.

import { appendFileSync, readFileSync } from 'node:fs';
import { readQuestions } from '@coppice/core/answering';
import { raise } from '@coppice/core/base';
import { modelPath } from '@coppice/llama';
import { printed } from '../experiment/table.ts';
import { type CommandFlags, type CommandHelp, helpFlag, oneOf, readArguments, whole } from '../flags.ts';
import { rowCosts } from '../micro/row-costs.ts';
import { DraftRanks } from '../real/draft-ranks.ts';
import {
  type DraftBlock,
  type DraftContender,
  type DraftLine,
  type DraftPair,
  DraftRunner,
} from '../real/draft-rounds.ts';
import { type DecodeCosts, draftTable, shapeTable } from '../real/draft-table.ts';
import { keptUnder } from '../real/kept-lines.ts';

const text = 'string';
const pairGroup = {
  model: { type: text, takes: 'NAME|FILE', default: 'sapling', about: 'the target' },
  draft: { type: text, takes: 'NAME|FILE', default: 'sapling-draft', about: 'the draft model, of the same vocabulary' },
  threads: {
    type: text,
    takes: 'N',
    default: '1',
    about: 'of every decode; a draft thread and its target get half each',
  },
} as const satisfies CommandFlags;
const workGroup = {
  questions: { type: text, takes: 'FILE', default: 'gsm8k.jsonl', about: 'asked in their order' },
  rounds: { type: text, takes: 'N', default: '4', about: 'blocks of each temperature and number of sequences' },
  drafts: {
    type: text,
    takes: 'WAYS',
    default: 'inline:1,inline:2,inline:4,inline:8',
    about: 'where and how many tokens, by commas: inline:N or thread:N',
  },
  sequences: { type: text, takes: 'N,…', default: '1,4', about: 'questions at a time' },
  temperatures: { type: text, takes: 'T,…', default: '0,0.8', about: 'of every answer' },
  'answer-tokens': { type: text, takes: 'N', default: '160', about: 'of one answer at most' },
  seconds: {
    type: text,
    takes: 'N',
    default: '1000000',
    about: 'begins nothing after so long; 0 prints the tables alone',
  },
  markdown: { type: 'boolean', default: false, about: 'tables for a page' },
  ...helpFlag,
} as const satisfies CommandFlags;
const flags = { ...pairGroup, ...workGroup } as const;

export const help: CommandHelp = {
  starts: 'npm run lab --',
  usage: 'drafts FILE [options]',
  about: 'Writes answers with drafts and without them in turns, keeps every block and prints what drafting gave.',
  groups: [
    ['the models', pairGroup],
    ['the work', workGroup],
  ],
  examples: ['drafts drafts.jsonl --model 1.5b.gguf --draft 0.5b.gguf --questions gsm8k.jsonl --threads 4'],
};

type Values = ReturnType<typeof valuesOf>;
type KeptLine = DraftLine | DecodeCosts;

const none: DraftContender = { name: 'none', tokens: 0, where: 'inline' };
const costRows = [1, 2, 3, 4, 5, 7, 9, 13, 17] as const;
const costRepetitions = 8;

function valuesOf(args: readonly string[]) {
  return readArguments({ args: [...args], options: flags }).values;
}

export async function run(args: readonly string[]): Promise<number> {
  const [file, ...rest] = args;
  if (file === undefined || file.startsWith('-'))
    return raise('bad-setting', 'blocks go where? npm run lab -- drafts FILE [options]');
  const values = valuesOf(rest);
  const pair = pairOf(values);
  const kept = keptUnder<KeptLine>(file, JSON.stringify(pair));
  const seconds = whole('seconds', values.seconds, 0, 1_000_000, 'seconds');
  const keep = (line: KeptLine): void => {
    appendFileSync(file, `${JSON.stringify(line)}\n`);
    kept.push(line);
  };
  if (seconds > 0) await measure(pair, values, kept, performance.now() + 1000 * seconds, keep);
  tell(kept, values.markdown ? 'markdown' : 'text');
  return 0;
}

function pairOf(values: Values): DraftPair {
  return {
    model: modelPath(values.model),
    draft: modelPath(values.draft),
    threads: whole('threads', values.threads, 1, 256, 'threads'),
    system: readFileSync(new URL('../../../packages/core/prompts/answer.txt', import.meta.url), 'utf8').trim(),
    answerTokens: whole('answer-tokens', values['answer-tokens'], 2, 2048, 'tokens'),
  };
}

/** All ways within a block before the next: what happens to the machine on the way happens to all. */
async function measure(
  pair: DraftPair,
  values: Values,
  kept: readonly KeptLine[],
  untilMs: number,
  onLine: (line: KeptLine) => void,
): Promise<void> {
  const contenders = [none, ...values.drafts.split(',').map((each) => contenderOf(each.trim()))];
  const done = new Set(kept.map((line) => (line.kind === 'round' ? `${line.block} ${line.drafts}` : line.kind)));
  const jobs = blocksOf(values).flatMap((block) => contenders.map((contender) => ({ block, contender })));
  const missing = jobs.filter(({ block, contender }) => !done.has(`${block.block} ${contender.name}`));
  if (!done.has('cost')) onLine(costLine(pair));
  if (missing.length === 0) return;
  const runners = new Map<string, DraftRunner>();
  const ranks = new DraftRanks(pair);
  try {
    for (const { block, contender } of missing) {
      if (performance.now() > untilMs) return;
      const runner = runners.get(contender.name) ?? (await DraftRunner.open(pair, contender));
      runners.set(contender.name, runner);
      onLine(withRanks(await runner.run(block), block, ranks));
    }
  } finally {
    for (const runner of runners.values()) await runner.close();
    ranks.close();
  }
}

function withRanks(line: DraftLine, { questions }: DraftBlock, ranks: DraftRanks): DraftLine {
  if (line.temperature > 0 || line.drafts !== none.name) return line;
  return { ...line, ranked: line.written.map((written, at) => ranks.of(questions[at]!, written)) };
}

function contenderOf(name: string): DraftContender {
  const [place, count] = name.split(':');
  const where = oneOf('drafts', place ?? '', ['inline', 'thread'] as const);
  return { name, where, tokens: whole('drafts', count ?? '', 1, 32, 'tokens') };
}

/** Every temperature and number of sequences in turn, so that a run that is broken off has some of each. */
function blocksOf(values: Values): DraftBlock[] {
  const questions = readQuestions(values.questions).map(({ question }) => question);
  const sequences = values.sequences.split(',').map((each) => whole('sequences', each.trim(), 1, 8, 'sequences'));
  const temperatures = values.temperatures.split(',').map(Number);
  const cells = sequences.flatMap((count) => temperatures.map((temperature) => ({ count, temperature })));
  const most = Math.max(...sequences);
  return Array.from({ length: whole('rounds', values.rounds, 1, 10_000, 'blocks') }, (_, round) =>
    cells.map(({ count, temperature }, at) => {
      const from = (round * most) % Math.max(1, questions.length - most);
      return { block: round * cells.length + at, temperature, questions: questions.slice(from, from + count) };
    }),
  ).flat();
}

function costLine({ model, draft, threads }: DraftPair): DecodeCosts {
  const sizes = costRows.map((rows) => [1, rows] as const);
  const options = { threads, repetitions: costRepetitions };
  const [target, drafting] = [rowCosts(model, sizes, options), rowCosts(draft, sizes, options)];
  return { kind: 'cost', threads, rows: costRows, target, draft: drafting };
}

function tell(kept: readonly KeptLine[], style: 'text' | 'markdown'): void {
  const rounds = kept.filter((line) => line.kind === 'round');
  const cost = kept.find((line) => line.kind === 'cost');
  const ranked = rounds.flatMap((line) => line.ranked ?? []);
  const costs = cost === undefined ? [] : [costWords(cost)];
  const replayed = cost === undefined || ranked.length === 0 ? [] : [shapeTable(ranked, cost)];
  console.log(printed([...draftTable(rounds), ...costs, ...replayed], style));
}

function costWords({ rows, target, draft, threads }: DecodeCosts): string {
  const row = (times: readonly number[]) => times.map((ms, at) => `${rows[at]}: ${ms.toFixed(1)}`).join(', ');
  return `ms of a decode by its rows, ${threads} threads: target ${row(target)}; draft model ${row(draft)}`;
}
