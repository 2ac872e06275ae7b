// Thinking on the embedded engine, by a tiny model that writes a tag and thinks until it is stopped: found, bounded, given out in its field,
// ended early by entropy probes (EAT), and a line that says so where the context holds less than was allowed.

import { expect, test } from 'vitest';
import { openModel } from '../../packages/core/src/answering/models/open-models.ts';
import { loadConfig } from '../../packages/core/src/config/load.ts';
import { askThinker, serveModel } from '../support/thinker.ts';
import { embeddedQuestion, tinyThinker } from '../support/tiny-thinker.ts';

test('a chain in tags is found, ended at its limit and given out in its field', async () => {
  const url = await serveModel(tinyThinker(4096));
  const coppice = { rollouts: 1, program: 'self-consistency', max_thinking_tokens: 700 };
  const answer = await askThinker(url, { ...embeddedQuestion, coppice });
  const [{ message }] = answer.choices;
  expect(message.content.trim()).toBe('42');
  expect(message.reasoning_content).toMatch(/^a{600,700}\s+The time for thinking is over/);
  expect(message.reasoning).toBe(message.reasoning_content);
  expect(answer.coppice).toMatchObject({ answer: '42', complete: true });
});

test('entropy probes inside the thinking end it once they are calm', async () => {
  const url = await serveModel(tinyThinker(4096));
  const coppice = { program: 'chain', chain: { probe: 'entropy', probe_every: 32 }, max_thinking_tokens: 2000 };
  const answer = await askThinker(url, { ...embeddedQuestion, coppice });
  const [{ message }] = answer.choices;
  expect(answer.coppice).toMatchObject({ answer: '42', complete: true, program: 'chain' });
  expect(message.content.trim()).toBe('42');
  // Three readings, of which the variance is 0, and the answer that they ask for.
  expect(message.reasoning_content.length).toBeLessThan(400);
  const events = await (await fetch(`${url}/v1/searches/${answer.coppice.search}/events?stream=false`)).text();
  expect(events.match(/"entropy":[\d.e-]+/g)?.length).toBeGreaterThanOrEqual(3);
});

test('a context that holds less thinking than is allowed is one line', async () => {
  const { models } = loadConfig({
    base: { models: [{ name: 'thinker', ...tinyThinker(4096), maxThinkingTokens: 20_000 }] },
  });
  const opened = await openModel(models[0]!, {});
  await opened.engine.close();
  expect(opened.warnings).toContain(
    'maxThinkingTokens is 20000; the context of 4096 tokens (engine.contextTokens, or what the model was trained for) leaves 3072 for thinking',
  );
});
