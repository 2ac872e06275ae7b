import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, describe, expect, test } from 'vitest';
import { type JournalCase, journalConformance } from '../../../tests/conformance/journal.ts';
import { FaultError } from '../../base/fault.ts';
import { SqliteJournal } from './sqlite-journal.ts';

const folder = mkdtempSync(join(tmpdir(), 'coppice-journal-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let files = 0;
function freshPath(): string {
  files += 1;
  return join(folder, `${files}.db`);
}

function makeCase(): JournalCase {
  const path = freshPath();
  return {
    open: (texts) => new SqliteJournal({ path, texts }),
    reopen: async (journal) => {
      await journal.close();
      return new SqliteJournal({ path });
    },
  };
}

describe('the journal on disk', () => {
  journalConformance(makeCase);

  test('a file of the first format gets the tables that it lacks', async () => {
    const path = freshPath();
    await new SqliteJournal({ path }).close();
    const old = new DatabaseSync(path);
    old.exec('drop table documents; drop table parts; pragma user_version = 1;');
    old.close();
    const journal = new SqliteJournal({ path });
    expect(await journal.documents.list({ kind: 'file', limit: 1 })).toEqual([]);
    await journal.close();
  });

  test('a second process on the same file is refused with the setting to change', async () => {
    const path = freshPath();
    const first = new SqliteJournal({ path });
    expect(() => new SqliteJournal({ path })).toThrowError(FaultError);
    expect(() => new SqliteJournal({ path })).toThrowError(/journal\.path/);
    await first.close();
  });

  test('texts that are not to be kept never reach the file, erased ones leave it', async () => {
    for (const texts of ['never', 'until-end'] as const) {
      const path = freshPath();
      const journal = new SqliteJournal({ path, texts });
      const request = { prompt: 'the-secret-question' };
      const about = { model: 'm' };
      const title = 'the-secret-question';
      await journal.accept({
        id: 'a',
        owner: 'o',
        fingerprint: 'f',
        background: false,
        createdMs: 0,
        about,
        title,
        request,
      });
      await journal.claim('a', 0, 0);
      const step = { text: 'the-secret-answer', tokens: 1, meanLogprob: 0, end: 'eos' } as const;
      const event = { type: 'grown', node: 1, key: 9, parent: 0, index: 0, step, terminal: true } as const;
      journal.append(1, { search: 'a', sequence: 0, atMs: 0, event });
      await journal.finish('a', 1, { state: 'done', endedMs: 1, outcome: {}, texts: { content: 'the-secret-answer' } });
      await journal.close();
      expect(readFileSync(path).includes('the-secret')).toBe(false);
    }
  });

  test('a write that the disk refuses is told to its caller and does not stop the next', async () => {
    const journal = new SqliteJournal({ path: freshPath() });
    const about = { loop: undefined as unknown };
    about.loop = about;
    const bad = {
      id: 'a',
      owner: 'o',
      fingerprint: 'f',
      background: true,
      createdMs: 0,
      about,
      title: '',
      request: {},
    };
    await expect(journal.accept(bad)).rejects.toThrowError(/journal\.path/);
    expect(await journal.accept({ ...bad, about: {} })).toEqual({ fresh: true });
    await journal.close();
  });
});
