// `lab/gpu-run/measure … find live` from end to end on stand-ins for both model servers: killed in the middle, it goes on behind what it kept.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { VllmServer } from '../../../tests/servers/vllm-server.ts';
import { until } from '../../../tests/support/until.ts';

const measure = fileURLToPath(new URL('../../gpu-run/measure', import.meta.url));

async function serving(model: string): Promise<VllmServer> {
  const server = await new VllmServer({ model, contextTokens: 4096 }).listen();
  server.drawTurn = () => ({ content: 'Go on.' });
  onTestFinished(() => server.close());
  return server;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { readonly port: number };
  server.close();
  await once(server, 'close');
  return port;
}

function linesOf(file: string): Record<string, unknown>[] {
  const [, ...lines] = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
  return lines.filter((line) => line.endsWith('}')).map((line) => JSON.parse(line) as Record<string, unknown>);
}

it('finds a rate, keeps every answer as it comes, and prints the rows of the judged table', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'measure-'));
  const out = join(folder, 'out');
  const count = 30;
  const asked = Array.from({ length: count }, (_, at) => `{"id": "${at}", "question": "${at} + 5?", "answer": "5"}\n`);
  writeFileSync(join(folder, 'gsm8k.jsonl'), asked.join(''));
  const servers = [await serving('gen'), await serving('gen'), await serving('verdict')];
  const ports = servers.map(({ url }) => new URL(url).port);
  const env = {
    ...process.env,
    NODE: process.execPath,
    NODE_OPTIONS: '',
    GEN: ports.slice(0, 2).join(),
    SCORER: ports[2],
    PORT: String(await freePort()),
    RATES: '15,20',
    SEEDS: '1,2',
    SESSIONS: '12',
    SCALE: '0.01',
  };
  const run = (parts: readonly string[]): ChildProcess => {
    return spawn('bash', [measure, out, folder, ...parts], { env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  };
  const saidBy = async (parts: readonly string[]): Promise<string> => {
    const child = run(parts);
    let said = '';
    child.stdout!.on('data', (text) => (said += String(text)));
    child.stderr!.on('data', (text) => (said += String(text)));
    const [code] = (await once(child, 'close')) as [number];
    expect(said).toContain(`== ${parts[0]}`);
    expect(code, said).toBe(0);
    return said;
  };
  onTestFinished(() => {
    process.kill(Number(readFileSync(join(out, 'gateway.pid'), 'utf8')));
    rmSync(folder, { recursive: true, maxRetries: 10, retryDelay: 100 });
  });
  expect(await saidBy(['find'])).toMatch(/^holds (15|20) a second$/m);
  const file = join(out, 'live.jsonl');
  const killed = run(['live']);
  await until(() => linesOf(file).length > 5);
  process.kill(-killed.pid!, 'SIGKILL');
  const kept = linesOf(file);
  expect(kept.length).toBeLessThan(count);
  const said = await saidBy(['live']);
  const lines = linesOf(file);
  expect(lines.slice(0, kept.length)).toEqual(kept);
  // The default is held to the p90 of the row that it is held against.
  const deadline = readFileSync(join(out, 'deadline'), 'utf8').trim();
  expect(Number(deadline)).toBeGreaterThan(0);
  // Three rows, two seeds; each question once.
  expect(lines).toHaveLength(6 * count);
  expect(new Set(lines.map(({ contender, load, question }) => `${contender} ${load} ${question}`)).size).toBe(
    6 * count,
  );
  // On a busy machine the deadline passes before some are begun.
  expect(lines.filter(({ isRefused, exit }) => isRefused && exit !== 'deadline_passed')).toEqual([]);
  for (const server of servers) expect(server.bodies('/v1/completions').length).toBeGreaterThan(0);
  const programs = readFileSync(join(out, 'gateway.log'), 'utf8').match(/"program":"[^}]*"policy":"[^"]+"/g)!;
  expect([...new Set(programs)].sort()).toEqual([
    '"program":"auto","policy":"safe"',
    '"program":"mcts","policy":"boost"',
  ]);
  expect(said).toMatch(/a second, qwen boost: 60 answers of 2 seeds/);
  const row = `a second, qwen in ${deadline} ms: 60 answers of 2 seeds`;
  expect(said).toMatch(new RegExp(`${row}.*over qwen boost at .* points, .* times its p90.*replayed`));
  expect(said).toMatch(new RegExp(`^(45|60)\\.00 ${row}.*over qwen in ${deadline} ms at .* times its p90`, 'm'));
  expect(await saidBy(['sessions'])).toMatch(/^request +request .*\n^session +session /m);
  const turns = servers.flatMap((server) => server.bodies('/v1/chat/completions'));
  // Of each seed all at once, then with their names and without; ten turns each, besides a probe of each server.
  expect(turns.filter(({ tools }) => tools === undefined)).toHaveLength(2 * 3 * 12 * 10);
});
