// The query of a request, read by a schema as bodies are: what is wrong is refused by name. Names that nobody knows are left alone.

import type { z } from 'zod';
import { parseBody } from './chat-body.ts';

export function readQuery<Schema extends z.ZodObject>(schema: Schema, query: URLSearchParams): z.output<Schema> {
  const given = Object.entries(schema.shape).flatMap(([name, field]) => {
    const text = query.get(name);
    return text === null ? [] : [[name, inQuery(text, field as z.ZodType)] as const];
  });
  return parseBody(schema, Object.fromEntries(given)) as z.output<Schema>;
}

/** A query is text: what is to be a number is read as one. */
function inQuery(text: string, field: z.ZodType): unknown {
  const isNumber = text.trim() !== '' && !Number.isNaN(Number(text));
  return isNumber && !field.safeParse(text).success ? Number(text) : text;
}
