import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Loose } from '../../../../tests/support/loose.ts';
import { ask, outlivingJournal, post, question, runGateway } from '../../../../tests/support/running-gateway.ts';
import { ScriptedEngine, ScriptedVerifier } from '../../../../tests/support/scripted-engine.ts';
import { until } from '../../../../tests/support/until.ts';
import { mcts } from '../../../core/src/program/mcts/mcts.ts';

describe('a futile search', () => {
  const hopeless = () => ({ verifier: new ScriptedVerifier(() => 0.1), model: { policy: 'positive+strict' } });

  test('answers with the best so far unless told otherwise', async () => {
    const { url } = await runGateway(hopeless());
    expect(await ask(url, {})).toMatchObject({ status: 200, coppice: { exit: { kind: 'futile' } } });
  });

  test('refuses when asked to', async () => {
    const { url } = await runGateway(hopeless());
    const answer = await ask(url, { coppice: { on_unaccepted: 'refuse' } });
    expect(answer.choices[0]).toMatchObject({
      finish_reason: 'stop',
      message: { content: null, refusal: expect.stringContaining('No answer is sure enough') },
    });
  });

  test('escalates to the model that the configuration names', async () => {
    const bigger = { model: { name: 'big' }, engine: new ScriptedEngine(), verifier: new ScriptedVerifier() };
    const small = hopeless();
    const { url } = await runGateway({ ...small, model: { ...small.model, escalateTo: 'big' }, more: [bigger] });
    const answer = await ask(url, { coppice: { on_unaccepted: 'escalate' } });
    expect(answer).toMatchObject({ model: 'big', coppice: { escalated_from: 'm', exit: { kind: 'accepted' } } });
    const list = (await (await fetch(`${url}/v1/searches`)).json()) as Loose;
    expect(list.data.map(({ model, state }: Loose) => [model, state])).toEqual([
      ['big', 'done'],
      ['m', 'done'],
    ]);
  });

  test('is planned anew: the other model has its own sampling, within the limits of the client', async () => {
    const engine = new ScriptedEngine();
    const sampling = { temperature: 0.3, topP: 0.5 };
    const bigger = { model: { name: 'big', sampling }, engine, verifier: new ScriptedVerifier() };
    const small = hopeless();
    const model = { ...small.model, escalateTo: 'big', sampling: { topP: 0.9 } };
    const { url } = await runGateway({ ...small, model, more: [bigger] });
    await ask(url, { max_completion_tokens: 50, coppice: { on_unaccepted: 'escalate' } });
    expect(engine.asked[0]).toMatchObject({ sampling, maxTokens: 50 });
  });

  test('escalates to a model without a verifier, whose samples vote', async () => {
    const blind = { model: { name: 'blind' }, engine: new ScriptedEngine() };
    const small = hopeless();
    const { url } = await runGateway({ ...small, model: { ...small.model, escalateTo: 'blind' }, more: [blind] });
    expect(await ask(url, { coppice: { on_unaccepted: 'escalate' } })).toMatchObject({
      model: 'blind',
      coppice: { escalated_from: 'm', scoring: 'self-consistency', confidence: expect.any(Number) },
    });
  });

  test('is one build, and so is the search that takes over', async () => {
    const made = vi.spyOn(mcts, 'create');
    onTestFinished(() => made.mockRestore());
    const bigger = { model: { name: 'big' }, engine: new ScriptedEngine(), verifier: new ScriptedVerifier() };
    const small = hopeless();
    const { url } = await runGateway({ ...small, model: { ...small.model, escalateTo: 'big' }, more: [bigger] });
    await ask(url, {});
    expect(made).toHaveBeenCalledTimes(1);
    await ask(url, { coppice: { on_unaccepted: 'escalate' } });
    expect(made).toHaveBeenCalledTimes(3);
  });

  test('begins one successor, though the process dies before its end is written', async () => {
    const journal = outlivingJournal();
    const finish = journal.finish.bind(journal);
    const small = hopeless();
    const bigger = () => ({ model: { name: 'big' }, engine: new ScriptedEngine(), verifier: new ScriptedVerifier() });
    const options = () => ({ ...small, model: { ...small.model, escalateTo: 'big' }, more: [bigger()], journal });
    // The successor exists, and the journal has no end of the first.
    journal.finish = () => new Promise(() => {});
    const first = await runGateway(options());
    const body = { ...question, background: true, coppice: { on_unaccepted: 'escalate' } };
    const { id } = (await (await post(`${first.url}/v1/searches`, body)).json()) as Loose;
    await until(async () => (await journal.unfinished()).length === 2);
    await first.close();
    journal.finish = finish;
    const { url } = await runGateway(options());
    await until(async () => (await journal.unfinished()).length === 0);
    const { data } = (await (await fetch(`${url}/v1/searches`)).json()) as Loose;
    expect(data.map(({ model, state }: Loose) => [model, state])).toEqual([
      ['big', 'done'],
      ['m', 'done'],
    ]);
    const { result } = (await (await fetch(`${url}/v1/searches/${id}`)).json()) as Loose;
    expect(result.escalated_to).toBe(data[0].id);
  });

  test('cannot escalate without another model', async () => {
    const { url } = await runGateway();
    expect(await ask(url, { coppice: { on_unaccepted: 'escalate' } })).toMatchObject({
      status: 400,
      error: { param: 'coppice.on_unaccepted' },
    });
  });
});
