// `wire` from end to end, on the servers that it makes up in processes of their own. What it measures depends on the machine; that it measures does not.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { AnsweringServer } from '../../../tests/servers/answering-server.ts';
import type { WireLine } from '../wire/wire-table.ts';
import { run } from './wire.ts';

it('measures the server alone before each row, cancels what runs, and repeats no row that its file holds', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'coppice-wire-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const said: string[] = [];
  vi.spyOn(console, 'log').mockImplementation((text: unknown) => void said.push(...String(text).split('\n')));
  vi.spyOn(console, 'error').mockImplementation(() => {});
  const file = join(folder, 'wire.jsonl');
  const args = ['--json', file, '--strands', '4', '--samples', '4', '--seconds', '0.5', '--warm', '0.3'];
  expect(await run([...args, '--rows', 'samples'])).toBe(0);
  expect(await run([...args, '--rows', 'samples,mcts'])).toBe(0);
  const [, ...lines] = readFileSync(file, 'utf8').trim().split('\n');
  const rows = lines.map((line) => JSON.parse(line) as WireLine);
  expect(rows.map(({ row, before }) => [row, before])).toEqual([
    ['alone', 'samples'],
    ['samples', undefined],
    ['alone', 'mcts'],
    ['mcts', undefined],
  ]);
  for (const { row, tokensPerSecond, running, abort } of rows) {
    expect(tokensPerSecond).toBeGreaterThan(0);
    expect(running).toHaveLength(3);
    expect(abort !== undefined).toBe(row !== 'alone');
  }
  expect(rows[0]!.running![2]).toBeLessThanOrEqual(4);
  expect(said.filter((line) => /^ +4 +mcts /.test(line))).toHaveLength(1);
  expect(Math.max(...said.map(({ length }) => length))).toBeLessThanOrEqual(80);
  await expect(run([...args, '--rows', 'samples', '--max-tokens', '50'])).rejects.toThrow('of other settings');
});

it('counts what comes back where a server says nothing of itself', async () => {
  const server = await new AnsweringServer({ model: 'scripted' }).listen();
  onTestFinished(() => server.close());
  server.answer = () => 'So it is \\boxed{3}';
  const said: string[] = [];
  vi.spyOn(console, 'log').mockImplementation((text: unknown) => void said.push(...String(text).split('\n')));
  vi.spyOn(console, 'error').mockImplementation(() => {});
  const small = ['--strands', '2', '--samples', '2', '--seconds', '0.3', '--warm', '0.1'];
  expect(await run(['--engine', `${server.url}/v1`, ...small])).toBe(0);
  const [alone, samples] = said.slice(2).map((line) => line.trim().split(/ +/));
  expect([alone!.slice(0, 2), samples!.slice(0, 2)]).toEqual([
    ['2', 'alone'],
    ['2', 'samples'],
  ]);
  expect(Number(alone![2])).toBeGreaterThan(0);
  expect(Number(samples![2])).toBeGreaterThan(0);
});

it('says what a row lacks', async () => {
  const server = ['--engine', 'http://127.0.0.1:9'];
  await expect(run([...server, '--rows', 'mcts'])).rejects.toThrow('need a reward model: give --verifier URL');
});
