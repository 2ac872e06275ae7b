// A panel on a gateway: which model is asked what, what client, log and metrics show of it, and a restart in the middle.

import { expect, test } from 'vitest';
import type { Loose } from '../../../../tests/support/loose.ts';
import { ask, outlivingJournal, post, question, runGateway } from '../../../../tests/support/running-gateway.ts';
import { type Script, ScriptedEngine, ScriptedVerifier } from '../../../../tests/support/scripted-engine.ts';
import { until } from '../../../../tests/support/until.ts';

const says =
  (answer: string): Script =>
  ({ path }) => {
    if (answer === 'refused' || answer === 'timeout') return answer;
    const text = path.length === 0 ? `The answer is ${answer}.` : `Both looked at. The answer is 3.`;
    return { text, end: 'eos' };
  };

const asked = { coppice: { program: 'panel', rollouts: 7 } };

function panel(small: string, big: string, held = false, own: { synthesizer?: string } = { synthesizer: 'big' }) {
  const engine = new ScriptedEngine({ script: says(small) });
  const other = new ScriptedEngine({ script: says(big), held });
  const price = { prompt: 1, generated: 1_000_000 };
  const more = [{ model: { name: 'big', stepPrompt: 'Be brief.', price }, engine: other }];
  const model = { panel: { models: ['m', 'big'], ...own }, price: { prompt: 0, generated: 500_000 } };
  return { engine, other, options: { engine, model, more } };
}

test('models that agree end a search after two rounds of three', async () => {
  const { engine, other, options } = panel('7', '7');
  const { url } = await runGateway(options);
  const { coppice } = await ask(url, asked);
  expect(coppice).toMatchObject({ answer: '7', exit: { kind: 'certain', rule: 'majority' }, program: 'panel' });
  expect([engine.asked.length, other.asked.length]).toEqual([2, 2]);
  // Each model gets the question in its own form, with its own step prompt.
  expect(engine.asked[0]!.prompt).not.toEqual(other.asked[0]!.prompt);
  expect(JSON.stringify(other.asked[0]!.prompt)).toContain('Be brief.');
  expect(coppice.models).toMatchObject({
    m: { calls: 2, generated_tokens: 8, money: 4 },
    big: { calls: 2, generated_tokens: 8 },
  });
  expect(coppice.money).toBeCloseTo(coppice.models.m.money + coppice.models.big.money, 6);
  const events = await (await fetch(`${url}/v1/searches/${coppice.search}/events?stream=false`)).text();
  expect(events).toContain('"model":"big"');
  const metrics = await (await fetch(`${url}/metrics`)).text();
  expect(metrics).toContain('coppice_written_tokens_total{model="m",writer="big"} 8');
  expect(metrics).toContain('coppice_money_total{model="m",writer="m"} 4');
});

test('the named synthesizer joins answers that disagree, with the attempts in view', async () => {
  const { engine, other, options } = panel('1', '2');
  const { url } = await runGateway(options);
  const { coppice } = await ask(url, asked);
  expect(coppice).toMatchObject({ answer: '3', rollouts: 7, exit: { kind: 'exhausted' } });
  expect([engine.asked.length, other.asked.length]).toEqual([3, 4]);
  const [shown] = other.asked.at(-1)!.path;
  expect(shown?.step.text).toMatch(/Attempt 1:\nThe answer is 1\.\n\nAttempt 2:\nThe answer is 2\./);
});

test('answers that disagree are left to the vote without a synthesizer', async () => {
  const { engine, other, options } = panel('1', '2', false, {});
  const { url } = await runGateway(options);
  const { coppice } = await ask(url, asked);
  expect(coppice).toMatchObject({ answer: '1', rollouts: 6, exit: { kind: 'exhausted' } });
  expect([engine.asked.length, other.asked.length]).toEqual([3, 3]);
  expect(other.asked.every(({ path }) => path.length === 0)).toBe(true);
});

test('without a panel the model joins its own answers only if it is named', async () => {
  const script: Script = (request) => says(`${request.seed}`)(request);
  for (const [model, shown] of [
    [{}, Array(7).fill(0)],
    // Four different answers of six leave no majority.
    [{ panel: { synthesizer: 'm' } }, [0, 0, 0, 0, 1]],
  ] as const) {
    const engine = new ScriptedEngine({ script });
    const { url } = await runGateway({ engine, model });
    await ask(url, asked);
    expect(engine.asked.map(({ path }) => path.length)).toEqual(shown);
  }
});

test('a budget in money ends a search', async () => {
  const { options } = panel('1', '2');
  const { url } = await runGateway(options);
  const { coppice } = await ask(url, { coppice: { ...asked.coppice, money_budget: 11 } });
  expect(coppice).toMatchObject({ exit: { kind: 'exhausted', rule: 'money', evidence: { limit: 11 } } });
});

test('a budget in money without a price is a one-line error', async () => {
  const { url } = await runGateway();
  expect(await ask(url, { coppice: { money_budget: 1 } })).toMatchObject({
    status: 400,
    error: {
      param: 'coppice.money_budget',
      message: "'coppice.money_budget' is 1; no price is configured for 'm' (models[].price)",
    },
  });
});

test('a panel goes on after a restart, and asks each model for its own draws again', async () => {
  const journal = outlivingJournal();
  const before = panel('7', '7', true);
  const first = await runGateway({ ...before.options, journal });
  const body = { ...question, ...asked, background: true };
  const { id } = (await (await post(`${first.url}/v1/searches`, body)).json()) as Loose;
  await until(() => before.other.asked.length > 0);
  await first.close();
  const after = panel('7', '7');
  const second = await runGateway({ ...after.options, journal });
  const found = async () => (await (await fetch(`${second.url}/v1/searches/${id}`)).json()) as Loose;
  await until(async () => (await found()).state === 'done');
  expect((await found()).result).toMatchObject({ answer: '7' });
  expect(after.other.asked[0]).toMatchObject({ model: 'big', seed: before.other.asked[0]!.seed });
});

test('answer and log name a member that fails, and the others answer in its place', async () => {
  const { engine, other, options } = panel('7', 'refused');
  const { url } = await runGateway(options);
  const { coppice } = await ask(url, asked);
  expect(coppice).toMatchObject({ answer: '7', exit: { kind: 'certain', rule: 'majority' } });
  expect([engine.asked.length, other.asked.length]).toEqual([4, 1]);
  expect(coppice.models).toMatchObject({ m: { calls: 4 }, big: { calls: 0, absent: 'refused' } });
  const events = await (await fetch(`${url}/v1/searches/${coppice.search}/events?stream=false`)).text();
  expect(events).toContain('"code":"refused","model":"big"');
});

test('a model whose program asks its panel is ready while one member is', async () => {
  const { engine, other, options } = panel('7', '7');
  const ready = async (url: string) => ((await (await fetch(`${url}/ready`)).json()) as Loose).models[0];
  engine.healthy = false;
  const asking = await runGateway({ ...options, model: { ...options.model, program: 'panel' } });
  expect(await ready(asking.url)).toEqual({ name: 'm', healthy: true });
  const alone = await runGateway(options);
  expect(await ready(alone.url)).toEqual({ name: 'm', healthy: false });
  expect(await (await fetch(`${asking.url}/metrics`)).text()).toContain('coppice_engine_healthy{model="m"} 0');
  other.healthy = false;
  expect(await ready(asking.url)).toEqual({ name: 'm', healthy: false });
});

test('if all models fail, the error is one line, or a search ends with the answer that it has', async () => {
  const { options } = panel('timeout', 'refused');
  const { url } = await runGateway(options);
  expect(await ask(url, asked)).toMatchObject({
    status: 502,
    error: {
      code: 'engine_failed',
      message: 'no model that the search may ask could answer: m (timeout), big (refused)',
    },
  });
  let answered = 0;
  const once: Script = () => {
    answered += 1;
    return answered === 1 ? { text: 'The answer is 7.', end: 'eos' } : 'unavailable';
  };
  const second = await runGateway({ ...options, engine: new ScriptedEngine({ script: once }) });
  const { coppice } = await ask(second.url, asked);
  expect(coppice).toMatchObject({ answer: '7', exit: { kind: 'exhausted', rule: 'absent' } });
});

/** Whole answers of two models: one is worth more than the other, and none is worth enough. */
function refinement(small: Script) {
  const engine = new ScriptedEngine({ script: small });
  const other = new ScriptedEngine({
    script: ({ seed }) => ({ text: `By big, ${seed}. The answer is 2.`, end: 'eos' }),
  });
  const verifier = new ScriptedVerifier(({ step }) => (step.text.includes('big') ? 0.6 : 0.1));
  const { options } = panel('1', '2');
  const [big] = options.more;
  return { engine, other, options: { ...options, engine, verifier, more: [{ ...big!, engine: other }] } };
}

test('refine learns which model to ask; answer, log and money show which model wrote what', async () => {
  const { engine, other, options } = refinement(({ seed }) => ({ text: `${seed}. The answer is 1.`, end: 'eos' }));
  const { url } = await runGateway(options);
  const { coppice } = await ask(url, { seed: 3, coppice: { program: 'refine', rollouts: 20, policy: 'positive' } });
  expect(coppice).toMatchObject({ answer: '2', score: 0.6, program: 'refine', rollouts: 20 });
  expect(other.asked.length).toBeGreaterThan(2 * engine.asked.length);
  expect(engine.asked.length).toBeGreaterThan(0);
  expect(coppice.models).toMatchObject({ m: { calls: engine.asked.length }, big: { calls: other.asked.length } });
  expect(coppice.money).toBeCloseTo(coppice.models.m.money + coppice.models.big.money, 6);
  const events = await (await fetch(`${url}/v1/searches/${coppice.search}/events?stream=false`)).text();
  const written = events.match(/"type":"grown"[^\n]*?"model":"(m|big)"/g) ?? [];
  expect(written.filter((each) => each.endsWith('"big"'))).toHaveLength(other.asked.length);
  // A repair reads what the other model wrote as text.
  const repaired = other.asked.find(({ path }) => path.length > 0)!;
  expect(repaired.path[0]!.step.text).toContain('The answer is');
});

test('a budget in money ends refine, and a model that is down leaves it to the other', async () => {
  const { options } = refinement(({ seed }) => ({ text: `${seed}. The answer is 1.`, end: 'eos' }));
  const { url } = await runGateway(options);
  const { coppice } = await ask(url, { coppice: { program: 'refine', rollouts: 20, money_budget: 12 } });
  expect(coppice).toMatchObject({ exit: { kind: 'exhausted', rule: 'money', evidence: { limit: 12 } } });
  const down = refinement(() => 'unavailable');
  const second = await runGateway(down.options);
  const { coppice: found } = await ask(second.url, { seed: 3, coppice: { program: 'refine', rollouts: 20 } });
  expect(found).toMatchObject({ answer: '2', rollouts: 20, models: { m: { absent: 'unavailable' } } });
  expect(down.engine.asked.length).toBeLessThanOrEqual(5);
});
