// A panel on a gateway: who is asked what, what the client, the log and the metrics say of it, and a restart in the middle.

import { expect, test } from 'vitest';
import type { Loose } from '../../../tests/support/loose.ts';
import { ask, outlivingJournal, post, question, runGateway } from '../../../tests/support/running-gateway.ts';
import { type Script, ScriptedEngine } from '../../../tests/support/scripted-engine.ts';
import { until } from '../../../tests/support/until.ts';

const says =
  (answer: string): Script =>
  ({ path }) => ({
    text: path.length === 0 ? `The answer is ${answer}.` : `Both looked at. The answer is 3.`,
    end: 'eos',
  });

const asked = { coppice: { program: 'panel', rollouts: 7 } };

function panel(small: string, big: string, held = false) {
  const engine = new ScriptedEngine({ script: says(small) });
  const other = new ScriptedEngine({ script: says(big), held });
  const price = { prompt: 1, generated: 1_000_000 };
  const more = [{ model: { name: 'big', stepPrompt: 'Be brief.', price }, engine: other }];
  const model = { panel: ['m', 'big'], synthesizer: 'big', price: { prompt: 0, generated: 500_000 } };
  return { engine, other, options: { engine, model, more } };
}

test('models that agree end it after two rounds of three', async () => {
  const { engine, other, options } = panel('7', '7');
  const { url } = await runGateway(options);
  const { coppice } = await ask(url, asked);
  expect(coppice).toMatchObject({ answer: '7', exit: { kind: 'certain', rule: 'majority' }, program: 'panel' });
  expect([engine.asked.length, other.asked.length]).toEqual([2, 2]);
  // The question in the form of each, with its own step prompt.
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

test('models that disagree are put together by the one that is named, with the attempts in view', async () => {
  const { engine, other, options } = panel('1', '2');
  const { url } = await runGateway(options);
  const { coppice } = await ask(url, asked);
  expect(coppice).toMatchObject({ answer: '3', rollouts: 7, exit: { kind: 'exhausted' } });
  expect([engine.asked.length, other.asked.length]).toEqual([3, 4]);
  const [shown] = other.asked.at(-1)!.path;
  expect(shown?.step.text).toMatch(/Attempt 1:\nThe answer is 1\.\n\nAttempt 2:\nThe answer is 2\./);
});

test('a budget in money ends it', async () => {
  const { options } = panel('1', '2');
  const { url } = await runGateway(options);
  const { coppice } = await ask(url, { coppice: { ...asked.coppice, money_budget: 11 } });
  expect(coppice).toMatchObject({ exit: { kind: 'exhausted', rule: 'money', evidence: { limit: 11 } } });
});

test('money without a price is one line', async () => {
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
