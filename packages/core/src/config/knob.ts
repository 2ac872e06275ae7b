// Schemas from knobs: the bounds become the schema's, the unit and the reason its description, which the printed schema and
// the printed example show, and a value out of bounds is refused in the words of base/knob.ts.
// `issueWords` says in the same words what the library of schemas refuses.

import { z } from 'zod';
import { complaint, type Knob, type Knobs, type NumberKnob, shown, type ValueOf } from '../base/knob.ts';
import { nearest } from '../base/unknown-names.ts';

type Schema<Each extends Knob> = z.ZodType<ValueOf<Each>, ValueOf<Each>>;

export function schemaOf<Each extends Knob>(knob: Each): Schema<Each> {
  const error = complaining(knob);
  const schema = 'values' in knob ? z.enum(knob.values as [string, ...string[]], { error }) : numberSchema(knob, error);
  const { unit, why: description } = knob;
  return schema.meta({ unit, description }) as unknown as Schema<Each>;
}

function numberSchema({ low, high, whole }: NumberKnob, error: ReturnType<typeof complaining>): z.ZodNumber {
  const within = z.number({ error }).min(low, { error }).max(high, { error });
  return whole ? within.int({ error }) : within;
}

function complaining(knob: Knob): (issue: { readonly input?: unknown }) => string {
  return ({ input }) => complaint(knob, input) ?? 'is not allowed';
}

type Field<Each extends Knob> = Each extends { readonly default: number | string }
  ? z.ZodDefault<Schema<Each>>
  : z.ZodOptional<Schema<Each>>;

/** A field of the configuration: at its default where it has one, else left out unless it is set. */
export function fieldOf<Each extends Knob>(knob: Each): Field<Each> {
  const schema = schemaOf(knob);
  const { unit, why: description } = knob;
  const field = knob.default === undefined ? schema.optional() : schema.default(knob.default as never);
  return field.meta({ unit, description }) as unknown as Field<Each>;
}

export function fieldsOf<Set extends Knobs>(knobs: Set): { [Name in keyof Set]: Field<Set[Name]> } {
  return Object.fromEntries(Object.entries(knobs).map(([name, knob]) => [name, fieldOf(knob)])) as {
    [Name in keyof Set]: Field<Set[Name]>;
  };
}

export function whole(fallback: number, low: number, high: number, unit: string, why: string) {
  return fieldOf({ default: fallback, low, high, whole: true, unit, why } as const);
}

export function real(fallback: number, low: number, high: number, unit: string, why: string) {
  return fieldOf({ default: fallback, low, high, unit, why } as const);
}

/** The same value under another name, with another default or reason, within the bounds of the vocabulary. */
export function like<Each extends NumberKnob>(knob: Each, fallback: number, why: string) {
  return fieldOf({ ...knob, default: fallback, why });
}

/** An issue as one line: the complaint of a knob goes on from the name, everything else stands after a colon. */
export function issueLine(name: string, message: string): string {
  return /^(is|has) /.test(message) ? `${name} ${message}` : `${name}: ${message}`;
}

type Issue = z.core.$ZodRawIssue;

/** For `safeParse(value, { error: issueWords })`; a field that has words of its own keeps them. */
export function issueWords(issue: Issue): string | undefined {
  switch (issue.code) {
    case 'unrecognized_keys':
      return `has no setting ${issue.keys.map((key) => `'${key.slice(0, 64)}'${meantBy(key, issue.inst)}`).join(' or ')}`;
    case 'invalid_union':
      return kindWords(issue);
    case 'invalid_value':
      return mustBe(issue.input, `one of ${issue.values.join(', ')}`);
    case 'invalid_type':
      return mustBe(issue.input, typeWords[issue.expected] ?? `of type ${issue.expected}`);
    case 'too_small':
      return boundWords(issue, `at least ${issue.minimum}`, 'must be there');
    case 'too_big':
      return boundWords(issue, `at most ${issue.maximum}`, 'are allowed');
    case 'invalid_format':
      return issue.format === 'url' ? urlWords(issue.input) : undefined;
    default:
      return undefined;
  }
}

/** Does not repeat a text that may hold a password. */
function urlWords(input: unknown): string {
  return `is ${String(input).includes('@') ? '' : `${shown(input)}, `}no URL such as http://127.0.0.1:8000`;
}

/** The setting beside it that was probably meant, in brackets. */
function meantBy(key: string, owner: Issue['inst']): string {
  const meant = owner instanceof z.ZodObject ? nearest(key.slice(0, 64), Object.keys(owner.shape)) : undefined;
  return meant === undefined ? '' : ` (did you mean '${meant}'?)`;
}

const typeWords: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
};

function mustBe(value: unknown, what: string): string {
  return `is ${value === undefined ? 'missing' : shown(value)}; it must be ${what}`;
}

/** A value of several kinds; of an object its `kind` says which one. */
function kindWords({ input, discriminator, options, errors }: Issue & { code: 'invalid_union' }): string | undefined {
  const kinds = errors.map(([first]) => (first?.code === 'invalid_type' ? typeWords[first.expected] : undefined));
  if (discriminator === undefined || !Array.isArray(options))
    return kinds.includes(undefined) ? undefined : mustBe(input, kinds.join(' or '));
  const kind = (input as Readonly<Record<string, unknown>> | undefined)?.[discriminator];
  return mustBe(kind, `one of ${options.join(', ')}`);
}

function boundWords({ input }: Issue, bound: string, verb: string): string | undefined {
  if (typeof input === 'number') return mustBe(input, bound);
  if (Array.isArray(input)) return `has ${input.length} items; ${bound} ${verb}`;
  return typeof input === 'string' ? `has ${input.length} characters; ${bound} ${verb}` : undefined;
}
