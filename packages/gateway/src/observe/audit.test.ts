// The audit of a judge from requests to its weight: real gateways on one journal, `auto`, and a judge with scripted scores.

import { expect, test } from 'vitest';
import type { Loose } from '../../../../tests/support/loose.ts';
import { ask, outlivingJournal, post, question, runGateway } from '../../../../tests/support/running-gateway.ts';
import { type Script, ScriptedVerifier } from '../../../../tests/support/scripted-engine.ts';
import { until } from '../../../../tests/support/until.ts';
import type { Journal } from '../../../core/src/journal/journal.ts';
import { eventsIn, hasEvent } from '../../../core/src/log/entry.ts';
import type { ScoreRequest } from '../../../core/src/verifier/verifier.ts';
import { newKey } from '../http/keys.ts';

/** Five samples, three of which agree. */
const split: Script = ({ index }) => ({
  text: `It is ${'aabab'[index % 5]} (${index}).\n#### ${'1, 1, 2, 1, 2'.split(', ')[index % 5]}`,
  end: 'eos',
});
const likes = ({ step }: ScoreRequest) => (step.text.endsWith('1') ? 0.8 : 0.3);
const dislikes = ({ step }: ScoreRequest) => (step.text.endsWith('1') ? 0.3 : 0.8);
const wish = { coppice: { program: 'auto', rollouts: 5 }, reasoning_effort: 'high' };

async function told(url: string): Promise<{ readonly judge: string; readonly metrics: string }> {
  const { data } = (await (await fetch(`${url}/v1/models`)).json()) as Loose;
  const text = await (await fetch(`${url}/metrics`)).text();
  const metrics = text.split('\n').filter((line) => line.startsWith('coppice_judge_'));
  return { judge: data[0].coppice.judge, metrics: metrics.join('\n') };
}

/** The weight that a new search gives to its judge. */
async function trustOf(url: string, journal: Journal, seed: number, key = ''): Promise<number | undefined> {
  const body = { model: 'm', messages: question.messages, ...wish, seed };
  const response = await post(`${url}/v1/chat/completions`, body, { authorization: `Bearer ${key}` });
  const { coppice } = (await response.json()) as Loose;
  const events = (await journal.read(coppice.search, -1, 1000)).flatMap(eventsIn);
  return events.flatMap(({ event }) => (event.type === 'priced' ? [event.judge?.trust] : []))[0];
}

const limits = { auditMs: 1 };

test.each([
  [likes, /agrees with the vote in 100 of 100 pairs and is used as a weight/, 1],
  [dislikes, /is not used: it agrees with the vote in 0 of 100 pairs, no more than chance/, 0],
] as const)('a judge is heard as far as it agreed with votes, on every node', async (reward, sentence, trust) => {
  const journal = outlivingJournal();
  const options = { journal, scripted: { script: split }, verifier: new ScriptedVerifier(reward) };
  const first = await runGateway({ ...options, limits });
  for (let at = 0; at < 49; at += 1) {
    const given = await trustOf(first.url, journal, at);
    // A judge that differs from the vote is not trusted from its tenth question on.
    if (trust === 1 || at < 10) expect(given).toBe(0.3);
    else if (at > 30) expect(given).toBe(0);
  }
  await until(async () => (await told(first.url)).judge.includes('unknown: 49 of 50'));
  await ask(first.url, { ...wish, seed: 50 });
  await until(async () => sentence.test((await told(first.url)).judge));
  const second = await runGateway({ ...options, verifier: new ScriptedVerifier(reward), limits });
  await until(async () => sentence.test((await told(second.url)).judge));
  expect((await told(second.url)).metrics).toBe((await told(first.url)).metrics);
  expect((await told(second.url)).metrics).toContain(`coppice_judge_trust_ratio{model="m"} ${trust}`);
  expect(await trustOf(second.url, journal, 51)).toBe(trust);
  const history = (await (await fetch(`${first.url}/v1/history?range=1h`)).json()) as Loose;
  expect(history.kinds[0]).toMatchObject({ program: 'auto', judge_agreement: trust });
});

test('a key on whose searches the judge agrees with the vote makes no other key trust it', async () => {
  const journal = outlivingJournal();
  const [many, few] = [newKey(), newKey()];
  const keys = [
    { name: 'many', hash: many.hash },
    { name: 'few', hash: few.hash },
  ];
  const options = { journal, scripted: { script: split }, verifier: new ScriptedVerifier(likes), config: { keys } };
  const { url } = await runGateway({ ...options, limits });
  for (let at = 0; at < 50; at += 1) await trustOf(url, journal, at, many.key);
  await until(async () => (await trustOf(url, journal, 50, many.key)) === 1);
  expect(await trustOf(url, journal, 51, few.key)).toBe(0.3);
});

test('an end that a crash left unrecorded gives one row, and clients see nothing of it', async () => {
  const journal = outlivingJournal();
  const options = { journal, scripted: { script: split }, verifier: new ScriptedVerifier(likes) };
  const before = await runGateway(options);
  const finish = journal.finish.bind(journal);
  journal.finish = async () => true;
  const body = { model: 'm', background: true, messages: [{ role: 'user', content: 'q' }], ...wish };
  const { id } = (await (await post(`${before.url}/v1/searches`, body)).json()) as Loose;
  await until(async () => (await journal.read(id, -1, 1000)).some((entry) => hasEvent(entry, 'cost')));
  journal.finish = finish;
  const after = await runGateway({ ...options, verifier: new ScriptedVerifier(likes), limits });
  await until(async () => (await journal.find(id))?.state === 'done');
  const rows = await journal.ended({ fromMs: 0, before: { endedMs: 1e15, id: '' }, limit: 9 });
  expect(rows.filter(({ outcome }) => outcome?.audit !== undefined).map((row) => row.id)).toEqual([id]);
  const read = await (await fetch(`${after.url}/v1/searches/${id}`)).text();
  expect(read).not.toContain('"audit"');
});

test('a checker is not audited: it is no judge', async () => {
  const checker = new ScriptedVerifier();
  Object.assign(checker, { capabilities: { ...checker.capabilities, exact: true } });
  const { url } = await runGateway({ verifier: checker });
  expect((await told(url)).judge).toBeUndefined();
});

test('an operator who sets trust switches the audit off', async () => {
  const journal = outlivingJournal();
  const { url } = await runGateway({
    journal,
    scripted: { script: split },
    verifier: new ScriptedVerifier(likes),
    model: { trust: 0.25 },
  });
  expect(await trustOf(url, journal, 1)).toBe(0.25);
  expect((await told(url)).judge).toMatch(/; trust is set to 0.25$/);
});

test('one vote of twenty shows what going on from the middle of a sample is worth, and all branch where it pays', async () => {
  const journal = outlivingJournal();
  /** Two steps, then one of two answers. */
  const script: Script = ({ path, index, seed }) =>
    path.length < 2
      ? { text: `${'so '.repeat(200)}way ${index} ${seed}\n\n`, end: 'delimiter' }
      : { text: `#### ${seed % 2 === 0 ? 2 : 1}`, end: 'eos' };
  const verifier = new ScriptedVerifier(({ step }) => 0.4 + (step.text.length % 3) / 10);
  const { url } = await runGateway({ journal, scripted: { script }, verifier, model: { trust: 0.2 }, limits });
  /** First waves of the searches that branch. */
  const branching = async (count: number) => {
    const found: { readonly search: string; readonly branches: number }[] = [];
    for (let seed = 0; seed < count; seed += 1) {
      const body = { ...wish, coppice: { program: 'auto', rollouts: 16 }, seed };
      const { coppice } = (await (await post(`${url}/v1/chat/completions`, { ...question, ...body })).json()) as Loose;
      const events = (await journal.read(coppice.search, -1, 1000)).flatMap(eventsIn);
      const priced = events.find(({ event }) => event.type === 'priced')?.event as Loose;
      if (priced?.branches !== undefined) found.push({ search: coppice.search, branches: priced.branches });
    }
    return found;
  };
  const tried = await branching(60);
  expect(tried.length).toBeGreaterThan(0);
  expect(tried.length).toBeLessThan(10);
  await until(async () => (await told(url)).judge.includes('; whether branching pays is unknown: '));
  const rows = await journal.ended({ fromMs: 0, before: { endedMs: 1e15, id: '' }, limit: 60 });
  const row = rows.find(({ outcome }) => (outcome as Loose).audit?.branched !== undefined)!;
  const { audit, ...outcome } = row.outcome as Loose;
  for (let at = 0; at < 200; at += 1) {
    // Half of the questions are hard; draws repeat nothing.
    const share = at % 2 === 0 ? 0.25 : 0.75;
    const both = share ** 2;
    const branched = { fresh: share, below: share, bothFresh: both, bothBelow: both, oneOfEach: both };
    const facts = {
      owner: row.owner,
      fingerprint: 'f',
      background: true,
      createdMs: row.createdMs,
      title: 't',
      request: {},
    };
    await journal.accept({ id: `row ${at}`, ...facts, about: row.about });
    await journal.claim(`row ${at}`, 0, 1);
    const shown = { ...outcome, audit: { ...audit, branched: { ...branched, tokens: [10_000, 30_000] } } };
    await journal.finish(`row ${at}`, 1, { state: 'done', endedMs: row.endedMs, outcome: shown, texts: {} });
  }
  await ask(url, wish);
  await until(async () => (await told(url)).judge.includes('so votes branch'));
  expect((await told(url)).metrics).toMatch(/coppice_judge_branching_ratio\{model="m"\} [23]\.\d/);
  expect(await branching(5)).toHaveLength(5);
});
