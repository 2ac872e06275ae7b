// The metrics of a gateway that has answered: their names follow Prometheus' conventions, old names last for one version, and token classes
// add up.

import { expect, test } from 'vitest';
import type { Loose } from '../../../../../tests/support/loose.ts';
import { post, question, runGateway } from '../../../../../tests/support/running-gateway.ts';
import { until } from '../../../../../tests/support/until.ts';

const counterEnd = /_total$/;
/** Endings of gauges and histograms: units or what is counted; adjectives for values of 0 or 1. */
const otherEnd =
  /_(seconds|bytes|ratio|strands|searches|sequences|steps|texts|writes|errors|connections|replicas|tokens?|healthy|used|drifted)$/;

async function metricsOf(url: string): Promise<string> {
  return (await fetch(`${url}/metrics`)).text();
}

/** The sum over all labels. */
function sumOf(text: string, name: string): number {
  const values = [...text.matchAll(new RegExp(`^${name}(?:\\{.*\\})? (\\S+)$`, 'gm'))].map(([, value]) =>
    Number(value),
  );
  expect(values.length, name).toBeGreaterThan(0);
  return values.reduce((sum, value) => sum + value, 0);
}

test('names end in total, a unit or what is counted; old names point to new ones with the same values', async () => {
  const { url } = await runGateway();
  await post(`${url}/v1/chat/completions`, question);
  const text = await metricsOf(url);
  const helps = new Map([...text.matchAll(/^# HELP (\w+) (.*)$/gm)].map(([, name, help]) => [name!, help!]));
  for (const [, name, type] of text.matchAll(/^# TYPE (coppice_\w+) (\w+)$/gm)) {
    expect(name).toMatch(type === 'counter' ? counterEnd : otherEnd);
  }
  expect(new Set([...text.matchAll(/^# TYPE (\w+)/gm)].map(([, name]) => name)).size).toBe(helps.size);
});

test("Node's own metrics have the names that stock dashboards know", async () => {
  const { url } = await runGateway();
  const text = await metricsOf(url);
  for (const name of ['process_cpu_seconds_total', 'process_resident_memory_bytes', 'nodejs_eventloop_lag_p99_seconds'])
    expect(text).toContain(`# TYPE ${name} `);
});

test('the classes of tokens add up to what was generated', async () => {
  const { url, logged } = await runGateway();
  const { usage } = (await (await post(`${url}/v1/chat/completions`, question)).json()) as Loose;
  // Counted when the cost is final, a moment after the answer.
  await until(() => logged.some((line) => JSON.parse(line).event === 'search'));
  const text = await metricsOf(url);
  expect(usage.completion_tokens).toBeGreaterThan(0);
  expect(sumOf(text, 'coppice_tokens_total')).toBe(usage.completion_tokens);
  const classes = [...text.matchAll(/^coppice_tokens_total\{model="m",class="(\w+)"\}/gm)].map(([, name]) => name);
  expect(classes).toEqual(['committed', 'discarded', 'speculative']);
});

test('a search that has ended is one line of the log, and probes are lines for debugging alone', async () => {
  const { url, logged } = await runGateway({ config: { keys: [] } });
  const answer = (await (await post(`${url}/v1/chat/completions`, question)).json()) as Loose;
  for (const path of ['/ready', '/health', '/metrics', '/v1/models']) await (await fetch(`${url}${path}`)).text();
  const lines = () => logged.map((line) => JSON.parse(line) as Loose);
  await until(() => lines().some(({ event }) => event === 'search'));
  await until(() => lines().some(({ route }) => route === '/v1/models'));
  const told = lines().filter(({ event }) => event === 'search');
  expect(told).toMatchObject([
    {
      level: 'info',
      id: answer.coppice.search,
      key: 'local',
      model: 'm',
      program: 'mcts',
      policy: 'safe',
      state: 'done',
      exit: 'accepted',
      verdict: 'accepted',
      prompt: answer.usage.prompt_tokens,
      generated: answer.usage.completion_tokens,
      thrown_away: expect.any(Number),
      computed: expect.any(Number),
      verifier: expect.any(Number),
      queue_ms: expect.any(Number),
      search_ms: expect.any(Number),
      ms: expect.any(Number),
    },
  ]);
  expect(logged.join('')).not.toContain('make 24');
  const levels = Object.fromEntries(
    lines().flatMap(({ route, level }) => (route === undefined ? [] : [[route, level]])),
  );
  expect(levels).toMatchObject({
    '/ready': 'debug',
    '/health': 'debug',
    '/metrics': 'debug',
    '/v1/models': 'info',
    '/v1/chat/completions': 'info',
  });
});

test('a search that never ran is logged without a result', async () => {
  const { url, logged, engine } = await runGateway({ scripted: { held: true }, model: { budget: 1 } });
  const start = async () =>
    (await (await post(`${url}/v1/searches`, { ...question, background: true })).json()) as Loose;
  await start();
  await until(() => engine.open > 0);
  const waiting = await start();
  await fetch(`${url}/v1/searches/${waiting.id}`, { method: 'DELETE' });
  await until(() => logged.some((line) => JSON.parse(line).event === 'search'));
  const [line] = logged.map((each) => JSON.parse(each) as Loose).filter(({ event }) => event === 'search');
  expect(line).toMatchObject({ id: waiting.id, state: 'cancelled', ms: expect.any(Number) });
  expect(line).not.toHaveProperty('verdict');
});
