// `export` refuses these in one line each, and reads a journal.

import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ask, runGateway } from '../../../../../tests/support/running-gateway.ts';
import { ScriptedEngine } from '../../../../../tests/support/scripted-engine.ts';
import type { TextKeeping } from '../../../../core/src/journal/journal.ts';
import { SqliteJournal } from '../../../../core/src/journal/sqlite/sqlite-journal.ts';
import { run } from './export.ts';

let folder: string;
let said: string[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'export-'));
  said = [];
  vi.spyOn(console, 'error').mockImplementation((line: string) => void said.push(line));
});
afterEach(() => vi.restoreAllMocks());

/** A journal on disk with one finished search of two rollouts. */
async function journalled(texts: TextKeeping): Promise<string> {
  const path = join(folder, 'journal.db');
  const engine = new ScriptedEngine();
  engine.tellsTokens = true;
  const { url, close } = await runGateway({ engine, journal: new SqliteJournal({ path, texts }) });
  const messages = [{ role: 'user', content: 'What is 2 + 2?' }];
  await ask(url, { messages, n: 2, return_token_ids: true, coppice: { program: 'tree-samples' } });
  await close();
  return path;
}

describe('refuses in one line', () => {
  const refused = (args: string[], line: string) => expect(run(args)).rejects.toThrow(line);

  it('an unknown format, an unknown table, a missing journal', async () => {
    await refused(['--out', 'trees.csv'], 'its format is not known; the name ends in .jsonl or .parquet');
    await refused(['--rows', 'leaves'], "--rows is 'leaves'; it must be one of nodes, rollouts");
    await refused(['--journal', join(folder, 'none.db')], 'there is no journal');
  });

  it('a journal without ended searches', async () => {
    const path = join(folder, 'empty.db');
    await new SqliteJournal({ path }).close();
    await refused(['--journal', path], 'nothing to export: no search of the journal has ended');
  });

  it('a trace whose search has not ended', async () => {
    const path = join(folder, 'trace.jsonl');
    const planted = { search: 's', sequence: 0, atMs: 0, event: { type: 'planted', aggregation: 'product' } };
    writeFileSync(path, `{"trace":1,"question":"q","model":"m"}\n${JSON.stringify(planted)}\n`);
    await refused([path, '--out', join(folder, 'out.jsonl')], 'no search of the trace has ended (1 have begun)');
  });

  it('and leaves the file of an earlier export as it is', async () => {
    const trace = join(folder, 'trace.jsonl');
    writeFileSync(trace, 'no JSON\n');
    writeFileSync(join(folder, 'out.jsonl'), 'of yesterday');
    await refused([trace, '--out', join(folder, 'out.jsonl')], 'is not JSON');
    expect(readdirSync(folder)).toEqual(['out.jsonl', 'trace.jsonl']);
    expect(readFileSync(join(folder, 'out.jsonl'), 'utf8')).toBe('of yesterday');
  });

  it('a journal that keeps no texts', async () => {
    const path = await journalled('until-end');
    await refused(['--journal', path, '--out', join(folder, 'out.jsonl')], 'the journal keeps no texts of its 1 ended');
  });
});

it('writes the rollouts of a journal, right by the answers of a file', async () => {
  const path = await journalled('keep');
  const [out, reference] = [join(folder, 'rollouts.jsonl'), join(folder, 'answers.jsonl')];
  writeFileSync(reference, '{"question":"What is 2 + 2?","answer":"0"}\n');
  expect(await run(['--journal', path, '--rows', 'rollouts', '--reference', reference, '--out', out])).toBe(0);
  const rows = readFileSync(out, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(rows.length).toBeGreaterThan(0);
  for (const row of rows) {
    expect(row).toMatchObject({ model: 'm', question: 'What is 2 + 2?', prompt_ids: [7, 8, 9], temperature: 0.8 });
    expect(row.right).toBe(row.answer === '0');
    expect(row.completion_mask).toEqual(row.completion_ids.map(() => 1));
  }
  expect(said[0]).toMatch(/rows of 1 searches in .*; [\d.]+ trained tokens per generated token$/);
});
