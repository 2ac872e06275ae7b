// Votes over a recording made here: what each rule gets right, spends and waits for can be counted by hand.

import { fileURLToPath } from 'node:url';
import { mean } from '@coppice/core/base';
import { expect, it } from 'vitest';
import { keptLines } from '../real/kept-lines.ts';
import type { RecordedQuestion, RecordedTurn } from './turn-record.ts';
import { replayTurns, turnLines } from './turn-replay.ts';

const tools = [{ name: 'f', parameters: { properties: { a: { default: 1 } } } }];
const replay = { orders: 16, seed: 1, written: true };

function called(text: string, tokens = 10): RecordedTurn {
  return { content: null, calls: [{ name: 'f', arguments: text }], tokens, finish: 'tool_calls' };
}

function said(content: string, tokens = 10): RecordedTurn {
  return { content, calls: [], tokens, finish: 'stop' };
}

function question(turns: readonly RecordedTurn[], more: Partial<RecordedQuestion> = {}): RecordedQuestion {
  const reference = { calls: [{ name: 'f', arguments: '{"a":1}' }] };
  const line = { question: '1', kind: 'one', asked: 'Call f.', seconds: 1, greedySeconds: 1 } as const;
  return { ...line, tools, reference, turns, greedy: turns[0]!, ...more };
}

function rowsOf(lines: readonly RecordedQuestion[], more = {}) {
  return Object.fromEntries(replayTurns(lines, { ...replay, ...more }).rows.map((row) => [row.name, row]));
}

it('a vote of all is right where right turns are most, however they are written', () => {
  const mixed = [called('{}', 30), called('{"a": 1}', 50), called('{"a":1.0}'), called('{"a":2}')];
  const rows = rowsOf([question(mixed), question(mixed)]);
  expect(rows['vote of 4']).toMatchObject({ right: [1, 1], tokens: 100, waves: 1, time: 50 });
  expect(rows['one greedy turn']).toMatchObject({ right: [1, 1], tokens: 30, time: 30 });
  // Three turns in four, over sixteen orders of each.
  expect(rows['one turn']!.right[0]).toBeGreaterThan(0.4);
  expect(rows['one turn']!.right[0]).toBeLessThan(1);
  expect(Object.keys(rows)).toEqual(expect.arrayContaining(['auto minimal', 'auto medium', 'auto xhigh']));
});

it('auto ends early where turns agree, and draws on where they do not', () => {
  const agreed = Array.from({ length: 16 }, () => called('{}', 40));
  const open = Array.from({ length: 16 }, (_, at) => called(`{"a":${at % 2}}`, 40));
  const { 'auto medium': even, 'auto minimal': least } = rowsOf([question(agreed), question(agreed)]);
  const { 'auto medium': odd } = rowsOf([question(open), question(open)]);
  expect(even!.tokens).toBeLessThan(odd!.tokens / 2);
  expect(least!.tokens).toBeLessThanOrEqual(80);
  expect(odd!.waves).toBeGreaterThan(even!.waves);
  expect(odd!.time).toBe(40 * odd!.waves);
});

it('words are right where no call is, and a turn that breaks the schema has no vote', () => {
  const reference = { content: 'I cannot do that.', calls: [] };
  const turns = [said('There is no function for that.'), said('Which one?'), called('{"a":1}'), called('[]')];
  const table = replayTurns([question(turns, { reference }), question(turns, { reference })], replay);
  expect(table.rows.find(({ name }) => name === 'vote of 4')!.right).toEqual([1, 1]);
  expect(table.meaningless).toBe(0.25);
});

it.each([
  ['between tags', '<tool_call>\n{"name": "f", "arguments": {"a": 1}}\n</tool_call>'],
  ['between other tags', 'Sure.\n<tools>\n{"name": "f", "arguments": {}}\n</tools>'],
  ['in a fence', 'I call it:\n```json\n{"name": "f", "arguments": {"a": 1}}\n```\nThat is all.'],
  ['as nothing but JSON', '[{"name": "f", "arguments": {"a": 1}}]'],
])('calls that stand in the text %s count unless only parsed ones do', (_, content) => {
  const lines = [0, 1].map(() => question([said(content), said(content)]));
  expect(rowsOf(lines)['one turn']!.right).toEqual([1, 1]);
  expect(rowsOf(lines, { written: false })['one turn']!.right).toEqual([0, 0]);
});

it('says in a table what each rule gets, by kind, and how far it is ahead', () => {
  const turns = Array.from({ length: 16 }, (_, at) => called(at < 12 ? '{}' : '{"a":3}'));
  const printed = turnLines(replayTurns([question(turns), question(turns, { kind: 'long' })], replay));
  expect(printed[0]).toContain('2 questions (one 1, long 1), 16 turns of each');
  expect(printed.find((line) => line.startsWith('vote of 16 '))).toMatch(
    /100\.0 +100\.0 +100\.0 +160 +1\.00 {2}10 \(10\)/,
  );
  expect(printed.some((line) => /^auto medium − one turn +\d/.test(line))).toBe(true);
});

it('pays for what it draws, on functions that nothing was fitted to', () => {
  const file = fileURLToPath(new URL('../../recorded/qwen2.5-coder-1.5b-turns-held.jsonl.gz', import.meta.url));
  const { rows } = replayTurns(keptLines(file), { orders: 5, seed: 1, written: true });
  const [one, eight, auto] = ['one turn', 'vote of 8', 'auto medium'].map(
    (name) => rows.find((row) => row.name === name)!,
  );
  expect(mean(auto!.right) - mean(one!.right)).toBeGreaterThan(0.05);
  expect(auto!.tokens / eight!.tokens).toBeLessThan(0.62);
});
