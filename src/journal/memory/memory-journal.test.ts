import { describe, expect, test } from 'vitest';
import { journalConformance } from '../../../tests/conformance/journal.ts';
import { MemoryJournal } from './memory-journal.ts';

describe('the journal in memory', () => {
  journalConformance(() => ({ open: (texts) => new MemoryJournal(texts) }));

  test('holds so many ended searches and no more', async () => {
    const journal = new MemoryJournal('keep', 2);
    for (const id of ['a', 'b', 'c']) {
      const fresh = {
        id,
        owner: 'o',
        fingerprint: 'f',
        background: true,
        createdMs: 0,
        about: {},
        title: '',
        request: {},
      };
      await journal.accept({ ...fresh, idempotencyKey: id });
      await journal.claim(id, 0, 0);
      await journal.finish(id, 1, { state: 'done', endedMs: 1, outcome: {}, texts: {} });
    }
    expect((await journal.list({ limit: 9 })).map(({ id }) => id)).toEqual(['c', 'b']);
  });
});
