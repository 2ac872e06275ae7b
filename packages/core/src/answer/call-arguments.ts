// The arguments of a call by value: held against their JSON schema, defaults filled in, names in order. Strangers write schemas that take
// libraries exponential time or the whole stack, and a `pattern` may never end: it binds nothing here, and all reading is bounded.

import { isRecord } from '../base/record.ts';

type Schema = Readonly<Record<string, unknown>>;

/** A step of a turn reads a value, a schema, or 16 letters or items of one; depth counts values and schemas within each other. */
const [leastSteps, stepsPerLetter, deepest] = [50_000, 2, 300];

/** Writes equal arguments as one text, in a turn of so many calls; undefined if they are no JSON object or break the schema. */
export function callArguments(text: string, schema: unknown, calls: number): string | undefined {
  const fields = fieldsIn(text);
  return fields && new ArgumentsReading(schema, leastSteps / calls + stepsPerLetter * text.length).meaning(fields);
}

/** An empty text has no arguments. The last value of a repeated name counts, as for every client. */
function fieldsIn(text: string): Schema | undefined {
  try {
    const value: unknown = JSON.parse(text.trim() || '{}', /\d{16}/.test(text) ? exact : undefined);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Identifiers may have more digits than a float keeps. */
function exact(_: string, value: unknown, { source = '' }: { readonly source?: string } = {}): unknown {
  const isRounded = Number.isInteger(value) && !Number.isSafeInteger(value);
  return isRounded && /^-?\d+$/.test(source) ? BigInt(source) : value;
}

/** Keywords that are not named here bind nothing. Nor does a schema that takes more steps than there are: its calls are compared as written. */
class ArgumentsReading {
  readonly #root: unknown;
  #steps: number;

  constructor(root: unknown, steps: number) {
    this.#root = root;
    this.#steps = steps;
  }

  meaning(fields: Schema): string | undefined {
    const meaning = this.#read(fields, [this.#root], 0);
    if (this.#steps >= 0) return meaning;
    this.#steps = Number.POSITIVE_INFINITY;
    return this.#read(fields, [], 0);
  }

  /** Undefined where the value breaks one of the schemas, or lies too deep. */
  #read(value: unknown, given: readonly unknown[], depth: number): string | undefined {
    this.#spend(depth, value, given);
    const schemas = this.#steps < 0 ? [] : given.flatMap((each) => this.#expanded(value, each, depth));
    if (this.#steps < 0 || !schemas.every((schema) => isAllowed(value, schema))) return undefined;
    if (isRecord(value)) return this.#readFields(value, schemas, depth + 1);
    if (!Array.isArray(value)) return typeof value === 'string' ? JSON.stringify(value) : String(value);
    const items = schemas.map((schema) => schema.items);
    const read = value.map((each) => this.#read(each, items, depth + 1));
    return read.includes(undefined) ? undefined : `[${read.join()}]`;
  }

  #readFields(value: Schema, schemas: readonly Schema[], depth: number): string | undefined {
    const left = schemas.flatMap(({ properties }) => {
      const defaults = isRecord(properties) ? defaultsIn(properties) : [];
      this.#steps -= defaults.length;
      return this.#steps < 0 ? [] : defaults;
    });
    const filled = { ...Object.fromEntries(left), ...value };
    const read = Object.entries(filled).map(([name, each]) => {
      const isGiven = this.#steps >= 0 && Object.hasOwn(value, name);
      const text = this.#read(each, isGiven ? schemas.map((schema) => fieldSchema(schema, name)) : [], depth);
      return text && `${JSON.stringify(name)}:${text}`;
    });
    return read.includes(undefined) ? undefined : `{${read.sort().join()}}`;
  }

  /** A schema (`false` as one of no type), those that it refers to or wants as well, and of `anyOf` or `oneOf` the first that the value keeps to. */
  #expanded(value: unknown, schema: unknown, depth: number): readonly Schema[] {
    if (!isRecord(schema)) return schema === false ? [{ type: [] }] : [];
    const { $ref, allOf, anyOf, oneOf } = schema;
    this.#spend(depth, $ref, schema.type, schema.enum, schema.required, allOf, anyOf, oneOf);
    if (this.#steps < 0) return [];
    const chosen = [anyOf, oneOf].filter(Array.isArray).map((branches) => {
      return branches.find((each) => this.#steps < 0 || this.#read(value, [each], depth + 1) !== undefined) ?? false;
    });
    const others = [this.#target($ref), ...(Array.isArray(allOf) ? allOf : []), ...chosen];
    return [schema, ...others.flatMap((each) => this.#expanded(value, each, depth + 1))];
  }

  /** Where `#/$defs/name` leads; undefined, which binds nothing, outside of this schema. */
  #target($ref: unknown): unknown {
    const [root, ...path] = typeof $ref === 'string' ? $ref.split('/') : [];
    const step = (at: unknown, name: string) => (isRecord(at) && Object.hasOwn(at, name) ? at[name] : undefined);
    return root === '#' ? path.reduce(step, this.#root) : undefined;
  }

  #spend(depth: number, ...parts: readonly unknown[]): void {
    this.#steps = depth > deepest ? Number.NEGATIVE_INFINITY : this.#steps - 1;
    for (const part of parts) if (typeof part === 'string' || Array.isArray(part)) this.#steps -= part.length / 16;
  }
}

const listed = new WeakMap<Schema, readonly (readonly [name: string, value: unknown])[]>();
/** Listed once: a turn may have a thousand calls, and a schema ten thousand fields. */
function defaultsIn(properties: Schema) {
  const fields = Object.entries(listed.has(properties) ? {} : properties);
  const left = fields.filter(([, each]) => isRecord(each) && Object.hasOwn(each, 'default'));
  const defaults = listed.get(properties) ?? left.map(([name, each]) => [name, (each as Schema).default] as const);
  listed.set(properties, defaults);
  return defaults;
}

function fieldSchema({ properties, additionalProperties, patternProperties }: Schema, name: string): unknown {
  if (isRecord(properties) && Object.hasOwn(properties, name)) return properties[name];
  return patternProperties === undefined ? additionalProperties : undefined;
}

/** Whether a schema allows a value, whatever it wants of what lies within: of lists and objects among its choices one is as good as another. */
function isAllowed(value: unknown, schema: Schema): boolean {
  const { type, nullable, required, minimum, maximum } = schema;
  if (![type, nullable === true ? 'null' : []].flat().some((kind) => isOfKind(value, kind))) return false;
  const choices = Object.hasOwn(schema, 'const') ? [schema.const] : schema.enum;
  const isSame = (each: unknown) => each === value || (each instanceof Object && value instanceof Object);
  if (Array.isArray(choices) && !choices.some(isSame)) return false;
  if (isRecord(value))
    return !Array.isArray(required) || required.every((name) => typeof name !== 'string' || Object.hasOwn(value, name));
  const isBelow = (one: unknown, other: unknown) => typeof one === 'number' && typeof other === 'number' && one < other;
  return !isBelow(value, minimum) && !isBelow(maximum, value);
}

function isOfKind(value: unknown, kind: unknown): boolean {
  if (kind === 'integer') return typeof value === 'bigint' || Number.isInteger(value);
  if (kind === 'number') return typeof value === 'bigint' || typeof value === 'number';
  if (kind === 'array') return Array.isArray(value);
  if (kind === 'object') return isRecord(value);
  if (kind === 'null') return value === null;
  return kind === 'string' || kind === 'boolean' ? typeof value === kind : true;
}
