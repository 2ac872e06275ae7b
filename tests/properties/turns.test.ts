// Turns of an agent by value: however one is written it means the same, two values never do, a schema allows what another reader of JSON
// schemas allows, and nothing that a model or a client can write throws or runs without end.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { turnMeaning } from '../../packages/core/src/answer/turns.ts';

type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

const fields = fc.dictionary(fc.string(), fc.jsonValue() as fc.Arbitrary<Json>, { maxKeys: 5 });

function meaningOf(text: string, parameters?: unknown): string | undefined {
  return turnMeaning({ calls: [{ name: 'f', arguments: text }] }, [{ name: 'f', parameters }]);
}

/** The same value in another hand: names in another order, spaces, exponents, escapes. */
function rewritten(value: Json, turn: () => number): string {
  const space = ' \n\t'.slice(0, turn() % 4);
  if (typeof value === 'number' && /^-?\d+$/.test(`${value}`) && turn() % 2 === 0) return `${value}.0${space}`;
  if (typeof value === 'number' && turn() % 2 === 0) return `${value.toExponential()}${space}`;
  if (typeof value === 'string') return turn() % 2 === 0 ? escaped(value) : JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((each: Json) => space + rewritten(each, turn)).join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) + space;
  const entries = Object.entries(value).map(([name, each]) => `${escaped(name)}${space}:${rewritten(each, turn)}`);
  return `{${(turn() % 2 === 0 ? entries.toReversed() : entries).join()}${space}}`;
}

function escaped(text: string): string {
  const unit = (at: number) => `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`;
  return `"${Array.from({ length: text.length }, (_, at) => unit(at)).join('')}"`;
}

/** Without -0, which is 0. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

describe('arguments', () => {
  it('mean the same in every hand', () => {
    fc.assert(
      fc.property(fields, fc.infiniteStream(fc.nat(11)), (value, stream) => {
        const text = rewritten(value as Json, () => stream.next().value!);
        expect(meaningOf(text)).toBe(meaningOf(JSON.stringify(value)));
      }),
    );
  });

  it('mean the same only where they are', () => {
    fc.assert(
      fc.property(fields, fields, (one, other) => {
        const isSame = meaningOf(JSON.stringify(one)) === meaningOf(JSON.stringify(other));
        expect(isSame).toBe(sorted(one) === sorted(other));
      }),
    );
  });

  it('are written down whole', () => {
    fc.assert(
      fc.property(fields, (value) => {
        const meaning = meaningOf(JSON.stringify(value))!;
        expect(plain(JSON.parse(meaning.slice('calls "f"'.length)))).toEqual(plain(value));
      }),
    );
  });
});

function sorted(value: unknown): string {
  return JSON.stringify(plain(value), (_, each: unknown) =>
    typeof each === 'object' && each !== null && !Array.isArray(each)
      ? Object.fromEntries(
          Object.entries(each)
            .map(([name, inner]) => [` ${name}`, inner] as const)
            .sort(([a], [b]) => (a < b ? -1 : 1)),
        )
      : each,
  );
}

describe('calls', () => {
  it('have no order, and a name and arguments never run into one another', () => {
    const call = fc.record({
      name: fc.constantFrom('f', 'f"{}', 'g'),
      arguments: fields.map((value) => JSON.stringify(value)),
    });
    const offered = ['f', 'f"{}', 'g'].map((name) => ({ name }));
    const lists = fc.array(call, { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(lists, lists, fc.nat(3), (one, other, by) => {
        const turned = [...one.slice(by), ...one.slice(0, by)];
        expect(turnMeaning({ calls: turned }, offered)).toBe(turnMeaning({ calls: one }, offered));
        const key = (calls: typeof one) =>
          JSON.stringify(calls.map((each) => [each.name, sorted(JSON.parse(each.arguments))].join('\0')).sort());
        const isSame = turnMeaning({ calls: one }, offered) === turnMeaning({ calls: other }, offered);
        expect(isSame).toBe(key(one) === key(other));
      }),
    );
  });
});

const leaf = fc.constantFrom<Json>(
  { type: 'string' },
  { type: 'integer' },
  { type: 'number', minimum: 0, maximum: 3 },
  { type: 'boolean' },
  { type: 'null' },
  { enum: ['a', 1, null] },
  { const: 'a' },
);
const { schema } = fc.letrec<{ schema: Json }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    leaf,
    tie('schema').map((items): Json => ({ type: 'array', items })),
    fc.array(tie('schema'), { minLength: 1, maxLength: 3 }).map((anyOf): Json => ({ anyOf })),
    fc
      .record({ a: tie('schema'), b: tie('schema'), isClosed: fc.boolean(), required: fc.subarray(['a', 'b']) })
      .map(({ a, b, isClosed, required }): Json => {
        return { type: 'object', properties: { a, b }, required, ...(isClosed && { additionalProperties: false }) };
      }),
  ),
}));
const { value: fitting } = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.constantFrom<Json>('a', 'b', 0, 1, 2.5, 7, true, null),
    fc.array(tie('value'), { maxLength: 2 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('value'), { maxKeys: 3 }),
  ),
}));

describe('a schema', () => {
  it('allows what another reader allows', () => {
    let allowed = 0;
    fc.assert(
      fc.property(schema, fitting, (inner, value) => {
        const whole = { type: 'object', properties: { x: inner }, required: ['x'] };
        const isAllowed = z.fromJSONSchema(whole as never).safeParse({ x: value }).success;
        allowed += Number(isAllowed);
        expect(meaningOf(JSON.stringify({ x: value }), whole) !== undefined).toBe(isAllowed);
      }),
      { numRuns: 1000 },
    );
    expect(allowed).toBeGreaterThan(50);
  });

  it('takes a default that is told and one that is left out for the same', () => {
    const defaults = fc.dictionary(fc.constantFrom('a', 'b', 'c', '__proto__'), fc.jsonValue() as fc.Arbitrary<Json>);
    fc.assert(
      fc.property(defaults, fc.subarray(['a', 'b', 'c', '__proto__']), (given, kept) => {
        const entries = Object.entries(given);
        const properties = Object.fromEntries(entries.map(([name, each]) => [name, { default: each }] as const));
        const told = Object.fromEntries(entries.filter(([name]) => kept.includes(name)));
        expect(meaningOf(JSON.stringify(told), { properties })).toBe(meaningOf(JSON.stringify(given), { properties }));
      }),
    );
  });

  const keywords = [
    '$ref',
    'type',
    'nullable',
    'enum',
    'const',
    'default',
    'minimum',
    'maximum',
    'required',
    'properties',
    'additionalProperties',
    'patternProperties',
    'items',
    'allOf',
    'anyOf',
    'oneOf',
    '$defs',
    'a',
  ];
  const { wild } = fc.letrec<{ wild: unknown }>((tie) => ({
    wild: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      fc.constantFrom<unknown>('#', '#/$defs/a', '#/a', 'string', 'object', 'a', 0, -1, true, false, null, {
        toString: 1,
        valueOf: 1,
      }),
      fc.jsonValue(),
      fc.array(tie('wild'), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom(...keywords), tie('wild'), { maxKeys: 5 }),
    ),
  }));

  it('of any kind ends and throws nothing, whatever the text', () => {
    const text = fc.oneof(
      fc.string(),
      fields.map((value) => JSON.stringify(value)),
      fc.dictionary(fc.constantFrom(...keywords), fc.jsonValue()).map((value) => JSON.stringify(value)),
    );
    fc.assert(
      fc.property(wild, text, (parameters, written) => {
        const meaning = meaningOf(written, parameters);
        expect(meaning === undefined || meaning.startsWith('calls "f"{')).toBe(true);
        expect(meaningOf(` ${written} `, parameters)).toBe(meaning);
      }),
      { numRuns: 1000 },
    );
  });
});
