// The flags of search settings, and the wish made of them and `--set`.

import { checkWish, type Wish } from '@coppice/core/answering';
import { raise } from '@coppice/core/base';
import { flagName, flagValue, type SearchKnob, settingName } from '@coppice/core/config';
import type { Flags } from './help.ts';

const text = 'string';

export const knobFlags = {
  program: {
    type: text,
    takes: 'NAME',
    about: 'what to grow: auto, mcts, best-first, … (auto: what suits question and judge)',
  },
  policy: { type: text, takes: 'NAME', about: 'when a search ends: safe, boost, positive, … (safe)' },
  rollouts: { type: text, takes: 'N', about: 'paths to pay for, if the effort does not suit' },
  threshold: { type: text, takes: 'X', about: 'score from which an answer is accepted' },
  branching: {
    type: text,
    takes: 'N',
    about: 'steps per expansion (4, of the shipped models 8)',
    rare: true,
  },
  choose: {
    type: text,
    takes: 'NAME',
    about: 'the answer: best score, vote or majority (best, of the shipped models vote)',
    rare: true,
  },
  temperature: { type: text, takes: 'X', about: 'of sampling (0.8, of the shipped models 1)', rare: true },
  seed: { type: text, takes: 'N', about: 'of all draws (1)' },
  'token-budget': { type: text, takes: 'N', about: 'generated tokens; then gives the best so far' },
  'deadline-ms': { type: text, takes: 'N', about: 'milliseconds; then gives the best so far' },
} as const satisfies Flags;

/** Checks the flags and `--set`. A complaint names the flag; a setting that is given twice is refused. */
export function readWish(
  values: Readonly<Record<string, unknown>>,
  names: readonly SearchKnob[],
  set: Wish = {},
): Wish {
  const asked = names.flatMap((name) => {
    const value = values[flagName(name)];
    if (typeof value !== 'string') return [];
    if (set[name] !== undefined) refuseTwice(flagName(name), settingName(name));
    return [[name, flagValue(name, value)]];
  });
  const wish = { ...set, ...Object.fromEntries(asked) } as Wish;
  checkWish(wish, 'flags');
  return wish;
}

export function refuseTwice(flag: string, setting: string): never {
  raise('bad-setting', `--${flag} and --set ${setting} say the same; give one of them`);
}
