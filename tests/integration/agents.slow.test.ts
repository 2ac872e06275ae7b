// Codex, as the guide sets it up, and Claude Code, unchanged and without a terminal: one exchange that is passed through to the engine's own
// endpoint, and ten turns with tools that are voted on. They are large and installed by nobody else: COPPICE_AGENTS names the folder that
// `npm install @openai/codex @anthropic-ai/claude-code` was run in, and without it the tests are skipped (Codex 0.169.0, Claude Code 2.1.197
// and 2.1.327 pass).

import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { AskedTurn, DrawnTurn } from '../servers/vllm-server.ts';
import { guides } from '../support/guide-commands.ts';
import type { Loose } from '../support/loose.ts';
import { runGateway } from '../support/running-gateway.ts';
import { allDone, serveTurns } from '../support/served-turns.ts';

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

type Launch = (url: string, prompt: string, home: string) => { args: string[]; environment: Record<string, string> };

const { files } = guides.find(({ page }) => page === 'clients.md')!;

const agents: Readonly<Record<string, Launch>> = {
  codex: (url, prompt, home) => {
    const lines = files.get('config.toml')!.replace('qwen', 'm').replace('http://127.0.0.1:8181', url);
    mkdirSync(join(home, '.codex'));
    const quiet = 'check_for_update_on_startup = false\nanalytics.enabled = false\n';
    writeFileSync(join(home, '.codex', 'config.toml'), quiet + lines);
    return { args: ['exec', '--skip-git-repo-check', prompt], environment: {} };
  },
  claude: (url, prompt) => ({
    args: ['-p', prompt, '--model', 'm', '--output-format', 'json', '--allowedTools', 'Bash'],
    environment: {
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: 'unused',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    },
  }),
};

async function run(name: string, url: string, prompt: string): Promise<string> {
  const home = mkdtempSync(join(tmpdir(), 'coppice-agent-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const { args, environment } = agents[name]!(url, prompt, home);
  const env = { PATH: process.env.PATH, HOME: home, ...environment };
  return new Promise((resolve) => {
    const child = execFile(join(installed, name), args, { env, cwd: home, timeout: 90_000 }, (_, out, problems) =>
      resolve(out + problems),
    );
    child.stdin?.end();
  });
}

/** A model that runs ten commands in the agent's shell; one draw in seven wants another one. */
function tenCommands({ messages, body, seed }: AskedTurn): DrawnTurn {
  const results = messages.filter(({ role }) => role === 'tool');
  if (results.length >= 10) return { content: allDone };
  const command = seed % 7 === 0 ? 'false' : 'true';
  const isClaude = (body.tools as Loose[]).some((tool) => tool.function.name === 'Bash');
  const call = isClaude
    ? { name: 'Bash', arguments: { command, description: 'Takes a step.' } }
    : { name: 'exec_command', arguments: { cmd: command } };
  return { calls: [call] };
}

describe.each(Object.keys(agents))('%s', (name) => {
  const isHere = existsSync(join(installed, name));

  test.skipIf(!isHere)('gets the answer of the engine, and the journal has it', async () => {
    // Agents have models of their own for small errands.
    const config = { server: { foreignNames: 'answer' } };
    const upstream = { urls: [await engine()], model: 'real', headers: {} };
    const { url, journal } = await runGateway({ upstream, config });
    expect(await run(name, url, 'What is two and two?')).toContain(said);
    const kept = await journal.list({ limit: 10 });
    expect(kept.some(({ title }) => title?.includes('two and two'))).toBe(true);
  });

  test.skipIf(!isHere)('runs ten turns of one session, each a vote', async () => {
    const { server, url } = await serveTurns(tenCommands, { tools: 'vote' });
    expect(await run(name, url, 'Take ten steps.')).toContain(allDone);
    const { data } = (await (await fetch(`${url}/v1/searches?limit=100`)).json()) as Loose;
    expect(data.map(({ state, program }: Loose) => [state, program])).toEqual(Array(11).fill(['done', 'auto']));
    expect(new Set(data.map(({ session }: Loose) => session)).size).toBe(1);
    const asked = server.bodies('/v1/chat/completions') as Loose[];
    expect(asked.length).toBeGreaterThanOrEqual(22);
    const results = asked.at(-1)!.messages.filter(({ role }: Loose) => role === 'tool');
    expect(results).toHaveLength(10);
  });
});
