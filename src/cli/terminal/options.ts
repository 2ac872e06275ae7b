// Values of command-line options, checked: a complaint gives the value, the bounds and the option.

import { type ParseArgsConfig, parseArgs } from 'node:util';
import { raise } from '../../base/fault.ts';

/** As node:util's parseArgs, with its complaints as faults. */
export function readArguments<T extends ParseArgsConfig>(config: T): ReturnType<typeof parseArgs<T>> {
  try {
    return parseArgs(config);
  } catch (error) {
    return raise('bad-setting', error instanceof Error ? error.message : String(error));
  }
}

export function whole(option: string, text: string, low: number, high: number): number {
  const value = Number(text);
  if (text.trim() !== '' && Number.isInteger(value) && value >= low && value <= high) return value;
  return raise('bad-setting', `--${option} is '${text}'; it must be a whole number from ${low} to ${high}`);
}

export function real(option: string, text: string, low: number, high: number): number {
  const value = Number(text);
  if (text.trim() !== '' && value >= low && value <= high) return value;
  return raise('bad-setting', `--${option} is '${text}'; it must be a number from ${low} to ${high}`);
}

export function oneOf<Name extends string>(option: string, text: string, names: readonly Name[]): Name {
  const found = names.find((name) => name === text);
  return found ?? raise('bad-setting', `--${option} is '${text}'; it must be one of ${names.join(', ')}`);
}

/** `yes` or `no`; what holds where the option was not given. */
export function yes(option: string, text: string | undefined, otherwise: boolean): boolean {
  return text === undefined ? otherwise : oneOf(option, text, ['yes', 'no']) === 'yes';
}

/** A member that is there only when the option was given. */
export function given<Key extends string, Value>(
  key: Key,
  text: string | undefined,
  read: (text: string) => Value,
): { readonly [K in Key]?: Value } {
  return text === undefined ? {} : ({ [key]: read(text) } as { [K in Key]: Value });
}
