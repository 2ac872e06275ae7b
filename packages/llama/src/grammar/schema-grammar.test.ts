import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FaultError } from '../../../core/src/base/fault.ts';
import { schemaGrammar } from './schema-grammar.ts';

/** Only the rules that are not part of every grammar. */
function own(schema: object): string {
  const lines = schemaGrammar(schema as Record<string, unknown>).split('\n');
  return lines
    .slice(
      0,
      lines.findIndex((line) => line.startsWith('space ::=')),
    )
    .join('\n');
}

describe('a schema as a grammar', () => {
  test('members stand in order, optional ones may be left out, with commas between those that are there', () => {
    const schema = {
      type: 'object',
      properties: { a: { type: 'number' }, b: { type: 'boolean' } },
      required: ['b'],
    };
    expect(own(schema)).toBe(
      [
        'root ::= part-5',
        'part-1 ::= ""',
        'part-2 ::= "," space "\\"b\\"" ":" space boolean part-1',
        'part-3 ::= "\\"b\\"" ":" space boolean part-1',
        'part-4 ::= "\\"a\\"" ":" space number part-2 | part-3',
        'part-5 ::= "{" part-4 "}"',
      ].join('\n'),
    );
  });

  test('values, choices, lists and definitions that name themselves', () => {
    expect(own({ enum: ['x', 1, null] })).toContain('"\\"x\\"" | "1" | "null"');
    expect(own({ type: ['string', 'null'] })).toContain('string | null');
    expect(own({ type: 'array', items: { type: 'string' }, minItems: 1, maxItems: 3 })).toContain('{0,2}');
    const tree = { type: 'object', properties: { below: { type: 'array', items: { $ref: '#' } } } };
    expect(own(tree)).toMatch(/definition-0 ::= part-\d+/);
    expect(own({ type: 'object', additionalProperties: { type: 'integer' } })).toContain('string ":" space integer');
  });

  test.each([
    [{ type: 'objct' }, /has the type 'objct'/],
    [{ type: 'string', pattern: '^a' }, /'pattern', which the embedded engine does not support/],
    [{ type: 'number', minimum: 3 }, /'minimum'/],
    [{ $ref: '#/$defs/none' }, /is not in the schema/],
    [{ type: 'object', required: ['a'] }, /requires members/],
    [{ type: 'array', minItems: 3, maxItems: 2 }, /exclude all/],
    [{ allOf: [{ type: 'string' }, { type: 'number' }] }, /several schemas/],
    [{ type: 'object', properties: { a: false } }, /no schema that a value can fit/],
  ])('what cannot be kept to is refused by name: %o', (schema, message) => {
    expect(() => schemaGrammar(schema)).toThrow(message);
  });

  test('whatever is said to be a schema is a grammar or a refusal', () => {
    const key = fc.constantFrom(
      'type',
      'properties',
      'required',
      'items',
      'enum',
      'anyOf',
      '$ref',
      'minItems',
      'const',
      'a',
    );
    const leaf = fc.oneof(
      fc.constantFrom('object', 'array', 'string', 'number', '#', '#/$defs/a', 'a'),
      fc.jsonValue({ maxDepth: 1 }),
    );
    const { schema } = fc.letrec((tie) => ({
      schema: fc.dictionary(key, tie('value'), { maxKeys: 4 }),
      value: fc.oneof({ depthSize: 'small' }, leaf, tie('schema'), fc.array(tie('schema'), { maxLength: 3 })),
    }));
    fc.assert(
      fc.property(schema, (each) => {
        try {
          expect(schemaGrammar(each as Record<string, unknown>)).toMatch(/^root ::= /);
        } catch (error) {
          expect(error).toBeInstanceOf(FaultError);
        }
      }),
    );
  });
});
