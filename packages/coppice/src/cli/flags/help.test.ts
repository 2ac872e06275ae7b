import { describe, expect, it } from 'vitest';
import { knobOf, type SearchKnob, settingName } from '../../../../core/src/config/vocabulary.ts';
import * as ask from '../commands/ask.ts';
import * as bench from '../commands/bench/bench.ts';
import * as doctor from '../commands/doctor/doctor.ts';
import { commands } from '../commands/list.ts';
import { helpText } from './help.ts';
import { everySetting, ownKnobs, readSettings, settingNames } from './settings.ts';

describe.each(Object.entries({ ask, bench, doctor }))('the help of %s', (_, { flags, help }) => {
  it('has at most 45 flags and 40 lines of 80 columns', () => {
    const lines = helpText(help, false).split('\n');
    expect(Object.keys(flags).length).toBeLessThanOrEqual(45);
    expect(lines.length).toBeLessThanOrEqual(40);
    expect(Math.max(...[...lines, ...helpText(help, true).split('\n')].map((line) => line.length))).toBeLessThanOrEqual(
      80,
    );
  });

  it('describes every flag', () => {
    const all = helpText(help, true);
    expect(Object.keys(flags).filter((name) => !all.includes(`  --${name}`))).toEqual([]);
  });
});

it('the help describes every setting', () => {
  const all = helpText(ask.help, true);
  expect(settingNames(everySetting).filter((name) => !all.includes(`\n  ${name}`))).toEqual([]);
});

it.each(Object.entries(commands))('the first help of %s fits 80 columns', async (name, { about, load }) => {
  const { help } = await load();
  const lines = [`  ${name.padEnd(10)} ${about}`, ...(typeof help === 'string' ? help.split('\n') : [])];
  expect(lines.filter((line) => line.length > 80)).toEqual([]);
});

describe('--set', () => {
  it.each(ownKnobs)('reaches %s', (name: SearchKnob) => {
    const knob = knobOf(name);
    const value = 'values' in knob ? knob.values[0]! : knob.low;
    expect(readSettings([`${settingName(name)}=${value}`], everySetting).wish).toEqual({ [name]: value });
  });
});

describe('a setting written as a flag', () => {
  it.each([
    [['--context-tokens', '4096'], '--context-tokens is a setting: write --set engine.contextTokens=4096'],
    [['--bound-prune=best'], '--bound-prune is a setting: write --set boundPrune=best'],
    [['--top-p', '0.9'], '--top-p is a setting: write --set sampling.topP=0.9'],
    [['--delimiters', 'a b'], "--delimiters is a setting: write --set delimiters='a b'"],
  ])('%j is refused with what to write', async (args, message) => {
    await expect(ask.run(['why?', ...args])).rejects.toThrow(message);
  });
});
