// Flags of the lab's commands: read, checked, and described for their help.

import { complaint, type Knob, raise, type ValueOf, valueOfText } from '@coppice/core/base';
import type { helpAsked, settingHelp } from 'coppice/cli';

export { readArguments } from 'coppice/cli';

export type CommandHelp = Exclude<Parameters<typeof helpAsked>[1], string>;
export type CommandFlags = CommandHelp['groups'][number][1];
/** The settings that `--set` of a command may name. */
export type CommandSettings = Parameters<typeof settingHelp>[0];

export const exampleServer = 'http://127.0.0.1:8000/v1';

export const helpFlag = {
  help: { type: 'boolean', default: false, short: 'h', about: 'prints this; --help all prints every flag and setting' },
} as const satisfies CommandFlags;

export function flagOf<Each extends Knob>(option: string, text: string, knob: Each): ValueOf<Each> {
  const value = valueOfText(knob, text);
  const wrong = complaint(knob, value);
  return wrong === undefined ? (value as ValueOf<Each>) : raise('bad-setting', `--${option} ${wrong}`);
}

export function whole(option: string, text: string, low: number, high: number, unit: string): number {
  return flagOf(option, text, { low, high, unit, whole: true, why: '' });
}

export function oneOf<Name extends string>(option: string, text: string, values: readonly Name[]): Name {
  return flagOf(option, text, { values, unit: 'name', why: '' }) as Name;
}
