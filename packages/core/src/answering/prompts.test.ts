import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { checkConfig } from '../config/load.ts';
import { ownConfidence, readPrompts } from './prompts.ts';

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

test('what doctor found of one’s own questions lies beside them', () => {
  const folder = mkdtempSync(join(tmpdir(), 'prompts-'));
  expect(ownConfidence(modelOf({}))).toBeUndefined();
  expect(ownConfidence(modelOf({ prompts: folder }))).toBeUndefined();
  writeFileSync(join(folder, 'confidence.json'), '[-0.4,0.9]\n');
  expect(ownConfidence(modelOf({ prompts: folder }))).toEqual([-0.4, 0.9]);
  writeFileSync(join(folder, 'confidence.json'), '{"height": 1}');
  expect(() => ownConfidence(modelOf({ prompts: folder }))).toThrow(/confidence\.json must hold two numbers/);
});

test('what cannot be read is refused in one line', () => {
  expect(() => readPrompts(['probe'], modelOf({ prompts: '/no/such/folder' }))).toThrow(
    /prompts is '\/no\/such\/folder'; there is no such folder/,
  );
  expect(() => readPrompts(['rhyme'], modelOf({}))).toThrow(/there is no prompt 'rhyme'; looked for .*rhyme.txt/);
});

test.each(['countdown', 'word-problem', 'creative-writing', 'blocks-world'])(
  'the words of %s are there: for a thought, for a list that is left to be written, and for a value',
  (task) => {
    const folder = fileURLToPath(new URL(`../../prompts/${task}`, import.meta.url));
    const { thought, propose } = readPrompts(['thought', 'propose'], modelOf({ prompts: folder }));
    expect(thought).toMatch(/:$/);
    expect(propose).toMatch(/\{count\}.*\n1\.$/s);
    expect(readFileSync(join(folder, 'value.txt'), 'utf8')).toMatch(/\{question\}.*\{steps\}.*\{step\}.*"Value: N"/s);
  },
);
