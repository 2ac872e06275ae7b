// Options of the programs and rules that a search names: one object under the name of the part, such as `chain: { probeEvery: 32 }` or
// `certificate: { risk: 0.01 }`, in the configuration of a model, in a body, by `--set` and in the library. Read from the registries when
// they are needed, so that parts of packages have theirs.

import { type Knob, type KnobValue, type OptionsOf, type SettingKnobs, settingKnobs } from '../base/knob.ts';
import type { PackagedPart } from '../base/packages.ts';
import { exitParts } from '../exit/exits.ts';
import { pruneParts } from '../exit/prune/prunes.ts';
import { type CoreProgram, programs } from '../program/registry/programs.ts';

type OfPrograms = {
  readonly [Each in CoreProgram as Each['name']]?: Partial<OptionsOf<SettingKnobs<Each['options']>>> | undefined;
};

/** The compiler knows the options of core's parts, and of packages the names of parts. */
export interface NamedOptions extends OfPrograms, OfPackages {
  readonly certificate?: { readonly risk?: number } | undefined;
  readonly lead?: { readonly risk?: number } | undefined;
}

type OfPackages = { readonly [Name in PackagedPart]?: Readonly<Record<string, KnobValue>> | undefined };

interface NamedOption {
  readonly knob: Knob;
  /** Name of the option in the part itself. */
  readonly flat: string;
}

/** The options of each part that has some for users, by the names that users write. */
export function namedParts(): ReadonlyMap<string, Readonly<Record<string, NamedOption>>> {
  const ofPrograms = programs().map(({ name, options }) => {
    const own = Object.entries(settingKnobs(options)).map(([flat, knob]) => [flat, { knob, flat }]);
    return [name, Object.fromEntries(own) as Record<string, NamedOption>] as const;
  });
  const ofRules = [...exitParts(), ...pruneParts()].map(({ name, options, settings = {} }) => {
    const own = Object.entries(settings).map(([written, flat]) => [written, { knob: options[flat]!, flat }]);
    return [name, Object.fromEntries(own) as Record<string, NamedOption>] as const;
  });
  return new Map([...ofPrograms, ...ofRules].filter(([, own]) => Object.keys(own).length > 0));
}

/** Options of a part in a wish or in the configuration of a model, by the part's own names. */
export function optionsGiven(source: object, part: string): Readonly<Record<string, KnobValue>> {
  const given = Object.entries((source as Readonly<Record<string, object | undefined>>)[part] ?? {});
  const own = namedParts().get(part) ?? {};
  const known = given.filter(([name, value]) => value !== undefined && Object.hasOwn(own, name));
  return Object.fromEntries(known.map(([name, value]) => [own[name]!.flat, value as KnobValue]));
}

/** Every option by its path, `chain.probeEvery`. */
export function namedPaths(): ReadonlyMap<
  string,
  { readonly part: string; readonly option: string; readonly knob: Knob }
> {
  const paths = [...namedParts()].flatMap(([part, own]) =>
    Object.entries(own).map(([option, { knob }]) => [`${part}.${option}`, { part, option, knob }] as const),
  );
  return new Map(paths);
}
