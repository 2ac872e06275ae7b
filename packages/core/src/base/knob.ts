// The contract of a setting: its unit, default, bounds and the reason for the default, stated once. Schemas, usage texts,
// types and complaints are made from it, so that the same wrong value is refused in the same words wherever it comes from.

/** A client may set it too: in the `coppice` object of a body, or as a field of OpenAI's API. */
export type ClientField = 'coppice' | 'openai';

interface Described {
  readonly unit: string;
  /** Why the default is what it is, or what the setting does where it has none. */
  readonly why: string;
  readonly client?: ClientField;
  /** Turned by experiments, by a calibration and by the policy or program that owns it: no setting of a user. */
  readonly internal?: true;
}

export interface NumberKnob extends Described {
  readonly low: number;
  readonly high: number;
  readonly whole?: true;
  readonly default?: number;
}

export interface ChoiceKnob extends Described {
  readonly values: readonly string[];
  readonly default?: string;
  /** Goes on from "is 'tot', " where a package that is not installed has this value. */
  readonly elsewhere?: (value: string) => string | undefined;
}

export type Knob = NumberKnob | ChoiceKnob;
export type Knobs = Readonly<Record<string, Knob>>;
export type KnobValue = number | string;

export type ValueOf<Each extends Knob> = Each extends ChoiceKnob ? Each['values'][number] : number;
export type OptionsOf<Set extends Knobs> = { readonly [Name in keyof Set]: ValueOf<Set[Name]> };

export type SettingKnobs<Set extends Knobs> = {
  readonly [Name in keyof Set as Set[Name] extends { readonly internal: true } ? never : Name]: Set[Name];
};

export function settingKnobs<Set extends Knobs>(knobs: Set): SettingKnobs<Set> {
  return Object.fromEntries(Object.entries(knobs).filter(([, { internal }]) => !internal)) as SettingKnobs<Set>;
}

/** Says why a value is refused, to be read after the setting's name; undefined for an allowed one. */
export function complaint(knob: Knob, value: unknown): string | undefined {
  if (fits(knob, value)) return undefined;
  const elsewhere = 'values' in knob && typeof value === 'string' ? knob.elsewhere?.(value) : undefined;
  if (elsewhere !== undefined) return `is '${value}', ${elsewhere}`;
  return `is ${value === undefined ? 'missing' : shown(value)}; it must be ${allowed(knob)}`;
}

function fits(knob: Knob, value: unknown): boolean {
  if ('values' in knob) return typeof value === 'string' && knob.values.includes(value);
  const within = typeof value === 'number' && value >= knob.low && value <= knob.high;
  return within && (!knob.whole || Number.isInteger(value));
}

/** Bounds in words, such as `a whole number from 1 to 64 (steps)`. */
export function allowed(knob: Knob): string {
  if ('values' in knob) return `one of ${knob.values.join(', ')}`;
  return `${knob.whole ? 'a whole number' : 'a number'} from ${knob.low} to ${knob.high} (${knob.unit})`;
}

export function shown(value: unknown): string {
  if (typeof value === 'string') return `'${value.slice(0, 64)}'`;
  if (typeof value === 'number' || value === undefined) return String(value);
  return JSON.stringify(value)?.slice(0, 64) ?? typeof value;
}

/** A text from a command line as the value it stands for; what is no number stays text, and is complained about as that. */
export function valueOfText(knob: Knob, text: string): KnobValue {
  if ('values' in knob || text.trim() === '') return text;
  const value = Number(text);
  return Number.isNaN(value) ? text : value;
}

export function defaultsOf<Set extends Knobs>(knobs: Set): OptionsOf<Set> {
  const given = Object.entries(knobs).flatMap(([name, knob]) =>
    knob.default === undefined ? [] : [[name, knob.default]],
  );
  return Object.freeze(Object.fromEntries(given)) as OptionsOf<Set>;
}
