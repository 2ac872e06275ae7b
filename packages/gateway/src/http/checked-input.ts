// Reads bodies and queries by a schema, and refuses errors by name. An unknown field is refused in a body and ignored in a query.

import { nearest } from '@coppice/core/base';
import { issueLine, issueWords } from '@coppice/core/config';
import type { z } from 'zod';
import { refuse } from './api-error.ts';

export function parseBody<Output>(schema: z.ZodType<Output>, value: unknown): Output {
  if (valuesIn(value, mostValues) > mostValues)
    refuse('invalid_value', `the body holds more than ${mostValues} values, the limit`);
  const parsed = schema.safeParse(value, { error: issueWords });
  if (parsed.success) return parsed.data;
  const first = parsed.error.issues[0]!;
  const issue = withinUnion(first) ?? first;
  const path = [...first.path, ...(issue === first ? [] : issue.path)].map(String);
  if (issue.code === 'unrecognized_keys') {
    const [key = ''] = issue.keys;
    const name = [...path, key].join('.');
    const meant = nearest(key, fieldsAt(schema, path));
    const hint = meant === undefined ? '' : `; did you mean '${meant}'?`;
    return refuse('unknown_parameter', `'${name}' is not a known parameter${hint}`, name);
  }
  const where = path.length === 0 ? 'the body' : `'${path.join('.')}'`;
  return refuse('invalid_value', issueLine(where, issue.message), path.length === 0 ? undefined : path.join('.'));
}

/** The issue of the first option of a union whose type fits the value. */
function withinUnion(issue: z.core.$ZodIssue): z.core.$ZodIssue | undefined {
  const found = issue.code === 'invalid_union' ? issue.errors.map(([first]) => first) : [];
  return found.find((each) => each !== undefined && (each.code !== 'invalid_type' || each.path.length > 0));
}

/** A schema takes up to 10 µs for each wrong value: 200 ms at most. */
const mostValues = 20_000;

/** Items and fields at any depth; stops counting beyond `most`. */
function valuesIn(value: unknown, most: number): number {
  if (typeof value !== 'object' || value === null) return 0;
  const items = Array.isArray(value) ? value : Object.values(value);
  let count = items.length;
  for (const item of items) {
    if (count > most) return count;
    count += valuesIn(item, most - count);
  }
  return count;
}

/** Field names of an object; none for a union. */
function fieldsAt(schema: unknown, path: readonly string[]): readonly string[] {
  let at = schema as { readonly shape?: Readonly<Record<string, unknown>>; unwrap?: () => unknown } | undefined;
  while (at?.unwrap !== undefined) at = at.unwrap() as typeof at;
  const [next, ...rest] = path;
  const shape = at?.shape ?? {};
  return next === undefined ? Object.keys(shape) : fieldsAt(shape[next], rest);
}

export function readQuery<Schema extends z.ZodObject>(schema: Schema, query: URLSearchParams): z.output<Schema> {
  const given = Object.entries(schema.shape).flatMap(([name, field]) => {
    const text = query.get(name);
    return text === null ? [] : [[name, inQuery(text, field as z.ZodType)] as const];
  });
  return parseBody(schema, Object.fromEntries(given)) as z.output<Schema>;
}

/** Reads a number if the field takes no text. */
function inQuery(text: string, field: z.ZodType): unknown {
  const isNumber = text.trim() !== '' && !Number.isNaN(Number(text));
  return isNumber && !field.safeParse(text).success ? Number(text) : text;
}
