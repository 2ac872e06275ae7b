import { describe, expect, test } from 'vitest';
import type { Loose } from '../../../tests/support/loose.ts';
import { ask, runGateway } from '../../../tests/support/running-gateway.ts';
import { ScriptedEngine, ScriptedVerifier } from '../../../tests/support/scripted-engine.ts';

describe('a futile search', () => {
  const hopeless = () => ({ verifier: new ScriptedVerifier(() => 0.1), model: { policy: 'positive+strict' } });

  test('answers with the best so far unless told otherwise', async () => {
    const { url } = await runGateway(hopeless());
    expect(await ask(url, {})).toMatchObject({ status: 200, coppice: { exit: { kind: 'futile' } } });
  });

  test('refuses when asked to', async () => {
    const { url } = await runGateway(hopeless());
    const answer = await ask(url, { coppice: { on_futile: 'refuse' } });
    expect(answer.choices[0]).toMatchObject({
      finish_reason: 'stop',
      message: { content: null, refusal: expect.stringContaining('unlikely') },
    });
  });

  test('escalates to the model that the configuration names', async () => {
    const bigger = { model: { name: 'big' }, engine: new ScriptedEngine(), verifier: new ScriptedVerifier() };
    const small = hopeless();
    const { url } = await runGateway({ ...small, model: { ...small.model, escalateTo: 'big' }, more: [bigger] });
    const answer = await ask(url, { coppice: { on_futile: 'escalate' } });
    expect(answer).toMatchObject({ model: 'big', coppice: { escalated_from: 'm', exit: { kind: 'accepted' } } });
    const list = (await (await fetch(`${url}/v1/searches`)).json()) as Loose;
    expect(list.data.map(({ model, state }: Loose) => [model, state])).toEqual([
      ['big', 'done'],
      ['m', 'done'],
    ]);
  });

  test('cannot escalate to nowhere', async () => {
    const { url } = await runGateway();
    expect(await ask(url, { coppice: { on_futile: 'escalate' } })).toMatchObject({
      status: 400,
      error: { param: 'coppice.on_futile' },
    });
  });
});
