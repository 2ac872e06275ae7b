import { describe, expect, it } from 'vitest';
import { nearest } from '../../../../core/src/base/unknown-names.ts';
import { commands } from '../commands/list.ts';
import { painter } from '../terminal/paint.ts';
import { readArguments } from './options.ts';

describe('did you mean', () => {
  const known = ['rollouts', 'policies', 'threshold', 'help'];

  it('finds names that were mistyped or only begun', () => {
    expect(nearest('rolouts', known)).toBe('rollouts');
    expect(nearest('polices', known)).toBe('policies');
    expect(nearest('thr', known)).toBe('threshold');
    expect(nearest('aks', ['ask', 'serve'])).toBe('ask');
  });

  it('suggests nothing if no name is near', () => {
    expect(nearest('zebra', known)).toBeUndefined();
    expect(nearest('x', known)).toBeUndefined();
  });

  it('is part of the complaint about a flag that does not exist', () => {
    const read = (...args: string[]) => readArguments({ args, options: { rollouts: { type: 'string' } } });
    expect(() => read('--rollout', '3')).toThrow(/there is no option --rollout; did you mean --rollouts\?/);
    expect(() => read('--zebra')).toThrow(/there is no option --zebra; --help lists them/);
    expect(() => read('--rollouts')).toThrow(/: --rollouts needs a value$/);
    expect(() => read('--rollouts', '--json')).toThrow(/: --rollouts needs a value$/);
    expect(read('--rollouts', '-1').values).toEqual({ rollouts: '-1' });
  });
});

describe('colour', () => {
  const terminal = { isTTY: true, write: () => {} };

  it('is used only on a terminal, and never under NO_COLOR', () => {
    expect(painter(terminal, {})('x', 'green')).toBe('\u001b[32mx\u001b[0m');
    expect(painter(terminal, { NO_COLOR: '' })('x', 'green')).not.toBe('x');
    expect(painter(terminal, { NO_COLOR: '1' })('x', 'green')).toBe('x');
    expect(painter(terminal, { TERM: 'dumb' })('x', 'green')).toBe('x');
    expect(painter({ write: () => {} }, {})('x', 'green')).toBe('x');
  });
});

it('every command says which flags it takes, so that a shell can complete them', async () => {
  for (const [name, { load }] of Object.entries(commands)) {
    const { flags } = await load();
    expect(Object.keys(flags), name).toContain('help');
  }
});
