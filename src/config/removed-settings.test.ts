// Every way in to a setting that is gone, and what it is told.

import { expect, test } from 'vitest';
import { readArguments } from '../cli/terminal/options.ts';
import { everySetting, readSettings } from '../cli/terminal/settings.ts';
import { parseChatBody } from '../gateway/dialects/chat-body.ts';
import { checkConfig } from './load.ts';
import { removedSettings } from './removed-settings.ts';
import { bodyName, flagName, searchKnobNames } from './vocabulary.ts';

const names = Object.keys(removedSettings);

test('none of them is a setting, and each says what to do instead in one line', () => {
  expect(names.filter((name) => (searchKnobNames as readonly string[]).includes(name))).toEqual([]);
  for (const instead of Object.values(removedSettings)) expect(instead).toMatch(/: (leave it out|take )/);
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
