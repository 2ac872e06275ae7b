// Answers in the model's own words over HTTP and on the command line: grouped by a server of embeddings, or by their words where
// that is down.

import { execFile } from 'node:child_process';
import { expect, onTestFinished, test } from 'vitest';
import { openModel } from '../../packages/core/src/answering/models/open-models.ts';
import { checkConfig } from '../../packages/core/src/config/load.ts';
import { openEndpoint } from '../../packages/core/src/embedder/embeddings-endpoint.ts';
import { startEmbeddings } from '../support/embeddings-server.ts';
import { ask, modelDefaults, runGateway } from '../support/running-gateway.ts';

const sayings = ['The disk was full.', 'A lock was held there.', 'There was space for nothing.'];
const script = ({ seed }: { readonly seed: number }) => ({ text: sayings[seed % 3]!, end: 'eos' as const });

/** Two of three sayings mean the same. */
async function meanings() {
  const server = await startEmbeddings((text) => (text.includes('lock') ? [0, 1] : [1, text.length / 100]));
  onTestFinished(() => server.close());
  return server;
}

async function served(embedder?: { readonly url: string }) {
  const open = embedder && openEndpoint({ url: embedder.url, timeoutMs: 5000 });
  return runGateway({
    scripted: { script },
    verifier: 'none',
    model: { verifier: { kind: 'none' }, program: 'self-consistency' },
    ...(open && { embedder: open }),
  });
}

const body = { seed: 1, coppice: { rollouts: 12, program: 'self-consistency' } };

test('an answer has the support of all that mean the same, and metrics count what that cost', async () => {
  const { url } = await served(await meanings());
  const { coppice } = await ask(url, body);
  expect(coppice.support).toBeGreaterThan(0.5);
  expect(coppice.tokens.embedder).toBe(3);
  const metrics = await (await fetch(`${url}/metrics`)).text();
  expect(metrics).toContain('coppice_embedder_texts_total{model="m"} 3');
  expect(metrics).toContain('coppice_embedder_healthy{model="m"} 1');
  expect(metrics).toMatch(/coppice_embedder_tokens_total\{model="m"\} 3/);
  const events = await (await fetch(`${url}/v1/searches/${coppice.search}/events?format=json`)).text();
  expect(events).toMatch(/"group":\d+/);
});

test('a server that is down changes the groups and nothing else', async () => {
  const server = await meanings();
  server.how = 'fail';
  const { url } = await served(server);
  const { status, coppice } = await ask(url, body);
  expect(status).toBe(200);
  expect([coppice.exit, coppice.tokens.embedder]).toEqual([expect.anything(), 0]);
  const metrics = await (await fetch(`${url}/metrics`)).text();
  expect(metrics).toContain('coppice_embedder_healthy{model="m"} 0');
});

test('without an embedder answers are compared by their words, and no metric speaks of one', async () => {
  const { url } = await served();
  expect(await (await fetch(`${url}/metrics`)).text()).not.toMatch(/coppice_embedder_\w+\{/);
  expect((await ask(url, body)).coppice.support).toBeLessThan(0.5);
});

function command(...args: string[]): Promise<{ status: number; output: string; said: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, ['packages/coppice/src/cli/main.ts', ...args], (error, output, said) => {
      resolve({ status: Number(error?.code ?? 0), output, said });
    });
  });
}

test('a key that is not there is one line', async () => {
  const embedder = { url: 'http://127.0.0.1:1', apiKeyEnv: 'NO_SUCH' };
  const { models } = checkConfig({ models: [{ ...modelDefaults, embedder }] });
  await expect(openModel(models[0]!, {})).rejects.toThrow('the variable NO_SUCH, which is to hold a key, is not set');
  expect(() => checkConfig({ models: [{ ...modelDefaults, embedder: { url: 'nowhere' } }] })).toThrow(
    /models.0.embedder.url/,
  );
});

test('an embedder that cannot be reached is one warning, and the question is answered', async () => {
  const flags = ['--embedder', 'http://127.0.0.1:1', '--rollouts', '2', '--json'];
  const { said, output } = await command('ask', 'make 24 from 4 7 8 8', ...flags);
  expect(said.trim().split('\n')).toHaveLength(1);
  expect(said).toMatch(/^warning: embedder at http:\/\/127.0.0.1:1 gives no vectors: .*nothing listens there/);
  expect(JSON.parse(output)).toMatchObject({ verdict: expect.any(String) });
});
