// The one shape of what can be given from outside: a name, one line about it, options with unit, default, bounds and reason, and how
// it is made of them. Exit rules, prune rules, width rules, orders and verifiers are defined so, ours as a stranger's. Makes nothing by itself.

import { raise } from './fault.ts';
import { complaint, defaultsOf, type Knobs, type KnobValue, type OptionsOf } from './knob.ts';

export type PartOptions = Readonly<Record<string, KnobValue>>;

export interface PlugIn<Made> {
  readonly name: string;
  readonly summary: string;
  readonly options: Knobs;
  /** A policy's settings ask for this part. Without it the part is in every policy that lists it. */
  when?(settings: PartOptions): boolean;
  make(options: PartOptions): Made;
}

export interface PartInput<Made, Name extends string, Options extends Knobs> {
  readonly name: Name;
  readonly summary: string;
  readonly options?: Options;
  readonly when?: (settings: PartOptions) => boolean;
  readonly make: (options: OptionsOf<Options>) => Made;
}

export type NamedPart<Made, Name extends string, Options extends Knobs> = PlugIn<Made> & {
  readonly name: Name;
  readonly options: Options;
};

export type NoOptions = Readonly<Record<never, never>>;

const partKeys: readonly string[] = ['name', 'summary', 'options', 'when', 'make'];

/** Keeps the exact types of a part's name and options. What is checked here is for code that no compiler has read; `more`: keys of its kind alone. */
export function definedPart<Made, Name extends string, Options extends Knobs>(
  part: PartInput<Made, Name, Options>,
  more: readonly string[] = [],
): NamedPart<Made, Name, Options> {
  checkKeys(`part '${part.name}'`, part, [...partKeys, ...more]);
  checkDefaults(`part '${part.name}'`, part.options ?? {});
  return { ...part, options: part.options ?? ({} as Options) } as unknown as NamedPart<Made, Name, Options>;
}

/** The `define…` of one kind of part. */
export function definerOf<Made>() {
  return <const Name extends string, const Options extends Knobs = NoOptions>(
    part: PartInput<Made, Name, Options>,
  ): NamedPart<Made, Name, Options> => definedPart(part);
}

export function checkKeys(owner: string, given: object, known: readonly string[]): void {
  const unknown = Object.keys(given).find((key) => !known.includes(key));
  if (unknown !== undefined) raise('bad-setting', `${owner} has no '${unknown}'; there are ${known.join(', ')}`);
}

/** A default that its own bounds refuse would hold until a user names the same value. */
export function checkDefaults(owner: string, options: Knobs): void {
  for (const [name, knob] of Object.entries(options)) {
    const wrong = knob.default === undefined ? undefined : complaint(knob, knob.default);
    if (wrong !== undefined) raise('bad-setting', `${owner}: the default of option '${name}' ${wrong}`);
  }
}

/** Each given option must belong to one of the parts and lie within its bounds. `setting`: where they are given. */
export function checkPartOptions(
  owner: string,
  parts: readonly { readonly options: Knobs }[],
  given: PartOptions,
  setting: string,
): void {
  const known: Knobs = Object.assign({}, ...parts.map(({ options }) => options));
  for (const [name, value] of Object.entries(given)) {
    const knob = Object.hasOwn(known, name) ? known[name] : undefined;
    if (knob === undefined) return raise('bad-setting', `${setting}.${name} is no option of ${owner}`);
    const wrong = complaint(knob, value);
    if (wrong !== undefined) raise('bad-setting', `${setting}.${name} ${wrong}`);
  }
}

export function optionsOfPart({ options }: { readonly options: Knobs }, given: PartOptions): PartOptions {
  const own = Object.entries(given).filter(([name]) => Object.hasOwn(options, name));
  return { ...(defaultsOf(options) as PartOptions), ...Object.fromEntries(own) };
}
