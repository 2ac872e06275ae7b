// Servers that cannot be installed beside the tests, each by a stand-in that its own sources or reports describe: what doctor says of them, and searches
// from end to end.

import { expect, onTestFinished, test, vi } from 'vitest';
import { run } from '../../packages/coppice/src/cli/commands/doctor/doctor.ts';
import { openModel, search } from '../../packages/core/src/library/index.ts';
import { LlmdSimulator } from '../servers/llm-d-simulator.ts';
import { LmStudioServer } from '../servers/lm-studio-server.ts';
import { Vocabulary } from '../servers/model.ts';
import { OllamaServer } from '../servers/ollama-server.ts';
import { ProductionStack } from '../servers/production-stack.ts';
import { VllmServer } from '../servers/vllm-server.ts';

async function serve<Server extends { listen(): Promise<unknown>; close(): Promise<void> }>(
  server: Server,
): Promise<Server> {
  await server.listen();
  onTestFinished(() => server.close());
  return server;
}

async function doctor(url: string): Promise<string> {
  const lines: string[] = [];
  const told = vi.spyOn(console, 'log').mockImplementation((line: string) => void lines.push(line));
  const status = await run(['--engine', url, '--seconds', '0']).finally(() => told.mockRestore());
  expect(status).toBe(0);
  return lines.join('\n');
}

/** By votes: no reward model is needed. */
async function searched(url: string, more: object = {}, question = 'How many trees are in the wood?') {
  const model = await openModel({ engine: { kind: 'openai', urls: [url], ...more }, budget: 8 });
  onTestFinished(() => model.close());
  return search(question, { model, program: 'tree-samples', rollouts: 6, seed: 4 });
}

const steps = /^Step 1: .*\n\n$/s;

test('Ollama continues what it is given, and a search has steps', async () => {
  const server = await serve(new OllamaServer({ fragmentBytes: 9 }));
  const text = await doctor(server.url);
  expect(text).toContain(`engine ${server.url}: openai, model 'test-model', context unknown`);
  expect(text).toContain('+ continues a message of the assistant: paths can be grown');
  const { tree, exit } = await searched(`${server.url}/v1`);
  expect(exit.kind).toBe('exhausted');
  expect(tree.nodes[1]?.step?.text).toMatch(steps);
  expect(tree.nodes.some(({ depth, step }) => depth === 4 && step?.end === 'eos')).toBe(true);
  const bodies = server.bodies('/v1/chat/completions').filter(({ stream }) => stream === true);
  // Only fields of its ChatCompletionRequest.
  const fields = ['model', 'messages', 'max_tokens', 'temperature', 'top_p', 'seed', 'stream', 'stream_options'];
  expect(bodies.flatMap((body) => Object.keys(body)).filter((field) => !fields.includes(field))).toEqual([]);
});

test('Ollama is asked again after an error that it swallows, and waited for while it is busy', async () => {
  const server = await serve(new OllamaServer());
  const busy = 'server busy, please try again.  maximum pending requests exceeded';
  const troubles = [
    { type: 'error-inside', afterTokens: 2 },
    { type: 'status', status: 503, message: busy },
  ] as const;
  let asked = 0;
  server.mischief = () => troubles[asked++] ?? { type: 'none' };
  const { exit, rollouts } = await searched(server.url);
  expect([exit.kind, rollouts]).toEqual(['exhausted', 6]);
});

test('LM Studio answers 200 on pages that it does not have, and is still a plain server', async () => {
  const server = await serve(new LmStudioServer());
  const text = await doctor(`${server.url}/v1`);
  expect(text).toContain(`: openai, model 'test-model', context unknown`);
  expect(text).toContain('+ continues a message of the assistant');
  const { tree } = await searched(server.url);
  expect(tree.nodes[1]?.step?.text).toMatch(steps);
});

test('LM Studio that writes messages again is told of', async () => {
  const server = await serve(new LmStudioServer({ repeats: true }));
  expect(await doctor(server.url)).toContain('! writes a message of the assistant again where it is to continue it');
});

test("llm-d's simulator is searched as a vLLM that tells neither tokens nor delimiters", async () => {
  const server = await serve(new LlmdSimulator({ fragmentBytes: 9 }));
  const text = await doctor(server.url);
  expect(text).toContain(`: vllm, model 'test-model', 4096 tokens of context`);
  expect(text).toContain('! returns no token ids: paths are tokenised again');
  expect(text).toContain('! gives no log probabilities');
  const { exit, rollouts, answer } = await searched(server.url, { router: 'llm-d' });
  expect([exit.kind, rollouts]).toEqual(['exhausted', 6]);
  expect(answer).toMatch(/\d/);
  const [{ headers } = { headers: {} }] = server.seen.filter(({ body }) => body.n !== undefined);
  expect(headers).toMatchObject({ 'x-llm-d-inference-objective': 'coppice' });
});

test('production-stack keeps a search at one server, and another takes over where that is gone', async () => {
  const vocabulary = new Vocabulary();
  const servers = Array.from({ length: 3 }, () => new VllmServer({ vocabulary }));
  const stack = await serve(new ProductionStack(servers));
  const text = await doctor(stack.url);
  expect(text).toContain(`: vllm 0.1.9, model 'test-model', context unknown`);
  const before = servers.map(({ tokensWritten }) => tokensWritten);
  const { exit } = await searched(stack.url, { router: 'vllm', inFlight: 16 });
  expect(exit.kind).toBe('exhausted');
  expect(servers.filter(({ tokensWritten }, at) => tokensWritten > before[at]!)).toHaveLength(1);
  for (const server of servers.slice(1)) await server.close();
  expect((await searched(stack.url, { router: 'vllm', inFlight: 16 })).exit.kind).toBe('exhausted');
  await expect(openModel({ engine: { kind: 'openai', urls: [stack.url], model: 'other' } })).rejects.toThrow(
    "serves 'test-model', not 'other'",
  );
});
