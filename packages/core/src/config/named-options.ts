// Options of the program that a search names: one object under its name, such as `chain: { probeEvery: 32 }`, in the configuration of a
// model, in a body, by `--set` and in the library. Read from the registry when they are needed, so that programs of packages have theirs.

import {
  type Knob,
  type Knobs,
  type KnobValue,
  type OptionsOf,
  type SettingKnobs,
  settingKnobs,
} from '../base/knob.ts';
import type { PackagedProgram } from '../base/unknown-names.ts';
import { type CoreProgram, programs } from '../program/registry/programs.ts';

type OfPrograms = {
  readonly [Each in CoreProgram as Each['name']]?: Partial<OptionsOf<SettingKnobs<Each['options']>>> | undefined;
};

/** The compiler knows the options of core's programs, and of packages the names of programs. */
export type NamedOptions = OfPrograms & {
  readonly [Name in PackagedProgram]?: Readonly<Record<string, KnobValue>> | undefined;
};

/** The options of each program that has some for users. */
export function namedParts(): ReadonlyMap<string, Knobs> {
  const own = programs().map(({ name, options }) => [name, settingKnobs(options)] as const);
  return new Map(own.filter(([, knobs]) => Object.keys(knobs).length > 0));
}

/** Options of a program in a wish or in the configuration of a model. */
export function optionsGiven(source: object, part: string): Readonly<Record<string, KnobValue>> {
  const given = Object.entries((source as Readonly<Record<string, object | undefined>>)[part] ?? {});
  const own = namedParts().get(part) ?? {};
  return Object.fromEntries(given.filter(([name, value]) => value !== undefined && Object.hasOwn(own, name)));
}

/** Every option by its path, `chain.probeEvery`. */
export function namedPaths(): ReadonlyMap<
  string,
  { readonly part: string; readonly option: string; readonly knob: Knob }
> {
  const paths = [...namedParts()].flatMap(([part, own]) =>
    Object.entries(own).map(([option, knob]) => [`${part}.${option}`, { part, option, knob }] as const),
  );
  return new Map(paths);
}
