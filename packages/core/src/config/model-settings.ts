// The settings of a model's section by their dotted names (`engine.threads`), read off the schema: what `--set` of a command
// may name, and what `--help all` says of each. Checks a value by the field's own schema, so in the words of the
// configuration. Never decides what a setting means.

import { z } from 'zod';
import { FaultError, fault } from '../base/fault.ts';
import { jsonOrText } from '../base/record.ts';
import { issueLine, issueWords } from './knob.ts';
import { modelSchema } from './model.ts';
import { bySections } from './plugin.ts';

/** `kinds`: of engine or verifier that have it, where not all have. */
export type ModelSetting = ReturnType<typeof settingOf>;

export const modelSettings = bySections(
  (sections): ReadonlyMap<string, ModelSetting> => byName(leaves(modelSchema(sections), [])),
);

/** The value that a text stands for; refused where the schema of the setting refuses it. */
export function settingValue({ name, schema }: ModelSetting, text: string): unknown {
  const parsed = schema.safeParse(valueOfText(schema, text), { error: issueWords });
  if (parsed.success) return parsed.data;
  const lines = parsed.error.issues.map(({ path, message }) =>
    issueLine([`--set ${name}`, ...path].join('.'), message),
  );
  throw new FaultError(fault('bad-setting', lines.join('; ')));
}

/** A text stays one even where it looks like a number; `\n` in it is a line break. A list may be JSON, or its only item. */
function valueOfText(schema: z.ZodType, text: string): unknown {
  const { type } = unwrapped(schema).def;
  if (type === 'number') return text.trim() === '' || Number.isNaN(Number(text)) ? text : Number(text);
  if (type === 'array') return text.startsWith('[') ? jsonOrText(text) : [unescaped(text)];
  return type === 'string' ? unescaped(text) : text;
}

function unescaped(text: string): string {
  return text.replaceAll('\\n', '\n');
}

function leaves(schema: z.ZodType, path: readonly string[], kinds?: readonly string[]): ModelSetting[] {
  const inner = unwrapped(schema);
  if (inner instanceof z.ZodObject)
    return Object.entries(inner.shape).flatMap(([key, each]) => leaves(each as z.ZodType, [...path, key], kinds));
  // A value that may be text or number has no more to list.
  if (inner instanceof z.ZodUnion && inner.options.every((each) => unwrapped(each as z.ZodType) instanceof z.ZodObject))
    return inner.options.flatMap((each) => leaves(each as z.ZodType, path, kindsOf(each as z.ZodType) ?? kinds));
  return [settingOf(schema, path.join('.'), kinds)];
}

function settingOf(schema: z.ZodType, name: string, kinds: readonly string[] | undefined) {
  const inner = unwrapped(schema);
  const { description = '', unit } = (schema.meta() ?? {}) as { readonly description?: string; readonly unit?: string };
  const fallback = schema instanceof z.ZodDefault ? (schema.def.defaultValue as unknown) : undefined;
  return {
    name,
    why: description,
    schema,
    unit,
    fallback,
    values: inner instanceof z.ZodEnum ? inner.options.map(String) : undefined,
    kinds,
  };
}

function kindsOf(alternative: z.ZodType): string[] | undefined {
  const { kind } = (unwrapped(alternative) as z.ZodObject).shape;
  if (kind === undefined) return undefined;
  return kind instanceof z.ZodEnum ? kind.options.map(String) : [String((kind as z.ZodLiteral).value)];
}

/** The schema of the value itself, without default or absence. */
function unwrapped(schema: z.ZodType): z.ZodType {
  const isWrapped =
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodPrefault ||
    schema instanceof z.ZodLazy;
  return isWrapped ? unwrapped(schema.unwrap() as z.ZodType) : schema;
}

/** A setting of several kinds is listed once. */
function byName(all: readonly ModelSetting[]): Map<string, ModelSetting> {
  const found = new Map<string, ModelSetting>();
  for (const each of all) {
    const before = found.get(each.name);
    const kinds = [...(before?.kinds ?? []), ...(each.kinds ?? [])];
    found.set(each.name, { ...(before ?? each), ...(kinds.length === 0 ? {} : { kinds: [...new Set(kinds)] }) });
  }
  return found;
}
