// Seeded storms over real sockets: servers of three kinds that refuse, cut, hang, babble, write blanks and die in the
// middle of many requests, some of which are cancelled; then calm. Whatever happens, every request is answered exactly
// once, no step is torn, and in the end nothing is left in flight.

import { expect, it } from 'vitest';
import { Random } from '../../packages/core/src/base/random.ts';
import type { GenerateRequest } from '../../packages/core/src/engine/engine.ts';
import { LlamaTestServer } from '../servers/llama-server.ts';
import { Vocabulary } from '../servers/model.ts';
import type { Mischief, TestServer } from '../servers/server.ts';
import { SglangServer } from '../servers/sglang-server.ts';
import { VllmServer } from '../servers/vllm-server.ts';
import { openBench } from './remote-bench.ts';

const mischiefs: readonly Mischief[] = [
  { type: 'status', status: 500 },
  { type: 'status', status: 503, message: 'The request queue is full.' },
  { type: 'cut', afterTokens: 0 },
  { type: 'cut', afterTokens: 3 },
  { type: 'hang', afterTokens: 1 },
  { type: 'garbage' },
  { type: 'blank' },
  { type: 'no-done' },
  { type: 'error-inside', afterTokens: 2 },
];

/** One kind of server per seed; replicas share a vocabulary as they share a model. */
function makeServer(seed: number, vocabulary: Vocabulary): TestServer {
  const kind = [VllmServer, SglangServer, LlamaTestServer][seed % 3]!;
  return new kind({ vocabulary, fragmentBytes: 40 });
}

it.each([1, 2, 3, 4, 5, 6, 7, 8, 9])('storm %i', async (seed) => {
  const random = new Random('storm', seed);
  const vocabulary = new Vocabulary();
  const replicas = [0, 1, 2].map(() => makeServer(seed, vocabulary));
  for (const server of replicas) await server.listen();
  const ports = replicas.map(({ url }) => Number(new URL(url).port));
  let calm = false;
  const wild = (): Mischief =>
    !calm && random.chance(0.25) ? mischiefs[random.integer(mischiefs.length)]! : { type: 'none' };
  const bench = await openBench(replicas, { betweenTokensMs: 5000, seed });
  for (const server of replicas) server.mischief = wild;

  const asked: GenerateRequest[] = [];
  for (let turn = 0; turn < 12; turn += 1) {
    const alone = Array.from({ length: 1 + random.integer(8) }, () => {
      const search = `search-${random.integer(6)}`;
      return bench.request({
        search,
        lane: random.chance(0.3) ? 'speculative' : 'primary',
        priority: random.integer(3),
      });
    });
    const needs = { logprobs: random.chance(0.5), tokens: false, seed: true };
    const maxTokens = random.chance(0.5) ? 64 : 2048;
    const siblings = Array.from({ length: random.integer(5) }, (_, index) =>
      bench.request({ index, seed: 1000 * turn + index, expansion: turn, needs, maxTokens }),
    );
    const batch = [...alone, ...siblings];
    asked.push(...batch);
    bench.engine.generate(batch);
    const goal = asked.filter(({ id }) => bench.answer(id) !== undefined).length + random.integer(4);
    let patience = 40;
    await bench.until(() => {
      patience -= 1;
      return patience < 0 || asked.filter(({ id }) => bench.answer(id) !== undefined).length >= goal;
    }, 20);
    bench.engine.cancel(asked.filter(() => random.chance(0.05)).map(({ id }) => id));
    if (turn === 6) await replicas[0]!.close();
  }
  calm = true;
  const back = await makeServer(seed, vocabulary).listen(ports[0]);
  await bench.finish(asked, 200);

  for (const { id } of asked) {
    const answer = bench.answer(id)!;
    if (answer.type === 'fault') {
      expect(['cancelled', 'internal', 'protocol', 'timeout', 'bad-step']).toContain(answer.fault.code);
      continue;
    }
    const { step } = answer;
    expect(step.text).toMatch(step.end === 'eos' ? /\.$/ : /^Step \d+: .+\.\n\n$/s);
  }
  expect(asked.filter(({ id }) => bench.answer(id)!.type === 'step').length).toBeGreaterThan(asked.length / 3);
  await bench.until(() => bench.engine.load().runningSequences === 0, 200);
  expect(bench.engine.load().waitingSequences).toBe(0);
  await back.close();
  await bench.close();
});
