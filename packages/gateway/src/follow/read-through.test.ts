import { describe, expect, test } from 'vitest';
import type { Loose } from '../../../../tests/support/loose.ts';
import { post, question, runGateway, serverEvents } from '../../../../tests/support/running-gateway.ts';
import { FaultError, fault } from '../../../core/src/base/fault.ts';
import { SqliteJournal } from '../../../core/src/journal/sqlite/sqlite-journal.ts';
import { eventsIn } from '../../../core/src/log/entry.ts';
import { readThrough } from './log-watchers.ts';

function away(): never {
  throw new FaultError(fault('unavailable', 'the database cannot be used'));
}

describe('a read of the journal', () => {
  test('is tried again after growing pauses, until it succeeds', async () => {
    const pauses: number[] = [];
    let left = 8;
    const read = async () => {
      left -= 1;
      return left < 0 ? 'read' : away();
    };
    const pause = async (ms: number) => void pauses.push(ms);
    expect(await readThrough(read, new AbortController().signal, pause)).toBe('read');
    expect(pauses).toEqual([50, 100, 200, 400, 800, 1600, 2000, 2000]);
  });

  test('ends with its client', async () => {
    const gone = new AbortController();
    const pause = async () => gone.abort();
    expect(await readThrough(async () => away(), gone.signal, pause)).toBeUndefined();
    // It ends at once if the client leaves in the middle of a pause.
    const later = new AbortController();
    const reading = readThrough(async () => away(), later.signal);
    later.abort();
    expect(await reading).toBeUndefined();
  });

  test('that fails for another reason is not repeated', async () => {
    let reads = 0;
    const read = async () => {
      reads += 1;
      throw new FaultError(fault('damaged', 'a row'));
    };
    await expect(readThrough(read, new AbortController().signal)).rejects.toThrow('damaged: a row');
    expect(reads).toBe(1);
  });
});

/** A database that fails a given number of reads. */
class FlakyJournal extends SqliteJournal {
  failing = 0;

  #fail(): void {
    if (this.failing === 0) return;
    this.failing -= 1;
    away();
  }

  override async read(...given: Parameters<SqliteJournal['read']>) {
    this.#fail();
    return super.read(...given);
  }

  override async find(id: string) {
    this.#fail();
    return super.find(id);
  }
}

const asked = { model: 'm', input: 'make 24 from 4 7 8 8', stream: true };

async function namesOf(response: Response): Promise<(string | undefined)[]> {
  const names: (string | undefined)[] = [];
  for await (const { event } of serverEvents(response)) names.push(event);
  return names;
}

describe('while a journal cannot be read', () => {
  test.each([false, true])('a stream of a response goes on, in the background %s', async (background) => {
    const journal = new FlakyJournal({ path: ':memory:' });
    const { url, engine } = await runGateway({ journal, scripted: { held: true } });
    const response = await post(`${url}/v1/responses`, { ...asked, background });
    journal.failing = 2;
    engine.release();
    expect((await namesOf(response)).at(-1)).toBe('response.completed');
    expect(journal.failing).toBe(0);
    expect((await journal.list({ limit: 5 })).map(({ state }) => state)).toEqual(['done']);
  });

  test('so does a resumed stream, and a response in the background is answered with its name', async () => {
    const journal = new FlakyJournal({ path: ':memory:' });
    const { url, engine } = await runGateway({ journal, scripted: { held: true } });
    const read = journal.read.bind(journal);
    journal.read = (...given) => {
      journal.read = read;
      journal.failing = 1;
      return read(...given);
    };
    const started = await post(`${url}/v1/responses`, { ...asked, stream: false, background: true });
    expect([started.status, journal.failing]).toEqual([200, 0]);
    const { id } = (await started.json()) as Loose;
    const stream = await fetch(`${url}/v1/responses/${id}?stream=true&starting_after=0`);
    journal.failing = 2;
    engine.release();
    const names = await namesOf(stream);
    expect([names.includes('response.created'), names.at(-1)]).toEqual([false, 'response.completed']);
  });

  test('a reader of the log waits for the rest of it', async () => {
    const journal = new FlakyJournal({ path: ':memory:' });
    const { url, engine } = await runGateway({ journal, scripted: { held: true } });
    const { id } = (await (await post(`${url}/v1/searches`, { ...question, background: true })).json()) as Loose;
    const log = await fetch(`${url}/v1/searches/${id}/events`);
    journal.failing = 2;
    engine.release();
    const names = await namesOf(log);
    expect(names.at(-1)).toBe('end');
    expect(names.filter((name) => name === 'entry')).toHaveLength(
      (await journal.read(id, -1, 1000)).flatMap(eventsIn).length,
    );
  });
});
