import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SqliteJournal } from '@coppice/core/journal';
import { expect, it, vi } from 'vitest';
import { readRequestTrace } from '../service/index.ts';
import { run } from './trace.ts';

async function journalWith(path: string, searches: readonly [createdMs: number, tokens: object][]): Promise<void> {
  const journal = new SqliteJournal({ path });
  for (const [at, [createdMs, tokens]] of searches.entries()) {
    const id = `s${at}`;
    const facts = {
      owner: 'a',
      fingerprint: id,
      background: false,
      createdMs,
      about: {},
      title: 'secret',
      request: {},
    };
    await journal.accept({ id, ...facts });
    await journal.claim(id, 0, createdMs);
    await journal.finish(id, 1, { state: 'done', endedMs: 9000 - createdMs, outcome: { tokens }, texts: {} });
  }
  await journal.close();
}

it('writes the searches of a journal as a trace, by the time at which they came and without texts', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'journal-'));
  const [journal, file] = [join(folder, 'j.sqlite'), join(folder, 'requests.jsonl')];
  const answered = { prompt: 7, path: 40 };
  await journalWith(journal, [
    [1000, answered],
    [1250.4, { prompt: 9, path: 0 }],
    [2500, { prompt: 8, path: 20 }],
  ]);
  const said = vi.spyOn(console, 'log').mockImplementation(() => {});
  expect(await run([journal, file])).toBe(0);
  expect(said).toHaveBeenCalledWith(`2 requests in ${file}; 1 searches without an answer are left out`);
  said.mockRestore();
  expect(readFileSync(file, 'utf8')).not.toContain('secret');
  expect(readRequestTrace(file)).toMatchObject({
    format: 'coppice',
    requests: [
      { atMs: 0, promptTokens: 7, answerTokens: 40 },
      { atMs: 1500, promptTokens: 8, answerTokens: 20 },
    ],
  });
});

it('says in one line what is missing', async () => {
  await expect(run(['x'])).rejects.toThrow(/npm run lab -- trace JOURNAL FILE/);
  await expect(run(['nowhere.sqlite', 'y'])).rejects.toThrow(/cannot read the journal nowhere.sqlite/);
});
