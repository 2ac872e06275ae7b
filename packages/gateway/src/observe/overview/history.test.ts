import { describe, expect, it } from 'vitest';
import { outlivingJournal, post, question, runGateway } from '../../../../../tests/support/running-gateway.ts';
import type { EndedQuery, FinishedSearch } from '../../../../core/src/journal/journal.ts';
import { newKey } from '../../http/keys.ts';
import type { HistoryJson } from '../../wire/history-json.ts';
import { foldHistory, History, pastSearch, startOf } from './history.ts';

const minute = 60_000;
const nowMs = 1000 * minute + 20_000;

function ended(id: string, endedMs: number, over: Partial<FinishedSearch> = {}): FinishedSearch {
  const outcome = { exit: { kind: 'accepted' }, usage: { completion_tokens: 10 } };
  return { id, owner: 'ann', state: 'done', createdMs: endedMs - 100, endedMs, about: {}, outcome, ...over };
}

describe('history of a range', () => {
  it('has a bucket for every minute of an hour, the last one being the current minute', () => {
    const history = foldHistory([], '1h', nowMs, true);
    expect(history.buckets).toHaveLength(60);
    expect(history.buckets[0]!.from_ms).toBe(startOf('1h', nowMs));
    expect(history.buckets.at(-1)!.from_ms).toBe(1000 * minute);
    expect(history.total).toEqual({ searches: 0, tokens: 0, p50_ms: null, p99_ms: null, exits: {} });
  });

  it('counts each search once, in the bucket of its end; ends by a fast clock count in the last one', () => {
    const at = [nowMs, nowMs - minute, nowMs - minute, nowMs + 5 * minute];
    const ends = at.map((endedMs, place) => ({ endedMs, latencyMs: place * 10, kind: 'accepted' as const, tokens: 1 }));
    const { buckets, total } = foldHistory(ends, '1h', nowMs, true);
    expect(buckets.slice(-3).map(({ searches }) => searches)).toEqual([0, 2, 2]);
    expect(buckets.at(-2)).toMatchObject({ p50_ms: 10, p99_ms: 20, tokens: 2, exits: { accepted: 2 } });
    expect(total).toMatchObject({ searches: 4, p50_ms: 10, p99_ms: 30, exits: { accepted: 4 } });
  });

  it('says how the searches of a model went, by program', () => {
    const about = { model: 'oak', program: 'mcts' };
    const audit = { pairs: 4, right: 3, agreed: [], differed: [] };
    const branched = { fresh: 1, below: 1, bothFresh: 1, bothBelow: 1, oneOfEach: 1, tokens: [1, 2] };
    const ofBranches = { pairs: 0, right: 0, agreed: [], differed: [], branched };
    const searches = [5, 7].map((rollouts, at) =>
      ended(`s${at}`, nowMs, { about, outcome: { rollouts, audit: at === 0 ? audit : ofBranches } }),
    );
    const other = ended('t', nowMs, { about: { model: 'oak', program: 'beam' }, outcome: { rollouts: 1 } });
    const direct = ended('d', nowMs, { about: { ...about, mode: 'direct' }, outcome: { rollouts: 1 } });
    const all = [other, ...searches, direct, ended('u', nowMs)];
    const { kinds } = foldHistory(all.map(pastSearch), '1h', nowMs, true);
    expect(kinds).toEqual([
      { ...about, searches: 2, rollouts: 6, judge_agreement: 0.75, split_questions: 1 },
      { model: 'oak', program: 'beam', searches: 1, rollouts: 1, judge_agreement: null, split_questions: 0 },
    ]);
  });

  it('reads rows of older versions and damaged ones as ends without figures', () => {
    const kinds = [
      ended('a', 1, { outcome: undefined, state: 'failed' }),
      ended('b', 1, { outcome: {}, state: 'cancelled' }),
      ended('c', 1, { outcome: { exit: 'accepted' } }),
    ].map((each) => [pastSearch(each).kind, pastSearch(each).tokens]);
    expect(kinds).toEqual([
      ['failed', 0],
      ['cancelled', 0],
      ['failed', 0],
    ]);
  });
});

describe('history from a journal', () => {
  function journalOf(all: readonly FinishedSearch[]) {
    const asked: EndedQuery[] = [];
    const places = new Map(all.map(({ id }, at) => [id, at]));
    const read = async (query: EndedQuery) => {
      asked.push(query);
      const from = 1 + (places.get(query.before.id) ?? -1);
      return all.slice(from, from + query.limit);
    };
    return { asked, ended: read };
  }
  const clock = { nowMs: () => nowMs };

  it('is read page by page, and kept for a while without reading again', async () => {
    const all = Array.from({ length: 4500 }, (_, at) => ended(String(9999 - at), nowMs - Math.floor(at / 3)));
    const journal = journalOf(all);
    const history = new History(journal, clock);
    const [first, second] = await Promise.all([history.read('1h', undefined), history.read('1h', undefined)]);
    expect(first.total).toMatchObject({ searches: 4500, tokens: 45_000 });
    expect(first.complete).toBe(true);
    expect(second).toBe(first);
    expect(journal.asked).toHaveLength(91);
    expect((await history.read('15m', 'ann')).range).toBe('15m');
    expect(journal.asked.at(-1)).toMatchObject({ owner: 'ann', fromMs: startOf('15m', nowMs) });
  });

  it('leaves out the oldest if there are too many, and says so', async () => {
    const all = Array.from({ length: 100_001 }, (_, at) => ended(String(999_999 - at), nowMs - at / 100));
    const { total, complete } = await new History(journalOf(all), clock).read('1h', undefined);
    expect([total.searches, complete]).toEqual([100_000, false]);
  });

  it('reads again after a journal could not be read', async () => {
    let fails = true;
    const read = async () => {
      if (fails) throw new Error('cannot be read');
      return [];
    };
    const history = new History({ ended: read }, clock);
    await expect(history.read('1h', undefined)).rejects.toThrow('cannot be read');
    fails = false;
    expect((await history.read('1h', undefined)).total.searches).toBe(0);
  });
});

describe('GET /v1/history', () => {
  const read = async (url: string, range: string, key?: string) => {
    const headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
    return (await (await fetch(`${url}/v1/history?range=${range}`, { headers })).json()) as HistoryJson;
  };

  it('survives a restart, since it comes from the journal', async () => {
    const journal = outlivingJournal();
    const before = await runGateway({ journal });
    await post(`${before.url}/v1/chat/completions`, question);
    await before.close();
    const after = await runGateway({ journal });
    await post(`${after.url}/v1/chat/completions`, question);
    const { total, buckets, complete, kinds } = await read(after.url, '24h');
    expect(kinds).toMatchObject([{ program: 'mcts', searches: 2 }]);
    expect(total).toMatchObject({ searches: 2, exits: { accepted: 2 } });
    expect(total.p99_ms).toBeGreaterThanOrEqual(total.p50_ms!);
    expect(total.tokens).toBeGreaterThan(0);
    expect(buckets.reduce((sum, { searches }) => sum + searches, 0)).toBe(2);
    expect(complete).toBe(true);
  });

  it('shows a key its own searches, and an admin key all', async () => {
    const [ann, boss] = [newKey(), newKey()];
    const keys = [
      { name: 'ann', hash: ann.hash },
      { name: 'boss', hash: boss.hash, admin: true },
    ];
    const { url } = await runGateway({ config: { keys } });
    const as = ({ key }: { key: string }) => ({ authorization: `Bearer ${key}` });
    await post(`${url}/v1/chat/completions`, question, as(boss));
    expect((await read(url, '1h', ann.key)).total.searches).toBe(0);
    expect((await read(url, '1h', boss.key)).total.searches).toBe(1);
  });

  it('refuses a range that it does not know, by name', async () => {
    const { url } = await runGateway();
    const response = await fetch(`${url}/v1/history?range=2y`);
    expect(response.status).toBe(400);
    expect(JSON.stringify(await response.json())).toContain("'range'");
  });
});
