// A JSON schema as a grammar of llama.cpp (GBNF). Every text of the grammar fits the schema, but not the reverse: members keep the schema's
// order, tokens have at most one space between them, and only named members appear. Unsupported keywords are refused by name.

import { isRecord, raise } from '@coppice/core/base';
import type { JsonSchema } from '@coppice/core/engine';

export function schemaGrammar(schema: JsonSchema): string {
  return new SchemaGrammar(schema).text();
}

/** Keywords that do not restrict values. */
const annotations: ReadonlySet<string> = new Set(
  '$schema $id $comment $defs definitions title description default examples deprecated readOnly writeOnly strict'.split(
    ' ',
  ),
);

/** Supported keywords of each kind of schema. */
const supported = {
  object: ['type', 'properties', 'required', 'additionalProperties'],
  array: ['type', 'items', 'minItems', 'maxItems'],
  string: ['type', 'minLength', 'maxLength'],
  number: ['type'],
  integer: ['type'],
  boolean: ['type'],
  null: ['type'],
} as const;

type TypeName = keyof typeof supported;

const character = '( [^"\\\\\\x7F\\x00-\\x1F] | "\\\\" ( ["\\\\bfnrt/] | "u" [0-9a-fA-F]{4} ) )';
const whole = '"-"? ( "0" | [1-9] [0-9]{0,15} )';

const shared: Readonly<Record<string, string>> = {
  space: '" "?',
  string: `"\\"" ${character}* "\\""`,
  integer: whole,
  number: `${whole} ( "." [0-9]{1,15} )? ( [eE] [-+]? [0-9]{1,3} )?`,
  boolean: '"true" | "false"',
  null: '"null"',
  value: 'object | array | string | number | boolean | null',
  member: 'string ":" space value',
  object: '"{" ( member ( "," space member )* )? "}"',
  array: '"[" ( value ( "," space value )* )? "]"',
};

class SchemaGrammar {
  readonly #root: JsonSchema;
  readonly #rules = new Map<string, string>();
  /** Rule names of definitions by their address, so that a definition may refer to itself. */
  readonly #definitions = new Map<string, string>();

  constructor(schema: JsonSchema) {
    this.#root = schema;
  }

  text(): string {
    this.#rules.set('root', '');
    this.#rules.set('root', this.#schema(this.#root, 'the schema'));
    const own = [...this.#rules].map(([name, body]) => `${name} ::= ${body}`);
    return [...own, ...Object.entries(shared).map(([name, body]) => `${name} ::= ${body}`)].join('\n');
  }

  #schema(value: unknown, where: string): string {
    if (value === true) return 'value';
    if (!isRecord(value)) return raise('unsupported', `${where} is no schema that a value can fit`);
    const said = Object.keys(value).filter((key) => !annotations.has(key));
    if (said.length === 0) return 'value';
    if (value.$ref !== undefined) return this.#alone(value, '$ref', where) && this.#reference(value.$ref, where);
    if (value.const !== undefined) return literal(value.const);
    if (value.enum !== undefined) return this.#oneOf(list(value.enum, `${where}.enum`).map(literal));
    for (const key of ['anyOf', 'oneOf', 'allOf'] as const) {
      if (value[key] === undefined || !this.#alone(value, key, where)) continue;
      const parts = list(value[key], `${where}.${key}`).map((each, at) => this.#schema(each, `${where}.${key}.${at}`));
      if (key === 'allOf' && parts.length > 1) raise('unsupported', `${where}.allOf has several schemas`);
      return this.#oneOf(parts);
    }
    return this.#typed(value, where);
  }

  #typed(value: JsonSchema, where: string): string {
    const types = typesOf(value, where);
    const known = new Set<string>(types.flatMap((type) => supported[type] as readonly string[]));
    const unsupported = Object.keys(value).find((key) => !annotations.has(key) && !known.has(key));
    if (unsupported !== undefined)
      raise('unsupported', `${where} has '${unsupported}', which the embedded engine does not support`);
    return this.#oneOf(types.map((type) => this.#ofType(type, value, where)));
  }

  #ofType(type: TypeName, value: JsonSchema, where: string): string {
    if (type === 'object') return this.#object(value, where);
    if (type === 'array') return this.#array(value, where);
    if (type !== 'string') return type;
    const bounds = repeat(value.minLength, value.maxLength, where);
    return bounds === '*' ? 'string' : this.#rule(`"\\"" ${character}${bounds} "\\""`);
  }

  /** Two chains of rules: for members while the object is empty, and for members after a comma. */
  #object(value: JsonSchema, where: string): string {
    const { properties, additionalProperties: others } = value;
    const required = new Set(list(value.required ?? [], `${where}.required`));
    const described = isRecord(properties) ? properties : {};
    const members = Object.entries(described);
    if (members.length === 0) return this.#map(others, required.size === 0, where);
    const missing = [...required].find((name) => !Object.hasOwn(described, String(name)));
    if (missing !== undefined)
      raise('unsupported', `${where} requires '${String(missing)}', which it does not describe`);
    let first = '""';
    let later = '""';
    for (const [name, schema] of members.toReversed()) {
      const member = `${literal(name)} ":" space ${this.#schema(schema, `${where}.${name}`)}`;
      const isOptional = !required.has(name);
      const next = this.#rule(later);
      first = isOptional ? `${member} ${next} | ${this.#rule(first)}` : `${member} ${next}`;
      later = isOptional ? `"," space ${member} ${next} | ${next}` : `"," space ${member} ${next}`;
    }
    return this.#rule(`"{" ${this.#rule(first)} "}"`);
  }

  #map(others: unknown, mayBeEmpty: boolean, where: string): string {
    if (!mayBeEmpty) raise('unsupported', `${where} requires members that it does not describe`);
    if (others === false) return this.#rule('"{}"');
    if (others === undefined || others === true) return 'object';
    const member = this.#rule(`string ":" space ${this.#schema(others, `${where}.additionalProperties`)}`);
    return this.#rule(`"{" ( ${member} ( "," space ${member} )* )? "}"`);
  }

  #array({ items = true, minItems, maxItems }: JsonSchema, where: string): string {
    const [least, most] = boundsOf(minItems, maxItems, where);
    if (most === 0) return this.#rule('"[]"');
    const item = this.#rule(this.#schema(items, `${where}.items`));
    const more = `( "," space ${item} )${repeat(Math.max(0, least - 1), most === undefined ? undefined : most - 1, where)}`;
    return this.#rule(least === 0 ? `"[" ( ${item} ${more} )? "]"` : `"[" ${item} ${more} "]"`);
  }

  #reference(address: unknown, where: string): string {
    const known = this.#definitions.get(String(address));
    if (known !== undefined) return known;
    const name = `definition-${this.#definitions.size}`;
    this.#definitions.set(String(address), name);
    this.#rules.set(name, this.#schema(this.#find(address, where), String(address)));
    return name;
  }

  #find(address: unknown, where: string): unknown {
    if (address === '#') return this.#root;
    const path = typeof address === 'string' && address.startsWith('#/') ? address.slice(2).split('/') : undefined;
    const found = path?.reduce<unknown>((at, name) => (isRecord(at) ? at[unescaped(name)] : undefined), this.#root);
    return found ?? raise('unsupported', `${where} refers to '${String(address)}', which is not in the schema`);
  }

  /** Refuses a schema that has keywords besides its reference or choice. */
  #alone(value: JsonSchema, key: string, where: string): true {
    const other = Object.keys(value).find((each) => each !== key && !annotations.has(each));
    if (other !== undefined) raise('unsupported', `${where} has '${other}' beside '${key}'`);
    return true;
  }

  #oneOf(parts: readonly string[]): string {
    return parts.length === 1 ? parts[0]! : this.#rule(parts.join(' | '));
  }

  #rule(body: string): string {
    const name = `part-${this.#rules.size}`;
    this.#rules.set(name, body);
    return name;
  }
}

function typesOf({ type, properties, items }: JsonSchema, where: string): TypeName[] {
  const named = type ?? (properties === undefined ? (items === undefined ? undefined : 'array') : 'object');
  const names = Array.isArray(named) ? named : [named];
  return names.map((name) =>
    typeof name === 'string' && Object.hasOwn(supported, name)
      ? (name as TypeName)
      : raise('unsupported', `${where} has the type '${String(name)}', which JSON does not have`),
  );
}

function literal(value: unknown): string {
  return JSON.stringify(JSON.stringify(value));
}

function repeat(least: unknown, most: unknown, where: string): string {
  const [from, to] = boundsOf(least, most, where);
  if (to === undefined) return from === 0 ? '*' : `{${from},}`;
  return `{${from},${to}}`;
}

/** libllama takes minutes to read grammars with longer repetitions. */
const mostRepeated = 2000;

function boundsOf(least: unknown = 0, most: unknown = undefined, where = ''): [number, number | undefined] {
  for (const bound of [least, most ?? 0])
    if (!(Number.isInteger(bound) && (bound as number) >= 0 && (bound as number) <= mostRepeated))
      raise('unsupported', `${where} has a bound of ${String(bound)}; it must be from 0 to ${mostRepeated}`);
  if (most !== undefined && (most as number) < (least as number))
    raise('unsupported', `${where} has bounds that exclude all`);
  return [least as number, most as number | undefined];
}

function list(value: unknown, where: string): readonly unknown[] {
  return Array.isArray(value) ? value : raise('unsupported', `${where} is no list`);
}

function unescaped(name: string): string {
  return name.replaceAll('~1', '/').replaceAll('~0', '~');
}
