import { appendFileSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { KeptResults } from './kept-results.ts';

const file = () => join(mkdtempSync(join(tmpdir(), 'kept-')), 'results.jsonl');

it('gives back what was kept by the same code, and nothing else', () => {
  const path = file();
  new KeptResults<object, number>(path, 'a').keep({ seed: 1 }, 42);
  expect(new KeptResults<object, number>(path, 'a').find({ seed: 1 })).toBe(42);
  expect(new KeptResults<object, number>(path, 'a').find({ seed: 2 })).toBeUndefined();
  expect(new KeptResults<object, number>(path, 'b').find({ seed: 1 })).toBeUndefined();
});

it('leaves out a line that was cut off, and goes on below it', () => {
  const path = file();
  new KeptResults<object, number>(path, 'a').keep({ seed: 1 }, 42);
  appendFileSync(path, '{"code":"a","spec":"{');
  const again = new KeptResults<object, number>(path, 'a');
  again.keep({ seed: 2 }, 43);
  const read = new KeptResults<object, number>(path, 'a');
  expect([read.find({ seed: 1 }), read.find({ seed: 2 })]).toEqual([42, 43]);
  expect(readFileSync(path, 'utf8').split('\n').at(-2)).toContain('43');
});

it('refuses a file that cannot be written, before anything is run', () => {
  expect(() => new KeptResults('/nowhere/results.jsonl', 'a')).toThrow(/--resume: cannot write .*: ENOENT/);
});

it('refuses a file of something else in one line', () => {
  const path = file();
  writeFileSync(path, 'hello\nthere\n');
  expect(() => new KeptResults(path, 'a')).toThrow(/--resume: line 1 of .* is no result; name another file/);
});
