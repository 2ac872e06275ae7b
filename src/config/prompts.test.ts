import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkConfig } from './load.ts';
import { readPrompts } from './prompts.ts';

function modelOf(settings: Record<string, string | Record<string, string>>) {
  return checkConfig({ models: [{ name: 'm', engine: { kind: 'sim' }, ...settings }] }).models[0]!;
}

test('prompts are the shipped ones, those for the shipped models, or the user’s own by name', () => {
  expect(readPrompts(['probe'], modelOf({}))).toEqual({ probe: 'The final answer is' });
  expect(readPrompts(['probe'], modelOf({ engine: { kind: 'llama', model: 'sapling' } }))).toEqual({
    probe: 'Answer: ',
  });
  const folder = mkdtempSync(join(tmpdir(), 'prompts-'));
  writeFileSync(join(folder, 'probe.txt'), 'So it is\n');
  expect(readPrompts(['probe', 'aggregate'], modelOf({ prompts: folder }))).toMatchObject({ probe: 'So it is' });
});

test('what cannot be read is refused in one line', () => {
  expect(() => readPrompts(['probe'], modelOf({ prompts: '/no/such/folder' }))).toThrow(
    /prompts is '\/no\/such\/folder'; there is no such folder/,
  );
  expect(() => readPrompts(['rhyme'], modelOf({}))).toThrow(/there is no prompt 'rhyme'; looked for .*rhyme.txt/);
});
