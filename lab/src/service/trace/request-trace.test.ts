import { describe, expect, it } from 'vitest';
import { parseRequestTrace } from './request-trace.ts';
import { TraceStream } from './trace-stream.ts';

const azureHead = 'TIMESTAMP,ContextTokens,GeneratedTokens';
const azure = (...rows: string[]) => parseRequestTrace('t', [azureHead, ...rows].join('\r\n'));
const mooncake = (...requests: object[]) =>
  parseRequestTrace('t', requests.map((each) => JSON.stringify(each)).join('\n'));
const line = (timestamp: unknown, input_length: unknown = 5, output_length: unknown = 2) => ({
  ...{ timestamp, input_length, output_length },
});

describe('a trace of requests', () => {
  it("is read from Azure's columns, wherever they stand, to the microsecond", () => {
    const rows = ['2023-11-16 18:17:03.9799600,4808,10', '2023-11-16 18:17:04.0319600,3180,8'];
    const { format, requests, perSecond } = azure(...rows);
    expect(format).toBe('azure');
    expect(requests[0]).toEqual({ atMs: 0, promptTokens: 4808, answerTokens: 10 });
    expect(requests[1]!.atMs).toBeCloseTo(52, 2);
    expect(perSecond).toBeCloseTo(2 / 0.052, 1);
    const moved =
      'GeneratedTokens,NumImages,TIMESTAMP,ContextTokens\n8,0,2024-05-10 00:00:00+00:00,7\n9,1,2024-05-10T00:00:01Z,6';
    expect(parseRequestTrace('t', moved).requests).toEqual([
      { atMs: 0, promptTokens: 7, answerTokens: 8 },
      { atMs: 1000, promptTokens: 6, answerTokens: 9 },
    ]);
  });

  it("is read from Mooncake's lines with the blocks that prompts begin with, and from our own", () => {
    const { requests, blockTokens } = mooncake({ ...line(27_482, 600), hash_ids: [46, 47] }, line(30_535));
    expect(blockTokens).toBe(512);
    expect(requests).toEqual([
      { atMs: 0, promptTokens: 600, answerTokens: 2, blocks: [46, 47] },
      { atMs: 3053, promptTokens: 5, answerTokens: 2 },
    ]);
    const own = mooncake(
      { format: 'coppice-requests', version: 1 },
      { atMs: 5, promptTokens: 3, answerTokens: 4 },
      { atMs: 9, promptTokens: 3, answerTokens: 4 },
    );
    expect(own.requests.map(({ atMs }) => atMs)).toEqual([0, 4]);
  });

  it('tells of a hole in its times, and keeps all that is there', () => {
    const rest = Array.from({ length: 200 }, (_, at) => line(220_000 + 100 * at));
    const { notes, requests } = mooncake(line(0), line(100), ...rest);
    expect(requests).toHaveLength(202);
    expect(notes).toEqual([expect.stringContaining('nothing came for over a minute 1 times, once for 220 s')]);
  });

  it.each([
    ['no trace', () => parseRequestTrace('t', 'a,b\n1,2'), /begins as no trace that is known: Azure/],
    ['one request', () => mooncake(line(0)), /has 1 requests; a rate needs 2/],
    ['unsorted times', () => mooncake(line(900), line(400)), /line 2 is 0.500 s before the one above it; sort it/],
    [
      'a negative length',
      () => mooncake(line(0, -3), line(1)),
      /line 1: input_length is -3; it must be a whole number/,
    ],
    ['a missing length', () => azure('2023-11-16 18:17:03,7,'), /line 2: GeneratedTokens is missing/],
    ['half a token', () => mooncake(line(0, 5, 1.5)), /line 1: output_length is 1.5/],
    ['seconds', () => mooncake(line(27.482)), /line 1: timestamp is 27.482; it must be whole milliseconds/],
    [
      'seconds as whole numbers',
      () => mooncake(...[0, 0, 0, 1].map((at) => line(at))),
      /4 requests in 0.001 s, .* another unit/,
    ],
    ['seconds in CSV', () => azure('17.5,4,4'), /line 2: TIMESTAMP is '17.5'; it must be as 2023-/],
    ['no blocks', () => mooncake({ ...line(0), hash_ids: 'x' }), /line 1: hash_ids must be a list/],
    [
      'half a line',
      () => parseRequestTrace('t', `${JSON.stringify(line(0))}\n{"timest`),
      /line 2: timestamp is missing/,
    ],
  ])('refuses %s in one line', (_, read, message) => {
    expect(read).toThrow(message);
  });
});

describe('a stream of a trace', () => {
  const trace = mooncake(
    ...Array.from({ length: 100 }, (_, at) => ({ ...line(10 * at * at, at + 1), hash_ids: [at] })),
  );

  it('is the trace in order, its gaps scaled to the rate', () => {
    const stream = new TraceStream(trace);
    const atMs = stream.arrivalsMs(100, 2 * trace.perSecond);
    expect(atMs.slice(0, 3)).toEqual([0, 5, 20]);
    expect(100_000 / atMs.at(-1)!).toBeCloseTo(2 * trace.perSecond, 9);
    // It begins fast and becomes slow: ten of them at a rate are ten at that rate.
    expect(stream.arrivalsMs(10, 5).at(-1)).toBeCloseTo(2000, 9);
    expect(() => stream.at(100)).toThrow(/has 100 requests that fit/);
  });

  it('is resampled in blocks of neighbours, the same by the same seed, apart where a block comes again', () => {
    const stream = new TraceStream(trace, { seed: 3, blockRequests: 10 });
    const same = new TraceStream(trace, { seed: 3, blockRequests: 10 });
    const drawn = Array.from({ length: 300 }, (_, at) => stream.at(at));
    expect(drawn.map(({ request }) => request)).toEqual(drawn.map((_, at) => same.at(at).request));
    for (const [at, { request, gapMs }] of drawn.entries()) {
      if (at % 10 === 0) continue;
      expect(request.promptTokens).toBe(drawn[at - 1]!.request.promptTokens + 1);
      expect(gapMs).toBe(request.atMs - drawn[at - 1]!.request.atMs);
    }
    const seen = drawn.map(({ request, again }) => `${request.promptTokens} ${again}`);
    expect(new Set(seen).size).toBe(300);
  });
});
