// Which turns of an agent mean the same, by hand; and that no schema or text, however hostile, is read without end.

import { describe, expect, it } from 'vitest';
import { sameAnswer } from './canonical.ts';
import { type AgentTurn, type OfferedTool, turnMeaning, turnReader } from './turns.ts';

const weather: OfferedTool = {
  name: 'weather',
  parameters: {
    type: 'object',
    properties: {
      city: { type: 'string' },
      days: { type: 'integer', minimum: 1, maximum: 14, default: 1 },
      unit: { enum: ['celsius', 'fahrenheit'], default: 'celsius' },
    },
    required: ['city'],
    additionalProperties: false,
  },
};
const anything: OfferedTool = { name: 'note' };
const tools = [weather, anything];

function called(...calls: readonly (readonly [name: string, text: string])[]): AgentTurn {
  return { calls: calls.map(([name, text]) => ({ name, arguments: text })) };
}

function meaningOf(text: string, parameters: unknown): string | undefined {
  return turnMeaning(called(['f', text]), [{ name: 'f', parameters }]);
}

describe('calls', () => {
  it.each<[string, AgentTurn, AgentTurn]>([
    ['order of names', called(['note', '{"a":1,"b":[2]}']), called(['note', ' { "b" : [2] , "a" : 1 } '])],
    ['numbers', called(['note', '{"a":100,"b":0}']), called(['note', '{"a":1e2,"b":-0.0}'])],
    ['letters', called(['note', '{"a":"é"}']), called(['note', '{"a":"\\u00e9"}'])],
    [
      'defaults',
      called(['weather', '{"city":"Oslo"}']),
      called(['weather', '{"unit":"celsius","days":1.0,"city":"Oslo"}']),
    ],
    [
      'order of calls',
      called(['note', '{"a":1}'], ['note', '{"a":2}']),
      called(['note', '{"a":2}'], ['note', '{"a":1}']),
    ],
    ['no arguments', called(['note', '']), called(['note', '{}'])],
    ['a name that comes twice', called(['note', '{"a":1,"a":2}']), called(['note', '{"a":2}'])],
    ['words beside them', { content: 'Let me see.', ...called(['note', '{}']) }, called(['note', '{}'])],
  ])('mean the same whatever their %s', (_, one, other) => {
    expect(turnMeaning(one, tools)).toBe(turnMeaning(other, tools));
    expect(turnMeaning(one, tools)).toBeTypeOf('string');
  });

  it.each<[string, AgentTurn, AgentTurn]>([
    ['functions', called(['note', '{"city":"Oslo"}']), called(['weather', '{"city":"Oslo"}'])],
    ['values', called(['weather', '{"city":"Oslo"}']), called(['weather', '{"city":"Oslo","days":2}'])],
    ['kinds', called(['note', '{"a":1}']), called(['note', '{"a":"1"}'])],
    ['order of items', called(['note', '{"a":[1,2]}']), called(['note', '{"a":[2,1]}'])],
    ['number of calls', called(['note', '{}']), called(['note', '{}'], ['note', '{}'])],
    ['identifiers', called(['note', '{"id":12345678901234567890}']), called(['note', '{"id":12345678901234567891}'])],
    ['names', called(['note', '{"__proto__":1}']), called(['note', '{}'])],
  ])('mean something else by other %s', (_, one, other) => {
    expect(turnMeaning(one, tools)).not.toBe(turnMeaning(other, tools));
  });

  it.each([
    ['a function that is not offered', 'wether', '{"city":"Oslo"}'],
    ['no JSON', 'note', "{'city': 'Oslo'}"],
    ['NaN', 'note', '{"a":NaN}'],
    ['no object', 'note', '[1]'],
    ['a text within a text', 'note', '"{}"'],
    ['a missing argument', 'weather', '{"days":2}'],
    ['an argument too many', 'weather', '{"city":"Oslo","when":"now"}'],
    ['another kind', 'weather', '{"city":"Oslo","days":"2"}'],
    ['a value that is not allowed', 'weather', '{"city":"Oslo","unit":"kelvin"}'],
    ['a number out of bounds', 'weather', '{"city":"Oslo","days":15}'],
  ])('mean nothing where one has %s', (_, name, text) => {
    expect(turnMeaning(called(['note', '{}'], [name, text]), tools)).toBeUndefined();
  });
});

describe('words', () => {
  it.each([
    ['The answer is 7.', 'So: \\boxed{7.0}', true],
    ['The answer is 7.', 'The answer is 8.', false],
    ['It is sunny.', 'The sun shines.', true],
    ['It is sunny.', 'The answer is 7.', false],
  ])('%j and %j', (one, other, isSame) => {
    const [a, b] = [one, other].map((content) => turnMeaning({ content, calls: [] }, tools));
    expect([a === b, a !== undefined]).toEqual([isSame, true]);
  });

  it('mean nothing where there are none', () => {
    for (const content of ['', ' \n', null, undefined])
      expect(turnMeaning({ content, calls: [] }, tools)).toBeUndefined();
  });

  it('are read as their question is', () => {
    const spoken = { content: 'They have 12 left.', calls: [] };
    expect(turnMeaning(spoken, tools, () => '12')).toBe('says 12');
  });
});

describe('a schema', () => {
  const $defs = {
    unit: { enum: ['m', 'km'] },
    list: { properties: { next: { $ref: '#/$defs/list' }, n: { type: 'integer' } } },
  };

  it.each<[string, unknown, string, string | undefined]>([
    ['is followed where it refers', { $defs, properties: { u: { $ref: '#/$defs/unit' } } }, '{"u":"cm"}', undefined],
    ['may lead to itself', { $defs, $ref: '#/$defs/list' }, '{"next":{"next":{"n":"1"}}}', undefined],
    ['binds nothing where it leads out', { $ref: 'https://a.b/c' }, '{"u":1}', '{"u":1}'],
    ['binds nothing by what it inherits', { $ref: '#/constructor' }, '{"u":1}', '{"u":1}'],
    ['wants all of allOf', { allOf: [{ required: ['a'] }, { required: ['b'] }] }, '{"a":1}', undefined],
    [
      'wants one of anyOf',
      { properties: { a: { anyOf: [{ type: 'null' }, { type: 'string' }] } } },
      '{"a":1}',
      undefined,
    ],
    ['holds every item', { properties: { a: { items: { type: 'string' } } } }, '{"a":["b",1]}', undefined],
    ['may take null', { properties: { a: { type: 'string', nullable: true } } }, '{"a":null}', '{"a":null}'],
    ['may allow nothing', { properties: { a: false } }, '{"a":null}', undefined],
    ['may name kinds that are none', { type: 'dict', properties: { a: { type: 'any' } } }, '{"a":1}', '{"a":1}'],
    [
      'is told of large integers',
      { properties: { a: { type: 'integer' } } },
      '{"a":12345678901234567890}',
      '{"a":12345678901234567890}',
    ],
    [
      'gives defaults within',
      { properties: { a: { properties: { b: { default: 2 } } } } },
      '{"a":{}}',
      '{"a":{"b":2}}',
    ],
    ['gives a default that breaks it', { properties: { a: { type: 'string', default: null } } }, '{}', '{"a":null}'],
    [
      'gives the defaults of the alternative that fits',
      { anyOf: [{ required: ['b'], properties: { c: { default: 1 } } }, { properties: { c: { default: 2 } } }] },
      '{"a":1}',
      '{"a":1,"c":2}',
    ],
  ])('%s', (_, schema, text, meaning) => {
    expect(meaningOf(text, schema)).toBe(meaning && `calls "f"${meaning}`);
  });

  it('that a broken one mocks binds nothing and breaks nothing', () => {
    const odd = { toString: 1, valueOf: 1 };
    const mocking = {
      type: odd,
      enum: odd,
      required: [odd],
      minimum: odd,
      properties: odd,
      items: odd,
      $ref: odd,
      allOf: odd,
    };
    expect(meaningOf('{"a":[1,"b"]}', mocking)).toBe('calls "f"{"a":[1,"b"]}');
    expect(meaningOf('{"a":1}', { properties: { a: mocking } })).toBe('calls "f"{"a":1}');
  });
});

describe('is read in bounded time and depth', () => {
  const nested = (depth: number, inner = '1') => '{"a":'.repeat(depth) + inner + '}'.repeat(depth);
  /** 2^40 ways lead down. */
  const doubling = {
    $ref: '#/$defs/0',
    $defs: Object.fromEntries(
      Array.from({ length: 40 }, (_, at) => [
        at,
        { allOf: [{ $ref: `#/$defs/${at + 1}` }, { $ref: `#/$defs/${at + 1}` }] },
      ]),
    ),
  };
  let deep: unknown = {};
  for (let depth = 0; depth < 40_000; depth += 1) deep = { allOf: [deep], default: deep };

  it.each<[string, unknown]>([
    ['that refers to itself', { $ref: '#' }],
    ['that wants itself twice', { allOf: [{ $ref: '#' }, { $ref: '#' }] }],
    ['that doubles', doubling],
    ['that lies 40,000 deep', deep],
    ['whose default lies 40,000 deep', { properties: { b: deep } }],
    ['whose default wants its own', { properties: { b: { $ref: '#', default: {} } } }],
  ])('a schema %s: its calls count as they are written', (_, schema) => {
    expect(meaningOf('{"a":1}', schema)).toMatch(/^calls "f"\{"a":1[,}]/);
  });

  it('alternatives in every level', () => {
    const tree = { type: 'object', properties: { a: { anyOf: [{ $ref: '#' }, { $ref: '#' }] } } };
    expect(meaningOf(nested(5), tree)).toBeUndefined();
    expect(meaningOf(nested(60), tree)).toBe(`calls "f"${nested(60)}`);
  });

  it.each([
    ['40,000 levels', nested(40_000)],
    ['40,000 levels and a long number', nested(40_000, '12345678901234567890')],
    ['a million brackets', '['.repeat(1e6)],
  ])('%s mean nothing', (_, text) => {
    expect(meaningOf(text, { properties: { a: { $ref: '#' } } })).toBeUndefined();
  });

  it('a megabyte, many calls, many functions', () => {
    const long = `{"a":[${'7,'.repeat(500_000)}7]}`;
    expect(meaningOf(long, { properties: { a: { items: { type: 'integer' } } } })).toBe(`calls "f"${long}`);
    expect(meaningOf(long, { properties: { a: { items: { type: 'string' } } } })).toBeUndefined();
    const many = Array.from({ length: 500 }, (_, at) => ({ name: `f${at}`, parameters: doubling }));
    const calls = many.map(({ name }) => [name, '{}'] as const);
    expect(turnMeaning(called(...calls), many)).toBe(turnMeaning(called(...calls.toReversed()), many));
  });
});

describe('a choice of tools', () => {
  const fields = {
    tools: [
      { type: 'function', function: { name: 'note' } },
      { type: 'function', function: weather },
    ],
  };
  const says: AgentTurn = { content: 'The answer is 7.', calls: [] };
  const read = () => '7';
  const meanings = (tool_choice: unknown) => {
    const meaning = turnReader({ ...fields, tool_choice }, read);
    return [meaning(says), meaning(called(['note', '{}'])), meaning(called(['weather', '{"city":"Oslo"}']))].map(
      Boolean,
    );
  };

  it.each([
    ['auto', [true, true, true]],
    [undefined, [true, true, true]],
    ['required', [false, true, true]],
    ['none', [true, false, false]],
    [{ type: 'function', function: { name: 'note' } }, [false, true, false]],
  ])('%j is part of what a turn may mean', (choice, known) => {
    expect(meanings(choice)).toEqual(known);
  });

  it('letters of arguments count, unlike those of an answer in words', () => {
    const [oslo, other] = ['Oslo', 'OSLO'].map(
      (city) => turnReader(fields, read)(called(['weather', `{"city":"${city}"}`]))!,
    );
    expect([sameAnswer(oslo!, other!), sameAnswer(oslo!, oslo!)]).toEqual([false, true]);
  });
});
