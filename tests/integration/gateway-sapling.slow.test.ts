// The whole way on real weights: the official client, the gateway, a search on the embedded engine with the shipped models.

import OpenAI, { BadRequestError } from 'openai';
import { expect, onTestFinished, test } from 'vitest';
import { evaluate } from '../../packages/core/src/answer/formula/expression.ts';
import { openModels } from '../../packages/core/src/answering/models/open-models.ts';
import { checkConfig } from '../../packages/core/src/config/load.ts';
import { SqliteJournal } from '../../packages/core/src/journal/sqlite/sqlite-journal.ts';
import { Gateway } from '../../packages/gateway/src/gateway.ts';
import { silentLog } from '../../packages/gateway/src/observe/log.ts';
import type { Loose } from '../support/loose.ts';

async function client(): Promise<OpenAI> {
  const models = [{ name: 'sapling', engine: { kind: 'llama' }, verifier: { kind: 'prm' }, budget: 8 }];
  const config = checkConfig({ server: { port: 0, shutdownMs: 0 }, models });
  const journal = new SqliteJournal({ path: ':memory:' });
  const gateway = new Gateway({ config, models: await openModels(config.models, {}), journal, log: silentLog });
  const url = await gateway.listen();
  onTestFinished(() => gateway.close());
  return new OpenAI({ baseURL: `${url}/v1`, apiKey: 'unused', maxRetries: 0 });
}

test('a puzzle as a person types it is solved, streamed and counted; a question of another kind is refused', async () => {
  const openai = await client();
  const messages = [{ role: 'user' as const, content: 'make 24 from 4, 7, 8 and 8' }];
  const ask = { model: 'sapling', messages, seed: 1 };
  const stream = await openai.chat.completions.create({
    ...ask,
    stream: true,
    stream_options: { include_usage: true },
  });
  let content = '';
  let reasoning = '';
  let last: Loose;
  let usage: OpenAI.CompletionUsage | null | undefined;
  for await (const chunk of stream) {
    const delta: Loose = chunk.choices[0]?.delta ?? {};
    content += delta.content ?? '';
    reasoning += delta.reasoning_content ?? '';
    last = (chunk as Loose).coppice ?? last;
    usage = chunk.usage ?? usage;
  }
  const [, expression] = /^Answer: (.+)$/.exec(content) ?? [];
  expect(evaluate(expression ?? '')).toEqual(evaluate('24'));
  expect(reasoning.split('\n').filter((line) => line !== '')).toHaveLength(3);
  expect(last).toMatchObject({ exit: { kind: 'accepted' }, scoring: 'verifier', answer: expression });
  expect(usage?.prompt_tokens).toBeGreaterThan(0);
  const again = await openai.chat.completions.create(ask);
  expect(again.choices[0]?.message.content).toBe(content);
  const chat = [{ role: 'user' as const, content: 'Hello, who are you?' }];
  const refused = openai.chat.completions.create({ model: 'sapling', messages: chat });
  await expect(refused).rejects.toThrowError(BadRequestError);
  await expect(refused).rejects.toThrowError(/four kinds of question/);
});
