// A trainer asks for n rollouts of one question: all are choices, equal ones too, with their tokens if the engine reports them.

import { expect, test } from 'vitest';
import { ask, post, question, runGateway } from '../../../../../tests/support/running-gateway.ts';
import { ScriptedEngine, ScriptedVerifier } from '../../../../../tests/support/scripted-engine.ts';

test('n rollouts of a tree are n choices, and branch off each other', async () => {
  const { url, engine } = await runGateway();
  const { choices, coppice } = await ask(url, { n: 6, coppice: { program: 'scored-tree-samples' } });
  expect(choices).toHaveLength(6);
  expect(coppice).toMatchObject({ rollouts: 6, answers: { asked: 6, given: 6 }, exit: { kind: 'exhausted' } });
  // Six flat samples of three steps would be 18 draws.
  expect(engine.asked.length).toBeLessThan(18);
});

test('a group whose scores are all alike ends early if it may', async () => {
  const verifier = new ScriptedVerifier(() => 0);
  const { url } = await runGateway({ verifier });
  const body = { n: 12, coppice: { program: 'scored-tree-samples', 'scored-tree-samples': { settle_after: 4 } } };
  const { coppice } = await ask(url, body);
  expect(coppice.exit).toMatchObject({ kind: 'certain', rule: 'alike' });
  expect(coppice.rollouts).toBeLessThan(12);
});

test('token ids come with their mask and log probabilities, and are null from an engine that does not tell', async () => {
  const engine = new ScriptedEngine();
  const { url } = await runGateway({ engine });
  const body = { n: 2, return_token_ids: true, coppice: { program: 'tree-samples' } };
  const silent = await ask(url, body);
  expect(silent.choices[0]).toMatchObject({ token_ids: null, token_mask: null, token_logprobs: null });
  expect(silent.prompt_token_ids).toBeNull();

  engine.tellsTokens = true;
  const { choices, prompt_token_ids } = await ask(url, body);
  expect(prompt_token_ids).toEqual([7, 8, 9]);
  for (const { token_ids, token_mask, token_logprobs } of choices) {
    expect(token_ids.length).toBeGreaterThan(2);
    expect(token_mask).toEqual(token_ids.map(() => 1));
    expect(token_logprobs).toHaveLength(token_ids.length);
  }
});

test('tokens cannot be asked for in a stream', async () => {
  const { url } = await runGateway();
  const response = await post(`${url}/v1/chat/completions`, { ...question, stream: true, return_token_ids: true });
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ error: { param: 'return_token_ids' } });
});
