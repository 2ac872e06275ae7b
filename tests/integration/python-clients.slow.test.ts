// Clients of other languages, unchanged, against a real gateway on loopback: what is searched, what is passed through to an
// engine that answers in shapes and calls tools, and batches.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { guides } from '../support/guide-commands.ts';
import type { Loose } from '../support/loose.ts';
import { clientsFolder, hasPythonClients, runPython } from '../support/python-clients.ts';
import { runGateway } from '../support/running-gateway.ts';
import { saplingForm } from '../support/sapling-form.ts';
import { ScriptedEngine, ScriptedVerifier } from '../support/scripted-engine.ts';
import { ServedProcess } from '../support/served-process.ts';
import { allDone, serveTurns, tenTurns } from '../support/served-turns.ts';

const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };

/** An engine's own chat endpoint: it calls the first tool, or answers in the shape that it is asked for. */
async function engine(): Promise<string> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const { tools } = JSON.parse(Buffer.concat(chunks).toString()) as Loose;
      const name = tools?.[0]?.function.name;
      const calls = [{ id: 'c', type: 'function', function: { name, arguments: '{"a": 2, "b": 2, "answer": 24}' } }];
      const said = name === undefined ? { content: '{"answer": 24}' } : { content: null, tool_calls: calls };
      const choices = [{ index: 0, message: { role: 'assistant', ...said }, finish_reason: 'stop' }];
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ id: 'x', object: 'chat.completion', created: 1, model: 'real', choices, usage }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

async function saidBy(client: string): Promise<Loose> {
  const generator = new ScriptedEngine();
  // As those of vLLM and SGLang do.
  Object.assign(generator.capabilities, { passes: ['add_generation_prompt', 'continue_final_message'] });
  const { url } = await runGateway({
    engine: generator,
    upstream: { urls: [await engine()], model: 'real', headers: {} },
  });
  const lines = (await runPython('python', [`${clientsFolder}/clients.py`, url, client])).trim().split('\n');
  return Object.fromEntries(lines.map((line) => JSON.parse(line)).map(({ what, ...facts }) => [what, facts]));
}

const answer = expect.stringMatching(/^The answer is \d\.$/);

describe.skipIf(!hasPythonClients)('in Python', () => {
  test('the first lines of the README print what stands beside them', async () => {
    const [, lines = ''] = /```python\n([\s\S]*?)```/.exec(readFileSync('README.md', 'utf8')) ?? [];
    const server = await ServedProcess.start(['--journal', ':memory:']);
    onTestFinished(() => void server.stop());
    const said = await runPython('python', ['-c', lines.replace('http://127.0.0.1:8181', server.url)]);
    const beside = [...lines.matchAll(/^print.*# (.*)$/gm)].map(([, words]) => words);
    // Which of several right answers comes is the processor's rounding.
    expect(said).toMatch(/^Answer: [-+*/()\d ]+\n/);
    expect(said.trim().split('\n').at(-1)).toBe(beside.at(-1));
  });

  test('openai: chat, responses, structured output, batches', async () => {
    expect(await saidBy('openai')).toMatchObject({
      chat: { content: answer, tokens: expect.any(Number) },
      stream: { content: answer },
      response: { content: answer, status: 'completed' },
      'response stream': { first: 'response.created', last: 'response.completed', content: answer },
      structured: { answer: 24 },
      batch: { content: answer },
    });
  });

  test('anthropic: messages, streams, counting', async () => {
    const said = await saidBy('anthropic');
    expect(said).toMatchObject({ message: { content: answer, stop: 'end_turn' }, stream: { content: answer } });
    expect(said.count.tokens).toBeGreaterThan(0);
  });

  test('LangChain: chat, streams, structured output, tools', async () => {
    expect(await saidBy('langchain')).toMatchObject({
      chat: { content: answer },
      stream: { content: answer },
      structured: { answer: 24 },
      tools: { calls: ['add'] },
    });
  });

  test('LiteLLM: chat, streams', async () => {
    expect(await saidBy('litellm')).toMatchObject({ chat: { content: answer }, stream: { content: answer } });
  });

  test('its_hub: answers of its own to choose from', async () => {
    const { answers, step } = await saidBy('its_hub');
    expect(answers.content).toEqual([answer, answer]);
    expect(step.content).toBe('{"answer": 24}');
  });

  test.each(['openai', 'anthropic', 'openai-agents', 'openai-agents-responses', 'langgraph', 'pydantic-ai'])(
    '%s runs ten turns with tools, each of them a vote',
    async (agent) => {
      const { server, url } = await serveTurns(tenTurns, { tools: 'vote' });
      const said = (await runPython('python', [`${clientsFolder}/agent_turns.py`, url, agent]))
        .trim()
        .split('\n')
        .at(-1)!;
      expect(JSON.parse(said)).toEqual({ said: allDone, steps: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10] });
      const drawn = server.bodies('/v1/chat/completions').reduce((sum, { n = 1 }) => sum + Number(n), 0);
      expect(drawn).toBeGreaterThanOrEqual(22);
    },
  );

  const files = guides.find(({ page }) => page === 'clients.md')!.files;

  test('the agent of the guide takes its steps', async () => {
    const { url } = await serveTurns(tenTurns, { name: 'qwen', tools: 'vote' });
    const program = files.get('agent_client.py')!.replace('http://127.0.0.1:8181', url);
    expect((await runPython('python', ['-c', program])).trim()).toBe(allDone);
  });

  const programs = [...files].filter(([name]) => name.endsWith('.py') && name !== 'agent_client.py');
  test.each(programs)('%s of the guide shows that an answer was not accepted', async (name, text) => {
    const verifier = new ScriptedVerifier(() => 0.1);
    const { url } = await runGateway({ model: { name: 'sapling' }, verifier, form: saplingForm });
    const folder = mkdtempSync(join(tmpdir(), 'coppice-guide-clients-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    writeFileSync(join(folder, name), text.replace('http://127.0.0.1:8181', url));
    const said = await runPython('python', [join(folder, name)], { LITELLM_LOCAL_MODEL_COST_MAP: 'True' });
    const second = name === 'openai_client.py' ? 'not_accepted' : 'unsure';
    expect(said.trim().split('\n')).toEqual(['unsure', second]);
  });
});
