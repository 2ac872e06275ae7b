// Reads and checks values of command-line options: a complaint gives the value, the bounds and the option.

import { type ParseArgsConfig, parseArgs } from 'node:util';
import { complaint, type Knob, nearest, raise, type ValueOf, valueOfText } from '@coppice/core/base';

/** The setting that an unknown option may mean. */
type MeantSetting = (option: string) => string | undefined;

/** node:util's parseArgs, with its complaints as faults. */
export function readArguments<T extends ParseArgsConfig>(
  config: T,
  settingOf: MeantSetting = () => undefined,
): ReturnType<typeof parseArgs<T>> {
  try {
    return parseArgs<T>({ ...config, args: joinNegatives(config) });
  } catch (error) {
    return raise('bad-setting', complaintOf(error, config, settingOf));
  }
}

/** Joins `--seeds -1`, so that it is refused for its value. */
function joinNegatives({ args = [], options = {} }: ParseArgsConfig): string[] {
  const joined: string[] = [];
  for (const arg of args) {
    const before = joined.at(-1);
    const takesIt = before?.startsWith('--') && options[before.slice(2)]?.type === 'string';
    if (takesIt && /^-[\d.]/.test(arg)) joined.push(`${joined.pop()}=${arg}`);
    else joined.push(arg);
  }
  return joined;
}

function complaintOf(error: unknown, { args = [], options = {} }: ParseArgsConfig, settingOf: MeantSetting): string {
  const message = error instanceof Error ? error.message : String(error);
  const lacking = message.match(/^Option '(?:-\w, )?(--[\w-]+)[^']*' argument (?:is ambiguous|missing)/)?.[1];
  if (lacking !== undefined) return `${lacking} needs a value`;
  const unknown = message.match(/^Unknown option '-{1,2}([^']*)'/)?.[1];
  if (unknown === undefined) return message;
  const setting = settingOf(unknown);
  if (setting !== undefined) return `--${unknown} is a setting: write --set ${setting}=${writtenValue(args, unknown)}`;
  const meant = nearest(unknown, Object.keys(options));
  return `there is no option --${unknown}${meant === undefined ? '; --help lists them' : `; did you mean --${meant}?`}`;
}

/** The value after an unknown option, quoted for a shell. */
function writtenValue(args: readonly string[], option: string): string {
  const at = args.findIndex((arg) => arg === `--${option}` || arg.startsWith(`--${option}=`));
  const value = args[at]?.includes('=') ? args[at].slice(option.length + 3) : args[at + 1];
  if (value === undefined || value.startsWith('--')) return 'VALUE';
  return /^[\w.,+/:-]+$/.test(value) ? value : `'${value}'`;
}

/** Reads a flag that is no setting; out of bounds it is refused in the same words. */
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

/** Makes a member only if the option was given. */
export function given<Key extends string, Value>(
  key: Key,
  text: string | undefined,
  read: (text: string) => Value,
): { readonly [K in Key]?: Value } {
  return text === undefined ? {} : ({ [key]: read(text) } as { [K in Key]: Value });
}
