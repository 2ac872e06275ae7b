import { appendFileSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { KeptResults } from './kept-results.ts';

const file = () => join(mkdtempSync(join(tmpdir(), 'kept-')), 'results.jsonl');

it('gives back what was kept by the same code, and nothing else', () => {
  const path = file();
  new KeptResults(path, { code: 'a' }).keep({ seed: 1 }, 42);
  expect(new KeptResults(path, { code: 'a' }).find({ seed: 1 })).toBe(42);
  expect(new KeptResults(path, { code: 'a' }).find({ seed: 2 })).toBeUndefined();
  expect(new KeptResults(path, { code: 'b' }).find({ seed: 1 })).toBeUndefined();
});

it('uses nothing of what is there where all is to be fresh, and what is kept then takes its place', () => {
  const path = file();
  new KeptResults(path, { code: 'a' }).keep({ seed: 1 }, 42);
  const fresh = new KeptResults(path, { code: 'a', fresh: true });
  expect(fresh.find({ seed: 1 })).toBeUndefined();
  fresh.keep({ seed: 1 }, 43);
  expect(new KeptResults(path, { code: 'a' }).find({ seed: 1 })).toBe(43);
});

it('leaves out a line that was cut off, and goes on below it', () => {
  const path = file();
  new KeptResults(path, { code: 'a' }).keep({ seed: 1 }, 42);
  appendFileSync(path, '{"code":"a","key":"3');
  const again = new KeptResults(path, { code: 'a' });
  again.keep({ seed: 2 }, 43);
  const read = new KeptResults(path, { code: 'a' });
  expect([read.find({ seed: 1 }), read.find({ seed: 2 })]).toEqual([42, 43]);
  expect(readFileSync(path, 'utf8').split('\n').at(-2)).toContain('43');
});

it('refuses a file that cannot be written, before anything is run', () => {
  const path = file();
  writeFileSync(path, '');
  const below = join(path, 'results.jsonl');
  expect(() => new KeptResults(below, { code: 'a' })).toThrow(/--results: cannot write .*: E(EXIST|NOTDIR)/);
});

it('refuses a file of something else in one line', () => {
  const path = file();
  writeFileSync(path, 'hello\nthere\n');
  expect(() => new KeptResults(path, { code: 'a' })).toThrow(
    /--results: line 1 of .* is no result; name another folder/,
  );
});
