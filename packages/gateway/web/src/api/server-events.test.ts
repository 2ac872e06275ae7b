import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ServerEventParser } from './server-events.ts';

const stream = [
  'retry: 1000',
  '',
  'id: 0',
  'event: entry',
  'data: {"a":1}',
  '',
  ': heart-beat',
  '',
  'data: one',
  'data:two',
  '',
  'event: end',
  'data: {}',
  '',
  'data: never finished',
].join('\n');

const expected = [
  { event: 'entry', data: '{"a":1}', id: '0' },
  { event: 'message', data: 'one\ntwo', id: '0' },
  { event: 'end', data: '{}', id: '0' },
];

describe('server-sent events', () => {
  it('gives the same messages wherever the stream is cut, with any line ends', () => {
    const ends = fc.constantFrom('\n', '\r\n', '\r');
    fc.assert(
      fc.property(ends, fc.array(fc.nat(stream.length + 20), { maxLength: 12 }), (end, cuts) => {
        const text = stream.replaceAll('\n', end);
        const parser = new ServerEventParser();
        const places = [0, ...cuts.toSorted((a, b) => a - b), text.length];
        const pieces = places.slice(1).map((to, at) => text.slice(places[at], to));
        expect(pieces.flatMap((piece) => parser.push(piece))).toEqual(expected);
      }),
    );
  });
});
