// LangChain's standard suite for chat models, unchanged, against a gateway: text, stop strings, schemas and forced calls are searched,
// other tools go to the engine's own endpoint. Both engines here answer what the suite looks for, as a model would.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { JsonSchema } from '../../packages/core/src/engine/engine.ts';
import type { Prompt } from '../../packages/core/src/tree/step.ts';
import type { Loose } from '../support/loose.ts';
import { clientsFolder, hasPythonClients, runPython } from '../support/python-clients.ts';
import { runGateway } from '../support/running-gateway.ts';
import { type Script, ScriptedEngine, ScriptedVerifier } from '../support/scripted-engine.ts';

/** A value of the schema: texts are what the question has in quotes, whole numbers 3. */
function exampleOf(schema: Loose, asked: string, root: Loose = schema): unknown {
  if (schema.$ref !== undefined) return exampleOf(root.$defs[schema.$ref.split('/').at(-1)], asked, root);
  if (schema.const !== undefined) return schema.const;
  const [first] = schema.anyOf ?? [];
  if (first !== undefined) return exampleOf(first, asked, root);
  if (schema.type === 'integer' || schema.type === 'number') return 3;
  if (schema.type === 'string') return /'([^']+)'/.exec(asked)?.[1] ?? 'text';
  const fields = Object.entries(schema.properties ?? { setup: { type: 'string' }, punchline: { type: 'string' } });
  return Object.fromEntries(fields.map(([name, each]) => [name, exampleOf(each as Loose, asked, root)]));
}

function lastOf(prompt: Prompt): string {
  return prompt.kind === 'text'
    ? prompt.text
    : (prompt.messages.findLast(({ role }) => role === 'user')?.content ?? '');
}

const script: Script = ({ shape, prompt, path }) => {
  if (shape !== undefined) return { text: JSON.stringify(exampleOf(shape as JsonSchema, lastOf(prompt))), end: 'eos' };
  if (path.length === 0) return { text: 'How nice of you to ask.\n\n', end: 'delimiter' };
  return { text: 'The answer is 24.', end: 'eos' };
};

/** An engine's own chat endpoint: it calls the first tool unless it has just been told of one. */
async function engine(): Promise<string> {
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    const { tools, messages, stream } = JSON.parse(text) as Loose;
    const last = messages.at(-1);
    const offered = last.role === 'tool' ? undefined : tools?.[0]?.function;
    const given = offered && JSON.stringify(exampleOf(offered.parameters, String(last.content)));
    const calls = [{ index: 0, id: 'call_1', type: 'function', function: { name: offered?.name, arguments: given } }];
    const said = offered === undefined ? { content: 'It is sunny.' } : { content: null, tool_calls: calls };
    const usage = { prompt_tokens: 2, completion_tokens: 3, total_tokens: 5 };
    const finish_reason = offered === undefined ? 'stop' : 'tool_calls';
    const head = { id: 'x', created: 1, model: 'real' };
    const message = { role: 'assistant', ...said };
    if (stream !== true) {
      response.writeHead(200, { 'content-type': 'application/json' });
      const choices = [{ index: 0, message, finish_reason }];
      response.end(JSON.stringify({ ...head, object: 'chat.completion', choices, usage }));
      return;
    }
    const chunk = (choice: object, more = {}) =>
      `data: ${JSON.stringify({ ...head, object: 'chat.completion.chunk', choices: [{ index: 0, ...choice }], ...more })}\n\n`;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(chunk({ delta: message, finish_reason: null }));
    response.write(chunk({ delta: {}, finish_reason }, { usage }));
    response.end('data: [DONE]\n\n');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

describe.skipIf(!hasPythonClients)('langchain-tests', () => {
  test('its standard suite of a chat model passes', async () => {
    const { url } = await runGateway({
      engine: new ScriptedEngine({ script, shapes: true }),
      upstream: { urls: [await engine()], model: 'real', headers: {} },
      more: [{ model: { name: 'other' }, engine: new ScriptedEngine({ script }), verifier: new ScriptedVerifier() }],
    });
    const options = [
      '-q',
      '-rfs',
      '--tb=short',
      '--no-header',
      '-p',
      'no:cacheprovider',
      '-o',
      'asyncio_mode=auto',
      '-o',
      'asyncio_default_test_loop_scope=session',
    ];
    const report = await runPython('pytest', [...options, `${clientsFolder}/standard_suite.py`], { COPPICE_URL: url });
    const [, passed] = /(\d+) passed/.exec(report) ?? [];
    expect(Number(passed), report).toBeGreaterThan(40);
    console.log(report.trim().split('\n').slice(-12).join('\n'));
  });
});
