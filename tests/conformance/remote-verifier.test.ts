// The remote verifier passes the verifier suite with every scorer on every server that can serve it.

import * as http from 'node:http';
import type { AddressInfo } from 'node:net';
import type { VerifierHarness } from '../../packages/core/src/testing/index.ts';
import type { Step } from '../../packages/core/src/tree/step.ts';
import { openRemoteVerifier, type RemoteVerifierKind } from '../../packages/core/src/verifier/remote/open-verifier.ts';
import { LlamaTestServer } from '../servers/llama-server.ts';
import { PlainServer } from '../servers/plain-server.ts';
import type { TestServer } from '../servers/server.ts';
import { SglangServer } from '../servers/sglang-server.ts';
import { VllmServer } from '../servers/vllm-server.ts';
import { verifierConformance } from '../support/conformance.ts';

const work = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 1));
const steps = ['begin', 'go on', 'double it', 'say so'].map((word, at): Step => {
  return { text: `Step ${at + 1}: ${word}.\n\n`, tokens: 4, meanLogprob: -0.5, end: 'delimiter' };
});
const prompt = { kind: 'chat', messages: [{ role: 'user', content: 'How many?' }] } as const;

async function open(kind: RemoteVerifierKind, server: TestServer): Promise<VerifierHarness> {
  await server.listen();
  const verifier = await openRemoteVerifier({ kind, servers: [{ url: server.url }] });
  const close = async (): Promise<void> => {
    await verifier.close();
    await server.close();
  };
  return { verifier, work, close, prompt, steps };
}

/** The scorer contract of docs/remote-engines.md, in ten lines. */
async function openHttp(): Promise<VerifierHarness> {
  const server = http.createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request.setEncoding('utf8')) text += chunk;
    const { items } = JSON.parse(text) as { items: { question: string; steps: string[] }[] };
    response.end(JSON.stringify({ rewards: items.map(({ steps }) => (steps.at(-1)!.length % 10) / 10) }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/score`;
  const verifier = await openRemoteVerifier({ kind: 'http', servers: [{ url }] });
  const close = async (): Promise<void> => {
    await verifier.close();
    await new Promise((resolve) => server.close(resolve));
  };
  return { verifier, work, close, prompt, steps };
}

verifierConformance('qwen-prm on vllm', () => open('qwen-prm', new VllmServer()));
verifierConformance('math-shepherd on vllm', () => open('math-shepherd', new VllmServer()));
verifierConformance('rlhflow on vllm', () => open('rlhflow', new VllmServer()));
verifierConformance('math-shepherd on sglang', () => open('math-shepherd', new SglangServer()));
verifierConformance('rlhflow on sglang', () => open('rlhflow', new SglangServer()));
verifierConformance('math-shepherd on llama-server', () => open('math-shepherd', new LlamaTestServer()));
verifierConformance('rlhflow on llama-server', () => open('rlhflow', new LlamaTestServer()));
verifierConformance('judge on a plain server', () => open('judge', new PlainServer()));
verifierConformance('http', openHttp);
