// New weights between two rounds of training: never under a running search, and named by every later one.

import { describe, expect, test } from 'vitest';
import { ask, post, question, runGateway } from '../../../../tests/support/running-gateway.ts';
import { ScriptedEngine } from '../../../../tests/support/scripted-engine.ts';
import { until } from '../../../../tests/support/until.ts';

const change = (url: string, body: object) => post(`${url}/v1/models/m/weights`, body);

describe('new weights', () => {
  test('reach the engine, and later answers and records name them', async () => {
    const { url, engine, journal } = await runGateway();
    expect((await ask(url, {})).coppice).not.toHaveProperty('weights');
    const told = await change(url, { version: 'step-2' });
    expect(told.status).toBe(200);
    expect(await told.json()).toMatchObject({ id: 'm', coppice: { weights: 'step-2' } });
    expect(engine.reloads).toBe(1);
    const { coppice } = await ask(url, {});
    expect(coppice.weights).toBe('step-2');
    expect((await journal.find(coppice.search))?.about).toMatchObject({ weights: 'step-2' });
  });

  test('are refused while a search runs, which goes on as it was', async () => {
    const engine = new ScriptedEngine({ held: true });
    const { url } = await runGateway({ engine });
    const running = post(`${url}/v1/chat/completions`, question);
    await until(() => engine.open > 0);
    const refused = await change(url, { version: 'step-2' });
    expect(refused.status).toBe(409);
    expect((await refused.json()) as object).toMatchObject({
      error: { code: 'conflict', message: "the weights of 'm' stay as they are: 1 searches run or wait on it" },
    });
    engine.release();
    expect((await running).status).toBe(200);
    expect(engine.reloads).toBe(0);
  });

  test('need a name, and a model that exists', async () => {
    const { url } = await runGateway();
    expect((await change(url, {})).status).toBe(400);
    expect((await post(`${url}/v1/models/none/weights`, { version: 'a' })).status).toBe(404);
  });
});
