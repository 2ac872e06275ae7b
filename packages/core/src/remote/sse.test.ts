import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SseParser } from './sse.ts';

function parseInPieces(stream: string, sizes: readonly number[]): string[] {
  const bytes = new TextEncoder().encode(stream);
  const parser = new SseParser();
  const events: string[] = [];
  let at = 0;
  for (let turn = 0; at < bytes.length; turn += 1) {
    const size = sizes.length === 0 ? bytes.length : Math.max(1, sizes[turn % sizes.length]!);
    events.push(...parser.push(bytes.subarray(at, at + size)));
    at += size;
  }
  return [...events, ...parser.end()];
}

const line = fc.string({ unit: 'grapheme' }).map((text) => text.replace(/[\r\n]/g, ''));

describe('SseParser', () => {
  it('gives the same events however the bytes are split', () => {
    const event = fc.record({ data: line, comment: fc.option(line), end: fc.constantFrom('\n', '\r\n', '\r') });
    fc.assert(
      fc.property(fc.array(event), fc.array(fc.integer({ min: 1, max: 9 })), (events, sizes) => {
        const stream = events
          .map(({ data, comment, end }) => {
            const before = comment === null ? '' : `:${comment}${end}${end}`;
            return `${before}data: ${data}${end}${end}`;
          })
          .join('');
        expect(parseInPieces(stream, sizes)).toEqual(events.map(({ data }) => data));
      }),
    );
  });

  it('joins the data lines of one event and takes a missing space', () => {
    expect(parseInPieces('event: x\nid: 7\ndata: a\ndata:b\n\n', [])).toEqual(['a\nb']);
  });

  it('takes a lone carriage return for the end of a line, also at the end of a chunk', () => {
    expect(parseInPieces('data: a\r\rdata: b\r\r', [8, 1])).toEqual(['a', 'b']);
  });

  it('refuses an event that never ends', () => {
    const parser = new SseParser();
    parser.push(new TextEncoder().encode('data: '));
    const megabyte = new Uint8Array(1024 * 1024).fill(120);
    const flood = (): void => {
      for (let turn = 0; turn <= 32; turn += 1) parser.push(megabyte);
    };
    expect(flood).toThrow('longer than');
  });

  it('delivers a last event that lacks its blank line', () => {
    expect(parseInPieces('data: {"stop":true}', [3])).toEqual(['{"stop":true}']);
    expect(parseInPieces(':\n\n', [])).toEqual([]);
  });
});
