// Flags, usage lines and wishes from the vocabulary: a command names the settings it takes, and the rest follows.

import { checkWish } from '../../answering/plan-check.ts';
import type { Wish } from '../../answering/search-plan.ts';
import type { Knob } from '../../base/knob.ts';
import { flagName, flagValue, knobOf, type SearchKnob } from '../../config/vocabulary.ts';
import { policyKnobs } from '../../policy/knobs.ts';
import { programKnobs } from '../../program/registry/programs.ts';

const textOption = { type: 'string' } as const;

/** What policies and programs can be told, for a command that takes all of it. */
export const optionKnobs = [...Object.keys(policyKnobs), ...Object.keys(programKnobs)] as readonly SearchKnob[];

/** For node:util's parseArgs. */
export function knobOptions(names: readonly SearchKnob[]): Record<string, typeof textOption> {
  return Object.fromEntries(names.map((name) => [flagName(name), textOption]));
}

/** What the flags ask for, checked; a complaint names the flag. */
export function readWish(values: Readonly<Record<string, unknown>>, names: readonly SearchKnob[]): Wish {
  const asked = names.flatMap((name) => {
    const text = values[flagName(name)];
    return typeof text === 'string' ? [[name, flagValue(name, text)]] : [];
  });
  const wish = Object.fromEntries(asked) as Wish;
  checkWish(wish, 'flags');
  return wish;
}

/** One line per setting: flag, values or reason, and the default; `defaults` where a command has one of its own. */
export function knobUsage(
  names: readonly SearchKnob[],
  defaults: Readonly<Partial<Record<SearchKnob, string>>> = {},
): string {
  return names.map((name) => usageLine(name, knobOf(name), defaults[name])).join('\n');
}

const column = 24;
const textWidth = 84;

function usageLine(name: SearchKnob, knob: Knob, own: string | undefined): string {
  const kind = 'values' in knob ? 'NAME' : knob.whole ? 'N' : 'X';
  const flag = `  --${flagName(name)} ${kind}`;
  const otherwise = own ?? knob.default;
  const values = 'values' in knob ? `${knob.values.join(', ')}: ` : '';
  const lines = wrapped(`${values}${knob.why}${otherwise === undefined ? '' : ` (${otherwise})`}`);
  const [first = '', ...rest] = flag.length < column ? lines : ['', ...lines];
  return [`${flag.padEnd(column)}${first}`.trimEnd(), ...rest.map((line) => `${' '.repeat(column)}${line}`)].join('\n');
}

function wrapped(text: string): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last === undefined || last.length + word.length >= textWidth) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}
