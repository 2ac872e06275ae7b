// `turns` from end to end: recorded from a small chat server made up here, gone on with, and replayed.

import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { run } from './turns.ts';

interface AskedBody {
  readonly n: number;
  readonly temperature: number;
  readonly tools: readonly { readonly type: string; readonly function: { readonly name: string } }[];
  readonly messages: readonly { readonly role: string; readonly content: string }[];
}

let folder: string;
let said: string[];
let asked: AskedBody[];
let server: Server;
/** What it answers after so many requests; it is well before. */
let broken: { after: number; status: number } | undefined;

function replyTo({ n, tools }: AskedBody): unknown {
  const calls = [{ id: 'c', type: 'function', function: { name: tools[0]!.function.name, arguments: '{}' } }];
  const choices = Array.from({ length: n }, (_, index) => ({
    index,
    message:
      index % 2 === 0
        ? { role: 'assistant', content: null, tool_calls: calls }
        : { role: 'assistant', content: 'Which one?' },
    finish_reason: index % 2 === 0 ? 'tool_calls' : 'stop',
    logprobs: { content: Array.from({ length: 5 + index }, () => ({ token: 'a', logprob: 0 })) },
  }));
  return { choices, usage: { completion_tokens: 7 } };
}

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'coppice-turns-'));
  [said, asked, broken] = [[], [], undefined];
  vi.spyOn(console, 'log').mockImplementation((line: unknown) => void said.push(String(line)));
  vi.spyOn(console, 'error').mockImplementation((line: unknown) => void said.push(String(line)));
  server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    asked.push(JSON.parse(body) as AskedBody);
    const isBroken = broken !== undefined && asked.length > broken.after;
    response.writeHead(isBroken ? broken!.status : 200, { 'content-type': 'application/json' });
    response.end(isBroken ? '{"error":"out of memory"}' : JSON.stringify(replyTo(asked.at(-1)!)));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
});

afterEach(async () => {
  server.close();
  await once(server, 'close');
  rmSync(folder, { recursive: true });
});

function record(...rest: string[]): Promise<number> {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const where = ['--url', url, '--model', 'm', '--out', join(folder, 'turns.jsonl'), '--draws', '4'];
  return run(['record', ...where, ...rest]);
}

it('draws the turns of a question in one request, keeps each with its tokens, and asks none twice', async () => {
  expect(await record('--questions', '3')).toBe(0);
  expect(asked.map(({ n, temperature }) => [n, temperature]).sort()).toEqual([
    ...Array(3).fill([1, 0]),
    ...Array(3).fill([4, 0.8]),
  ]);
  const roles = asked[0]!.messages.map(({ role }) => role);
  expect(roles).toEqual(['system', 'user', 'assistant', 'tool', 'user']);
  expect(asked[0]!.tools[0]).toMatchObject({
    type: 'function',
    function: { name: expect.any(String), parameters: { type: 'object' } },
  });
  const [head, ...lines] = readFileSync(join(folder, 'turns.jsonl'), 'utf8').trim().split('\n');
  expect(JSON.parse(head!)).toEqual({ model: 'm', part: 'held', seed: 1, draws: 4, temperature: 0.8, maxTokens: 512 });
  const [first] = lines.map((line) => JSON.parse(line));
  expect(first.turns.map(({ tokens }: { tokens: number }) => tokens)).toEqual([5, 6, 7, 8]);
  expect(first.turns[1]).toEqual({ content: 'Which one?', calls: [], tokens: 6, finish: 'stop' });
  expect(first.turns[0].calls).toEqual([{ name: expect.any(String), arguments: '{}' }]);
  expect(first.greedy).toMatchObject({ tokens: 7 });
  expect(await record('--questions', '5')).toBe(0);
  expect(asked).toHaveLength(10);
  await expect(record('--temperature', '0.6')).rejects.toThrow(/other settings/);
});

it('says which questions failed, and goes on behind those that did not', async () => {
  broken = { after: 4, status: 500 };
  expect(await record('--questions', '4', '--concurrency', '1')).toBe(1);
  expect(said.join('\n')).toMatch(/2 of 4 questions[\s\S]*answers 500: \{"error":"out of memory"\}/);
  broken = undefined;
  expect(await record('--questions', '4')).toBe(0);
  expect(said.at(-1)).toMatch(/4 of 4 questions$/);
});

it('replays what it recorded, the same each time', async () => {
  await record('--questions', '20');
  said = [];
  expect(await run(['replay', join(folder, 'turns.jsonl'), '--orders', '5'])).toBe(0);
  expect(said.join('\n')).toMatch(/20 questions \(one 4, several 5, none 3, computed 5, long 3\), 4 turns of each/);
  said = [];
  await run(['replay', join(folder, 'turns.jsonl'), '--json']);
  await run(['replay', join(folder, 'turns.jsonl'), '--json']);
  expect(said[0]).toBe(said[1]);
  expect(JSON.parse(said[0]!)).toMatchObject({ questions: 20, draws: 4, written: 0 });
});

it.each([[[]], [['record']], [['replay']], [['record', '--model', 'm']]])('refuses %j', async (args) => {
  await expect(run(args)).rejects.toThrow(/turns/);
});
