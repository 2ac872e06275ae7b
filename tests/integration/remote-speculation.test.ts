// Speculation over a server that speaks vLLM's protocol: guesses wait behind everything else there, their connections are closed when a
// level has chosen without them, and the answer is the one without.

import { expect, onTestFinished, test } from 'vitest';
import { openModels } from '../../packages/core/src/answering/models/open-models.ts';
import { checkConfig } from '../../packages/core/src/config/load.ts';
import { SqliteJournal } from '../../packages/core/src/journal/sqlite/sqlite-journal.ts';
import { Gateway } from '../../packages/gateway/src/gateway.ts';
import { silentLog } from '../../packages/gateway/src/observe/log.ts';
import { VllmServer } from '../servers/vllm-server.ts';
import type { Loose } from '../support/loose.ts';
import { post } from '../support/running-gateway.ts';
import { turn, until } from '../support/until.ts';

async function vllm(): Promise<VllmServer> {
  const server = await new VllmServer().listen();
  onTestFinished(() => server.close());
  return server;
}

const body = { model: 'remote', messages: [{ role: 'user', content: 'what is it?' }], seed: 5 };

test('guesses stand behind everything else at the server, none is left there, and the answer stays the same', async () => {
  const [generator, scorer] = [await vllm(), await vllm()];
  const engine = { kind: 'openai', urls: [`${generator.url}/v1`] };
  const verifier = { kind: 'prm', urls: [scorer.url], format: 'qwen-prm' };
  const config = checkConfig({
    server: { port: 0, shutdownMs: 0 },
    models: [{ name: 'remote', engine, verifier, speculate: 8, threshold: 0.999, policy: 'positive' }],
  });
  // By a gateway that has measured nothing: one that knows how fast its servers are may find that speculation does not pay.
  const answered = async (speculate: number) => {
    const models = await openModels(config.models, {});
    const gateway = new Gateway({ config, models, journal: new SqliteJournal({ path: ':memory:' }), log: silentLog });
    const url = await gateway.listen();
    onTestFinished(() => gateway.close());
    const coppice = { program: 'beam', rollouts: 8, speculate };
    return (await (await post(`${url}/v1/chat/completions`, { ...body, coppice })).json()) as Loose;
  };
  const priorities = () => generator.bodies('/v1/completions').flatMap(({ priority }) => (priority as number) ?? []);
  const without = await answered(0);
  expect(new Set(priorities())).toEqual(new Set([0]));
  // Siblings come in one answer. The second level's second answer of four takes until the others are grown on.
  let begun = 0;
  generator.pace = async (token) => {
    await turn();
    if (token !== 2) return;
    begun += 1;
    while (begun === 12 && priorities().every((each) => each === 0)) await turn();
  };
  const ahead = await answered(8);
  expect(Math.max(...priorities())).toBeGreaterThan(1 << 20);
  const { answer, score, exit, nodes, tokens } = ahead.coppice;
  expect({ answer, score, exit, nodes }).toEqual({
    answer: without.coppice.answer,
    score: without.coppice.score,
    exit: without.coppice.exit,
    nodes: without.coppice.nodes,
  });
  expect(tokens.committed).toBe(without.coppice.tokens.committed);
  expect(tokens.adopted).toBeGreaterThan(0);
  await until(() => generator.openStreams === 0);
});
