// `coppice export` writes what clients asked and models answered: files that their owner alone can read.

import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { run } from '../../packages/coppice/src/cli/commands/export.ts';
import { SqliteJournal } from '../../packages/core/src/journal/sqlite/sqlite-journal.ts';
import { ask, runGateway } from '../support/running-gateway.ts';

test("an export is its owner's alone", async () => {
  const folder = mkdtempSync(join(tmpdir(), 'coppice-export-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  vi.spyOn(console, 'error').mockImplementation(() => {});
  onTestFinished(() => void vi.restoreAllMocks());
  const path = join(folder, 'journal.db');
  const { url, close } = await runGateway({ journal: new SqliteJournal({ path }) });
  expect((await ask(url, {})).status).toBe(200);
  await close();
  for (const file of ['rows.jsonl', 'rows.parquet'].map((name) => join(folder, name))) {
    expect(await run(['--journal', path, '--out', file])).toBe(0);
    const { mode, size } = statSync(file);
    expect([(mode & 0o777).toString(8), size > 1000]).toEqual(['600', true]);
  }
});
