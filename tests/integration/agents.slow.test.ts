// Codex and Claude Code, unchanged, one exchange each without a terminal. They send tools with every request, so that it is passed
// through to the engine's own endpoint. They are large and installed by nobody else: COPPICE_AGENTS names the folder that
// `npm install @openai/codex @anthropic-ai/claude-code` was run in, and without it the test is skipped.

import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Loose } from '../support/loose.ts';
import { runGateway } from '../support/running-gateway.ts';

const installed = join(process.env.COPPICE_AGENTS ?? '/none', 'node_modules', '.bin');
const said = 'Two and two is four.';

function events(list: readonly Loose[]): string {
  return list.map((each) => `event: ${each.type}\ndata: ${JSON.stringify(each)}\n\n`).join('');
}

const usage = { input_tokens: 9, output_tokens: 6, total_tokens: 15 };
const part = { type: 'output_text', text: said, annotations: [] };
const item = { id: 'msg_1', type: 'message', role: 'assistant', status: 'completed', content: [part] };
const response = { id: 'resp_1', object: 'response', status: 'completed', output: [item], usage };
const answers: Readonly<Record<string, string>> = {
  '/v1/responses': events([
    { type: 'response.created', response: { ...response, status: 'in_progress', output: [] } },
    { type: 'response.output_item.added', output_index: 0, item: { ...item, status: 'in_progress', content: [] } },
    { type: 'response.output_text.delta', item_id: 'msg_1', output_index: 0, content_index: 0, delta: said },
    { type: 'response.output_item.done', output_index: 0, item },
    { type: 'response.completed', response },
  ]),
  '/v1/messages': events([
    {
      type: 'message_start',
      message: {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        model: 'real',
        content: [],
        stop_reason: null,
        usage,
      },
    },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: said } },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage },
    { type: 'message_stop' },
  ]),
};

/** An engine's own endpoints, which give one answer each. */
async function engine(): Promise<string> {
  const server = createServer((request, answer) => {
    request.resume().on('end', () => {
      const told = answers[request.url?.split('?')[0] ?? ''];
      answer.writeHead(told === undefined ? 404 : 200, { 'content-type': 'text/event-stream' }).end(told ?? '');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

const agents: Readonly<Record<string, (url: string) => { args: string[]; environment: Record<string, string> }>> = {
  codex: (url) => {
    const provider = `{ name = "coppice", base_url = "${url}/v1", env_key = "COPPICE_KEY", wire_api = "responses" }`;
    const settings = ['-c', 'model_provider="coppice"', '-c', `model_providers.coppice=${provider}`];
    const args = ['exec', '--skip-git-repo-check', '-m', 'm', ...settings, 'What is two and two?'];
    return { args, environment: { COPPICE_KEY: 'unused' } };
  },
  claude: (url) => ({
    args: ['-p', 'What is two and two?', '--model', 'm'],
    environment: {
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: 'unused',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    },
  }),
};

for (const [name, settingsFor] of Object.entries(agents)) {
  test.skipIf(!existsSync(join(installed, name)))(`${name} gets its answer, and the journal has it`, async () => {
    // Agents have models of their own for small errands.
    const config = { server: { foreignNames: 'answer' } };
    const upstream = { urls: [await engine()], model: 'real', headers: {} };
    const { url, journal } = await runGateway({ upstream, config });
    const home = mkdtempSync(join(tmpdir(), 'coppice-agent-'));
    onTestFinished(() => rmSync(home, { recursive: true, force: true }));
    const { args, environment } = settingsFor(url);
    const env = { PATH: process.env.PATH, HOME: home, ...environment };
    const told = await new Promise<string>((resolve) => {
      const child = execFile(join(installed, name), args, { env, cwd: home, timeout: 90_000 }, (_, out, problems) =>
        resolve(out + problems),
      );
      child.stdin?.end();
    });
    expect(told).toContain(said);
    const kept = await journal.list({ limit: 10 });
    expect(kept.some(({ title }) => title?.includes('two and two'))).toBe(true);
  });
}
