// A gateway whose engine or verifier throws: requests are answered with a failure, the process and the gateway go on.

import { expect, test } from 'vitest';
import { type Sabotage, sabotaged } from '../support/hostile.ts';
import { ask, runGateway } from '../support/running-gateway.ts';
import { ScriptedEngine, ScriptedVerifier } from '../support/scripted-engine.ts';

const broken = { status: 502, error: { code: 'engine_failed' } };

test.each(['generate', 'score'])(
  '%s throws: every search fails, is logged, and another model answers',
  async (verb) => {
    const sabotage: Sabotage = { verb, from: 2, how: 'error' };
    const { url, logged, gateway } = await runGateway({
      ...(verb === 'generate'
        ? { engine: sabotaged(new ScriptedEngine(), sabotage) }
        : { verifier: sabotaged(new ScriptedVerifier(), sabotage) }),
      more: [{ model: { name: 'sane' }, engine: new ScriptedEngine(), verifier: new ScriptedVerifier() }],
    });
    const [first, second, sane] = await Promise.all([ask(url, {}), ask(url, {}), ask(url, { model: 'sane' })]);
    expect([first, second]).toMatchObject([broken, broken]);
    expect(sane).toMatchObject({ status: 200 });
    expect(logged.some((line) => line.includes(`threw in ${verb}: sabotage`))).toBe(true);
    expect([...gateway.searches.live].length).toBe(0);
  },
);

test('release, cancel and load that throw fail nothing', async () => {
  for (const verb of ['release', 'cancel']) {
    const { url } = await runGateway({ engine: sabotaged(new ScriptedEngine(), { verb, from: 1, how: 'error' }) });
    expect(await ask(url, {})).toMatchObject({ status: 200 });
  }
});
