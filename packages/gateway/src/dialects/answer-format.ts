// Reads the shape that a body wants of its answer: JSON of a schema, wherever an API writes it (`response_format` of a chat,
// `text.format` of a response, `output_config.format` of a message), or a function call that a chat forces.

import type { WishedShape } from '@coppice/core/answering';
import { isRecord, shown } from '@coppice/core/base';
import type { JsonSchema } from '@coppice/core/engine';
import type { Plain } from '@coppice/core/journal';
import { refuseField } from '../http/api-error.ts';
import { record } from './unchecked.ts';

const anyObject: JsonSchema = { type: 'object' };

/** Undefined for plain text. Refuses an unknown format under the chat's field name. */
function schemaIn(format: unknown): JsonSchema | undefined {
  if (format === undefined || format === null) return undefined;
  const { type, json_schema: nested, schema } = record(format);
  if (type === 'text') return undefined;
  if (type === 'json_object') return anyObject;
  if (type !== 'json_schema')
    return refuseField(
      'invalid_value',
      'response_format.type',
      `is ${shown(type)}; it must be text, json_object or json_schema`,
    );
  const found = nested === undefined ? schema : record(nested).schema;
  if (!isRecord(found)) return refuseField('invalid_value', 'response_format', 'has no schema');
  return found;
}

/** `forced`: the call that a chat forces. */
export function shapeWith(format: unknown, forced?: WishedShape): WishedShape | undefined {
  const schema = schemaIn(format);
  if (schema === undefined) return forced;
  if (forced !== undefined) refuseField('unsupported_parameter', 'tools', "cannot be forced with 'response_format'");
  return { schema, about: schema };
}

interface OfferedFunction {
  readonly name: string;
  readonly description?: unknown;
  readonly parameters?: JsonSchema;
}

/**
 * The call that `tool_choice` forces. Undefined if a tool is no function, or if the model may choose, which only an
 * engine with its own tool calls supports.
 */
export function forcedCall({ tools, tool_choice: choice }: Plain): WishedShape | undefined {
  const tried = Array.isArray(tools) ? tools.map(functionOf) : [];
  const offered = tried.filter((each) => each !== undefined);
  const { name } = record(record(choice).function);
  if (choice !== 'required' && typeof name !== 'string') return undefined;
  const functions = offered.filter((each) => choice === 'required' || each.name === name);
  if (functions.length === 0 || offered.length < tried.length) return undefined;
  const schema = callSchema(functions);
  return schema && { schema, about: functions, isCall: true };
}

function functionOf(tool: unknown): OfferedFunction | undefined {
  const { type, function: described } = record(tool);
  const { name, description, parameters } = record(described);
  if (type !== 'function' || typeof name !== 'string') return undefined;
  return {
    name,
    ...(description === undefined ? {} : { description }),
    ...(isRecord(parameters) ? { parameters } : {}),
  };
}

/** Moves one function's definitions to the top, where references point. Undefined if one of several functions has definitions. */
function callSchema(functions: readonly OfferedFunction[]): JsonSchema | undefined {
  const calls = functions.map(({ name, parameters = anyObject }) => {
    const { $defs, definitions, $schema: _, ...fields } = parameters;
    const properties = { name: { const: name }, arguments: fields };
    const call = { type: 'object', properties, required: ['name', 'arguments'], additionalProperties: false };
    return { call, defined: { ...(isRecord($defs) && { $defs }), ...(isRecord(definitions) && { definitions }) } };
  });
  const [only] = calls;
  if (calls.length === 1) return { ...only!.call, ...only!.defined };
  const isClear = calls.every(({ defined }) => Object.keys(defined).length === 0);
  return isClear ? { anyOf: calls.map(({ call }) => call) } : undefined;
}
