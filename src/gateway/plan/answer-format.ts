// The schema that a body wants its answer to follow, wherever an API writes it: `response_format` of a chat, `text.format` of a
// response, `output_config.format` of a message.

import type { JsonSchema } from '../../engine/engine.ts';
import { refuse } from '../http/api-error.ts';

/** Any object is what `json_object` asks for. */
const anyObject: JsonSchema = { type: 'object' };

/** Undefined where plain text will do; a format that nobody knows is refused under the name that a chat has for it. */
export function schemaIn(format: unknown): JsonSchema | undefined {
  if (format === undefined || format === null) return undefined;
  const { type, json_schema: nested, schema } = record(format);
  if (type === 'text') return undefined;
  if (type === 'json_object') return anyObject;
  if (type !== 'json_schema')
    return refuse(
      'invalid_value',
      "'response_format.type' must be text, json_object or json_schema",
      'response_format.type',
    );
  const found = nested === undefined ? schema : record(nested).schema;
  if (!isObject(found)) return refuse('invalid_value', "'response_format' has no schema", 'response_format');
  requireShallow(found);
  return found;
}

/** It is written out in the words before the answer, and in the journal. */
function requireShallow(schema: JsonSchema): void {
  try {
    JSON.stringify(schema);
  } catch {
    refuse('invalid_value', "'response_format' has a schema that is nested too deeply", 'response_format');
  }
}

function record(value: unknown): Readonly<Record<string, unknown>> {
  return isObject(value) ? value : {};
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
