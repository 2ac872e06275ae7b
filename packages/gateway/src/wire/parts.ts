// Parts of several wire shapes, and how a schema becomes a type. Types are taken from the schemas.

import { exitKinds, verdicts } from '@coppice/core/log';
import { z } from 'zod';

export type Written<Schema extends z.ZodType> = Frozen<z.output<Schema>>;
type Frozen<Value> = Value extends object ? { readonly [Name in keyof Value]: Frozen<Value[Name]> } : Value;

export const text = z.string();
export const maybeText = text.nullable();
export const number = z.number();
export const maybeNumber = number.nullable();
export const flag = z.boolean();
export const anything = z.record(text, z.unknown());

export const list = <Item extends z.ZodType, More extends z.ZodRawShape = Record<never, never>>(
  data: Item,
  more?: More,
) => z.object({ object: z.literal('list'), data: z.array(data), ...more });
export const pages = { first_id: maybeText, last_id: maybeText, has_more: flag };
export const deleted = (object: string) => z.object({ id: text, object: z.literal(object), deleted: z.literal(true) });

export const evidence = z.record(text, z.union([number, text]));
export const exit = z.object({ kind: z.enum(exitKinds), rule: text, evidence });
export const verdict = z.enum(verdicts);
/** The scheduler's rule for a search's width and its numbers; null before the first decision. */
export const why = evidence.nullable();
export const budget = z.object({ total: number, used: number });

/** An object with the same value under each name. */
export function each<Value, Name extends string>(value: Value, ...names: readonly Name[]) {
  return Object.fromEntries(names.map((name) => [name, value])) as Readonly<Record<Name, Value>>;
}
