// Schemas from knobs: the bounds become the schema's, the unit and the reason its description, which the printed schema and
// the printed example show, and a value out of bounds is refused in the words of base/knob.ts.

import { z } from 'zod';
import { type ChoiceKnob, complaint, type Knob, type Knobs, type NumberKnob, type ValueOf } from '../base/knob.ts';

export function schemaOf<Each extends Knob>(knob: Each): z.ZodType<ValueOf<Each>, ValueOf<Each>> {
  const schema = 'values' in knob ? choiceSchema(knob) : numberSchema(knob as NumberKnob);
  const { unit, why: description } = knob;
  return schema.meta({ unit, description }) as unknown as z.ZodType<ValueOf<Each>, ValueOf<Each>>;
}

function numberSchema(knob: NumberKnob): z.ZodNumber {
  const error = complaining(knob);
  const within = z.number({ error }).min(knob.low, { error }).max(knob.high, { error });
  return knob.whole ? within.int({ error }) : within;
}

function choiceSchema(knob: ChoiceKnob) {
  return z.enum(knob.values as [string, ...string[]], { error: complaining(knob) });
}

function complaining(knob: Knob): (issue: { readonly input?: unknown }) => string {
  return ({ input }) => complaint(knob, input) ?? 'is not allowed';
}

type Schema<Each extends Knob> = z.ZodType<ValueOf<Each>, ValueOf<Each>>;
type Field<Each extends Knob> = Each extends { readonly default: KnobDefault }
  ? z.ZodDefault<Schema<Each>>
  : z.ZodOptional<Schema<Each>>;
type KnobDefault = number | string;

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
