// Prints the configuration for people and tools: the JSON schema, an example with every knob, its default and its reason, and the
// configuration in force. Key hashes are hidden: they are no secret, but useless in a terminal.

import { isRecord } from '@coppice/core/base';
import { type Config, checkConfig, type PlainTree, registeredSchema } from '@coppice/core/config';
import { z } from 'zod';

export function printSchema(): string {
  return JSON.stringify(z.toJSONSchema(registeredSchema(), { io: 'input' }), null, 2);
}

export function printConfig(config: Config): string {
  const keys = config.keys.map((key) => ({ ...key, hash: '(hidden)' }));
  return JSON.stringify({ ...config, keys }, null, 2);
}

/** JSON with comments that `--config` reads: what `serve` does with these models and no file. */
export function printExample(models: readonly PlainTree[]): string {
  const example = checkConfig({ models });
  const lines = writeObject(example, z.toJSONSchema(registeredSchema(), { io: 'input' }) as Schema, '');
  return `// The example configuration of coppice serve: every knob as it is without a file; those that are not set come last in their object.\n${lines}\n`;
}

interface Schema {
  readonly description?: string;
  readonly unit?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly oneOf?: readonly Schema[];
  readonly const?: unknown;
}

function writeObject(value: object, schema: Schema, indent: string): string {
  const inner = `${indent}  `;
  const { properties = {} } = alternative(schema, value);
  const fields = Object.entries(value).map(([key, each], at, all) => {
    const below = properties[key] ?? {};
    const comma = at < all.length - 1 ? ',' : '';
    return `${comment(below, inner)}${inner}${JSON.stringify(key)}: ${write(each, below, inner)}${comma}`;
  });
  const unset = Object.keys(properties).filter((key) => !Object.hasOwn(value, key));
  const others = unset.map((key) => `${comment(properties[key]!, inner)}${inner}// ${JSON.stringify(key)} is not set`);
  return fields.length === 0 ? '{}' : `{\n${[...fields, ...others].join('\n')}\n${indent}}`;
}

function write(value: unknown, schema: Schema, indent: string): string {
  if (Array.isArray(value) && value.some((each) => typeof each === 'object')) {
    return `[${value.map((each) => write(each, schema.items ?? {}, indent)).join(', ')}]`;
  }
  return isRecord(value) ? writeObject(value, schema, indent) : JSON.stringify(value);
}

/** Picks the member of a union whose `kind` is the value's. */
function alternative(schema: Schema, value: object): Schema {
  const kind = (value as { kind?: unknown }).kind;
  const isOf = (own: Schema | undefined) => own?.const === kind || own?.enum?.includes(kind) === true;
  return schema.oneOf?.find((each) => isOf(each.properties?.kind)) ?? schema;
}

function comment(schema: Schema, indent: string): string {
  const { description, unit, minimum, maximum } = schema;
  const values = schema.enum === undefined ? '' : ` (${schema.enum.join(', ')})`;
  const range = minimum === undefined || maximum === undefined ? '' : `${unit ?? ''}, ${minimum} to ${maximum}: `;
  return description === undefined ? '' : `${indent}// ${range}${description}${values}\n`;
}
