// Reads and checks a file of requests. An unusable line is refused by its number; a gap in the times becomes a note.

import { existsSync, readFileSync, statSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { raise } from '@coppice/core/base';
import { formatOf, type TracedRequest, type TraceFormat } from './formats.ts';

export interface RequestTrace {
  readonly file: string;
  readonly format: TraceFormat['name'];
  /** By time; the first comes at 0. */
  readonly requests: readonly TracedRequest[];
  readonly blockTokens?: number;
  readonly perSecond: number;
  readonly notes: readonly string[];
}

/** Higher rates mean times in another unit. */
const mostPerSecond = 1000;
/** A hole is a pause of at least so long, and of so many mean gaps. */
const hole = { ms: 60_000, gaps: 50 };
const mostBytes = 256 * 2 ** 20;

const known = new Map<string, RequestTrace>();

export function readRequestTrace(file: string): RequestTrace {
  const read = known.get(file) ?? parseRequestTrace(file, textOf(file));
  known.set(file, read);
  return read;
}

function textOf(file: string): string {
  if (!existsSync(file)) raise('bad-setting', `--trace: cannot read ${file}`);
  if (statSync(file).size > mostBytes)
    raise('bad-setting', `--trace ${file} has more than ${mostBytes} bytes; give its first lines (head -n 500000)`);
  const bytes = readFileSync(file);
  return (file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString();
}

export function parseRequestTrace(file: string, text: string): RequestTrace {
  const refuse = (why: string): never => raise('bad-setting', `--trace ${file} ${why}`);
  const lines = text.split('\n');
  const format =
    formatOf(lines[0]!.trim()) ??
    refuse(
      'begins as no trace that is known: Azure (TIMESTAMP,ContextTokens,GeneratedTokens), Mooncake (timestamp, input_length, output_length) or npm run lab -- trace',
    );
  const read: TracedRequest[] = [];
  for (const [at, line] of lines.entries()) {
    if (at < format.headLines || line.trim() === '') continue;
    const request = format.read(line.trim());
    if (typeof request === 'string') return refuse(`line ${at + 1}: ${request}`);
    const before = read.at(-1);
    if (before !== undefined && request.atMs < before.atMs)
      refuse(
        `line ${at + 1} is ${((before.atMs - request.atMs) / 1000).toFixed(3)} s before the one above it; sort it by time`,
      );
    read.push(request);
  }
  if (read.length < 2) refuse(`has ${read.length} requests; a rate needs 2`);
  return {
    file,
    format: format.name,
    ...timed(read, refuse),
    ...(format.blockTokens && { blockTokens: format.blockTokens }),
  };
}

function timed(read: readonly TracedRequest[], refuse: (why: string) => never) {
  const startMs = read[0]!.atMs;
  const requests = read.map((each) => ({ ...each, atMs: each.atMs - startMs }));
  const seconds = requests.at(-1)!.atMs / 1000;
  if (seconds === 0 || requests.length / seconds > mostPerSecond)
    refuse(
      `has ${requests.length} requests in ${seconds} s, more than ${mostPerSecond} a second; are its times in another unit?`,
    );
  return { requests, perSecond: perSecondOf(requests), notes: holesIn(requests) };
}

/** Mean rate of the requests; infinite if all come at once. */
export function perSecondOf(requests: readonly TracedRequest[]): number {
  return (1000 * requests.length) / (requests.at(-1)!.atMs - requests[0]!.atMs);
}

function holesIn(requests: readonly TracedRequest[]): string[] {
  const meanMs = requests.at(-1)!.atMs / requests.length;
  const gaps = requests.slice(1).map((each, at) => each.atMs - requests[at]!.atMs);
  const holes = gaps.filter((ms) => ms > Math.max(hole.ms, hole.gaps * meanMs));
  if (holes.length === 0) return [];
  const longest = (Math.max(...holes) / 1000).toFixed(0);
  return [
    `nothing came for over a minute ${holes.length} times, once for ${longest} s: it counts as idle time, in the mean rate too`,
  ];
}

export function fitting(trace: RequestTrace, fits: (request: TracedRequest) => boolean): RequestTrace {
  const requests = trace.requests.filter(fits);
  const left = trace.requests.length - requests.length;
  if (left === 0) return trace;
  if (requests.length < 2)
    return raise('bad-setting', `--trace ${trace.file}: ${left} of its requests do not fit the machine`);
  const perSecond = (trace.perSecond * requests.length) / trace.requests.length;
  return { ...trace, requests, perSecond };
}
