// `coppice export`: writes finished searches as training data, from a journal or from traces. Rows go to a file, whose ending names the
// format, or as JSON lines to the output; a line on the error output counts what was left out. A file of that name is replaced once all
// rows are written.

import { createWriteStream, renameSync, rmSync } from 'node:fs';
import { extname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { raise } from '@coppice/core/base';
import { type Config, journalKind } from '@coppice/core/config';
import { ExportCounts, exportTrees, type TableName, tableColumns, tableNames } from '../../export/export-trees.ts';
import type { LoggedSearch } from '../../export/finished-tree.ts';
import { writeParquet } from '../../export/parquet.ts';
import { type ExportRow, jsonLine } from '../../export/row.ts';
import { configFlags, readConfig } from '../flags/config-file.ts';
import { type Flags, type Help, helpFlag } from '../flags/help.ts';
import { oneOf, readArguments } from '../flags/options.ts';
import { defaultModels } from '../plugins/plugins.ts';
import { journalledSearches, rightnessBy, tracedSearches } from './export/exported-searches.ts';

const sourceGroup = {
  journal: { type: 'string', takes: 'FILE', about: 'short for --set journal.path=FILE' },
  ...configFlags,
} as const satisfies Flags;
const outputGroup = {
  rows: { type: 'string', takes: 'NAME', default: 'nodes', about: `${tableNames.join(' or ')}: what a row is` },
  out: { type: 'string', takes: 'FILE', about: '.jsonl or .parquet; without it JSON lines are printed' },
  reference: { type: 'string', takes: 'FILE', about: 'right answers: JSONL with question and answer' },
  ...helpFlag,
} as const satisfies Flags;

export const flags = { ...sourceGroup, ...outputGroup } as const;

export const help: Help = {
  usage: 'export [TRACE…] [options]',
  about: 'Writes finished searches as data to train on: of the journal, or of traces that ask --trace wrote.',
  groups: [
    ['where from', sourceGroup],
    ['what', outputGroup],
  ],
  examples: [
    'export --out trees.parquet',
    'export --rows rollouts --reference questions.jsonl --out rollouts.jsonl',
    'export trace.jsonl --rows rollouts',
  ],
  notes: 'token ids are there where recordTokens was on when the search ran; a journal in SQLite must not be in use',
};

export async function run(args: readonly string[]): Promise<number> {
  const { values, positionals } = readArguments({ args: [...args], allowPositionals: true, options: flags });
  const table = oneOf('rows', values.rows, tableNames);
  const format = formatOf(values.out);
  const isRight = rightnessBy(values.reference);
  const path = values.journal === undefined ? [] : [`journal.path=${JSON.stringify(values.journal)}`];
  const counts = new ExportCounts();
  const part = values.out && `${values.out}.part`;
  const rowsOf = (searches: Iterable<LoggedSearch> | AsyncIterable<LoggedSearch>) =>
    write(format, part, table, exportTrees(searches, { table, isRight, counts }));
  try {
    if (positionals.length > 0) await rowsOf(tracedSearches(positionals));
    else await fromJournal(readConfig(values, defaultModels(), path), rowsOf);
    if (counts.searches === 0) raise('bad-setting', nothingIn(positionals.length, counts.unfinished));
    if (part !== undefined) renameSync(part, values.out!);
  } finally {
    if (part !== undefined) rmSync(part, { force: true });
  }
  console.error(summary(counts, values.out));
  return 0;
}

type Format = 'jsonl' | 'parquet';

function formatOf(out: string | undefined): Format {
  if (out === undefined) return 'jsonl';
  const ending = extname(out);
  if (ending === '.jsonl' || ending === '.parquet') return ending.slice(1) as Format;
  return raise('bad-setting', `--out ${out}: its format is not known; the name ends in .jsonl or .parquet`);
}

async function fromJournal(config: Config, use: (searches: AsyncIterable<LoggedSearch>) => Promise<void>) {
  const journal = await journalKind(config.journal.kind).read(config, process.env);
  try {
    await use(journalledSearches(journal));
  } finally {
    await journal.close();
  }
}

async function write(format: Format, out: string | undefined, table: TableName, rows: AsyncIterable<ExportRow>) {
  if (out !== undefined && format === 'parquet') return writeParquet(out, tableColumns[table], rows);
  const lines = Readable.from(linesOf(rows));
  if (out !== undefined) return pipeline(lines, createWriteStream(out, { mode: 0o600 }));
  for await (const line of lines) process.stdout.write(line);
}

async function* linesOf(rows: AsyncIterable<ExportRow>): AsyncGenerator<string> {
  for await (const row of rows) yield jsonLine(row);
}

function nothingIn(traces: number, unfinished: number): string {
  const where = traces > 0 ? (traces === 1 ? 'the trace' : 'the traces') : 'the journal';
  return `nothing to export: no search of ${where} has ended${unfinished > 0 ? ` (${unfinished} have begun)` : ''}`;
}

function summary(
  { searches, rows, unfinished, withoutTokens, trainedTokens, generatedTokens }: ExportCounts,
  out = '',
) {
  const perToken = (trainedTokens / generatedTokens).toFixed(2);
  return [
    `${rows} rows of ${searches} searches${out === '' ? '' : ` in ${out}`}`,
    ...(trainedTokens > 0 ? [`${perToken} trained tokens per generated token`] : []),
    ...(unfinished > 0 ? [`${unfinished} searches have not ended and are left out`] : []),
    ...(withoutTokens > 0
      ? [
          `${withoutTokens} rows have no token ids: their searches ran without recordTokens=on, or their engine tells none`,
        ]
      : []),
  ].join('; ');
}
