// Every way in to a setting that is gone, and what it is told.

import { expect, test } from 'vitest';
import { readArguments } from '../cli/terminal/options.ts';
import { everySetting, readSettings } from '../cli/terminal/settings.ts';
import { parseChatBody } from '../gateway/dialects/chat-body.ts';
import { checkConfig, nest, overlay, type PlainTree } from './load.ts';
import { removedFields, removedSettings, withoutRemoved } from './removed-settings.ts';
import { bodyName, flagName, internalNames, searchKnobNames } from './vocabulary.ts';

const names = Object.keys(removedSettings);

test('none of them is a setting, and each says what to do instead in one line', () => {
  expect(names.filter((name) => (searchKnobNames as readonly string[]).includes(name))).toEqual([]);
  for (const instead of [...Object.values(removedSettings), ...Object.values(removedFields)])
    expect(instead).toMatch(/: (leave it out|take |set )/);
  expect(internalNames.filter((name) => !names.includes(name))).toEqual([]);
});

test('a plan of an older version keeps what is still an option of its policy', () => {
  expect(withoutRemoved({ lambda: 1, confidencePrune: 0, firstDepthCut: 0.4, certain: 'beta' })).toEqual({
    firstDepthCut: 0.4,
    certain: 'beta',
  });
});

test.each(Object.keys(removedFields))('%s is refused in a file, with its place', (name) => {
  const parts = name.split('.');
  const isOfModel = ['engine', 'verifier', 'embedder', 'examples'].includes(parts[0]!);
  const isOfKey = parts[0] === 'keys';
  const model = { name: 'm', engine: { kind: 'openai', urls: ['http://127.0.0.1:1'] }, verifier: { kind: 'prm' } };
  const key = { name: 'k', hash: `sha256:${'0'.repeat(64)}` };
  const own = nest(isOfKey ? parts.slice(1) : parts, 1);
  const hasEngine = name === 'engine.seed' ? { engine: { kind: 'sim' } } : {};
  const tree: PlainTree = isOfModel
    ? { models: [overlay({ ...model, ...hasEngine, embedder: { url: 'http://127.0.0.1:1' } }, own)] }
    : { models: [model], ...(isOfKey ? { keys: [{ ...key, ...own }] } : own) };
  expect(() => checkConfig(tree)).toThrow(`${parts.at(-1)} was removed: ${removedFields[name]}`);
});

test.each(names)('%s is refused in a file, as a flag, by --set and in a body, with the same words', (name) => {
  const instead = removedSettings[name]!;
  const model = { name: 'm', engine: { kind: 'sim' } };
  expect(() => checkConfig({ models: [model, { ...model, name: 'n', [name]: 1 }] })).toThrow(
    `models.1.${name} was removed: ${instead}`,
  );
  expect(() =>
    readArguments({ args: [`--${flagName(name)}`, '1'], options: { rollouts: { type: 'string' } } }),
  ).toThrow(`--${flagName(name)} was removed: ${instead}`);
  expect(() => readSettings([`${name}=1`], everySetting)).toThrow(`--set ${name} was removed: ${instead}`);
  const messages = [{ role: 'user', content: 'x' }];
  expect(() => parseChatBody({ model: 'm', messages, coppice: { [bodyName(name)]: 1 } })).toThrow(
    `'coppice.${bodyName(name)}' was removed: ${instead}`,
  );
});
