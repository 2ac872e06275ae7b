import { expect, it } from 'vitest';
import { FaultError, fault } from '../../packages/core/src/base/fault.ts';
import { hash, Random } from '../../packages/core/src/base/random.ts';
import { BatchedEmbedder, type EmbedTexts } from '../../packages/core/src/embedder/batched-embedder.ts';
import { openEndpoint } from '../../packages/core/src/embedder/embeddings-endpoint.ts';
import { embedderWarning } from '../../packages/core/src/embedder/probe-texts.ts';
import type { EmbedderHarness } from '../../packages/core/src/testing/index.ts';
import { embedderConformance } from '../support/conformance.ts';
import { startEmbeddings } from '../support/embeddings-server.ts';
import { ManualTimers } from '../support/manual-timers.ts';

function vectorOf(text: string): number[] {
  const random = new Random(hash(text));
  return [random.uniform(), random.uniform(), random.uniform()];
}

function observed() {
  const said: string[] = [];
  const timers = new ManualTimers();
  const options = { timeoutMs: 5000, observe: (event: string) => said.push(event), timers };
  const rest = () => timers.advance(1e6);
  return { said, options, rest };
}

embedderConformance('an endpoint', async (): Promise<EmbedderHarness> => {
  const server = await startEmbeddings(vectorOf);
  const { said, options, rest } = observed();
  const embedder = openEndpoint({ url: `${server.url}/v1`, ...options });
  const behave = (how: typeof server.how) => {
    server.how = how;
  };
  const close = async () => {
    await embedder.close();
    await server.close();
  };
  return { embedder, behave, rest, said, close };
});

embedderConformance('a function', async (): Promise<EmbedderHarness> => {
  let how = 'well';
  const embed: EmbedTexts = async (texts) => {
    if (how === 'hang') return new Promise(() => {});
    if (how === 'fail') throw new Error('broken');
    return { vectors: how === 'nonsense' ? [[Number.NaN]] : texts.map(vectorOf), tokens: 0 };
  };
  const { said, options, rest } = observed();
  const embedder = new BatchedEmbedder(embed, { name: 'a function', ...options });
  const behave = (next: string) => {
    how = next;
  };
  return { embedder, behave, rest, said, close: () => embedder.close() };
});

it('asks in one call for what is asked at a time, with the end of what is too long', async () => {
  const server = await startEmbeddings(vectorOf);
  const embedder = openEndpoint({ url: server.url, timeoutMs: 5000 });
  const done = new Promise<void>((resolve) => embedder.connect(({ request }) => request === 2 && resolve()));
  embedder.embed([
    { id: 1, text: 'short' },
    { id: 2, text: `${'x'.repeat(5000)} the end` },
  ]);
  await done;
  expect(server.calls).toHaveLength(1);
  expect(server.calls[0]![0]).toBe('short');
  expect(server.calls[0]![1]).toMatch(/^x{1992} the end$/);
  await embedder.close();
  await server.close();
});

it('keeps the key and the password of its address out of what it says', async () => {
  const server = await startEmbeddings(vectorOf);
  for (const how of ['nonsense', 'fail'] as const) {
    server.how = how;
    const url = server.url.replace('//', '//me:secret@');
    const embedder = openEndpoint({ url, apiKey: 'hidden', timeoutMs: 5000 });
    const said = await embedderWarning(embedder);
    expect(said).toMatch(/^embedder at http:\/\/127.0.0.1:\d+ gives no vectors/);
    expect(said).not.toMatch(/secret|hidden/);
    await embedder.close();
  }
  await server.close();
});

it('asks again where the connection broke, and only there', async () => {
  const codes = ['unavailable', 'overloaded'] as const;
  for (const code of codes) {
    let calls = 0;
    const embed: EmbedTexts = async (texts) => {
      calls += 1;
      if (calls === 1) throw new FaultError(fault(code, 'gone'));
      return { vectors: texts.map(vectorOf), tokens: 1 };
    };
    const embedder = new BatchedEmbedder(embed, { name: 'broken', timeoutMs: 5000 });
    const said = new Promise((resolve) => embedder.connect(({ type }) => resolve(type)));
    embedder.embed([{ id: 1, text: 'text' }]);
    expect(await said).toBe(code === 'unavailable' ? 'vector' : 'fault');
  }
});

it.each([
  ['tells paraphrases from other texts', (text: string) => (text.includes('disk') ? [1, 0.1] : [0, 1]), undefined],
  [
    'finds everything alike',
    () => [1, 1],
    /does not tell answers apart: .* 1.00 near, .* 1.00; from 0.8 on they count as one/,
  ],
  ['finds nothing alike', vectorOf, /does not tell answers apart/],
] as const)('is tried when it is opened: one that %s', async (_, vectors, warning) => {
  const embed: EmbedTexts = async (texts) => ({ vectors: texts.map(vectors), tokens: 0 });
  const said = await embedderWarning(new BatchedEmbedder(embed, { name: 'e', timeoutMs: 5000 }));
  if (warning === undefined) expect(said).toBeUndefined();
  else expect(said).toMatch(warning);
});

it('is not waited for at the start: one that cannot be reached is a warning', async () => {
  const embedder = openEndpoint({ url: 'http://127.0.0.1:1', timeoutMs: 5000 });
  expect(await embedderWarning(embedder)).toMatch(
    /^embedder at http:\/\/127.0.0.1:1 gives no vectors: .*nothing listens there.*; open answers are compared by their words until it does$/,
  );
  await embedder.close();
});
