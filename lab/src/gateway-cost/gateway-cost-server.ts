// One server of the gateway benchmark, in a process of its own: prints its port, reports its CPU time on request, ends on request.

import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkConfig } from '@coppice/core/config';
import { SqliteJournal } from '@coppice/core/journal';
import { Gateway } from '@coppice/gateway';
import { silentLog } from '@coppice/gateway/observe';
import type { Engine, EngineMessage, Verifier, VerifierMessage } from 'coppice';
import type { Variant } from './gateway-cost.ts';

const text = 'The answer is (8 - 4) * 7 - 8 + 4.';

function instantEngine(): Engine {
  let post: (message: EngineMessage) => void = () => {};
  const can = { seeded: true, logprobs: true, streams: false, priorities: true, countsCache: true };
  const usage = { computedTokens: 12, cachedTokens: 0, generatedTokens: 12 };
  const step = { text, tokens: 12, meanLogprob: -0.1, end: 'eos' } as const;
  return {
    capabilities: { name: 'instant', ...can, contextTokens: 8192 },
    connect: (to) => {
      post = to;
    },
    generate: (requests) => {
      for (const { id } of requests) post({ type: 'step', request: id, step, usage });
    },
    cancel: () => {},
    release: () => {},
    load: () => ({ runningSequences: 0, waitingSequences: 0, sequenceLimit: undefined, stepMs: 0, healthy: true }),
    close: async () => {},
  };
}

function instantVerifier(): Verifier {
  let post: (message: VerifierMessage) => void = () => {};
  const usage = { computedTokens: 12, cachedTokens: 0 };
  return {
    capabilities: { name: 'instant', aggregation: 'product', reusesPrefix: true },
    connect: (to) => {
      post = to;
    },
    score: (requests) => {
      for (const { id } of requests) post({ type: 'score', request: id, reward: 1, usage });
    },
    cancel: () => {},
    release: () => {},
    load: () => ({ waiting: 0, healthy: true }),
    close: async () => {},
  };
}

async function startGateway(variant: Variant): Promise<number> {
  const onDisk = variant === 'search, journal on disk';
  const folder = onDisk ? mkdtempSync(join(tmpdir(), 'coppice-bench-')) : undefined;
  if (folder !== undefined) process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const journal = new SqliteJournal({ path: folder === undefined ? ':memory:' : join(folder, 'journal.db') });
  const models = [{ name: 'm', engine: { kind: 'sim' }, verifier: { kind: 'sim' }, branching: 1 }];
  const config = checkConfig({ server: { port: 0 }, models });
  const parts = [{ config: config.models[0]!, engine: instantEngine(), verifier: instantVerifier() }];
  const gateway = new Gateway({ config, models: parts, journal, log: silentLog });
  return Number(new URL(await gateway.listen()).port);
}

/** Reads and parses the body, and answers with as many bytes as the gateway does. */
async function startBare(): Promise<number> {
  const answer = JSON.stringify({
    choices: [{ message: { role: 'assistant', content: text } }],
    padding: 'x'.repeat(1100),
  });
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      JSON.parse(Buffer.concat(chunks).toString('utf8'));
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': answer.length });
      response.end(answer);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

process.on('message', (message) => {
  if (message === 'stop') process.exit(0);
  const { user, system } = process.cpuUsage();
  process.send?.({ cpuMs: (user + system) / 1000 });
});
// A benchmark that was killed leaves no server behind.
process.on('disconnect', () => process.exit(0));

const variant = process.argv[2] as Variant;
process.send?.({ port: variant === 'bare' ? await startBare() : await startGateway(variant) });
