// Reads JSON values of any kind that servers wrote, and errors told inside a stream.

import { type Fault, FaultError, fault } from '../base/fault.ts';
import { isRecord } from '../base/record.ts';
import { messageOf, tooLong } from './failure.ts';

export function records(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

export function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Larger sums would lose digits. */
const mostCounted = 1e9;

export function count(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= mostCounted ? value : undefined;
}

/** JSON turns NaN into null, which Number would take for zero. */
export function numberOrNaN(value: unknown): number {
  return typeof value === 'number' ? value : Number.NaN;
}

/** Lists of thousands of tokens pass here; a callback would box every number. */
export function numbers(value: unknown): number[] {
  if (!Array.isArray(value)) return [];
  for (let at = 0; at < value.length; at += 1)
    if (typeof value[at] !== 'number') return value.filter((each): each is number => typeof each === 'number');
  return value;
}

/** Keeps places: what is no string becomes an empty one. */
export function strings(value: unknown): string[] {
  return Array.isArray(value) ? value.map(text) : [];
}

export function protocolFault(what: string, event: unknown): never {
  throw new FaultError(fault('protocol', `${what}: ${shown(event, 200)}`));
}

export function shown(value: unknown, characters: number): string {
  let written: string;
  try {
    written = JSON.stringify(value) ?? String(value);
  } catch {
    return 'a value that is nested too deeply to be shown';
  }
  return written.length > characters ? `${written.slice(0, characters)}…` : written;
}

/** SGLang reports every refusal inside the stream. */
export function streamFault(message: string, status: number | undefined): never {
  throw new FaultError(faultInside(message, status));
}

function faultInside(message: string, status = 500): Fault {
  if (status === 503 || status === 429) return fault('overloaded', `the server gave up inside the stream: ${message}`);
  if (status < 400 || status >= 500) return fault('internal', `the server failed inside the stream: ${message}`);
  const code = tooLong.test(message) ? 'too-long' : 'refused';
  return fault(code, `the server refused inside the stream: ${message}`);
}

export function readEvent(event: unknown, what: string): Record<string, unknown> {
  if (!isRecord(event)) return protocolFault(`not ${what}`, event);
  const { error } = event;
  if (error === undefined || error === null) return event;
  return streamFault(messageOf(event) ?? 'no reason given', isRecord(error) ? count(error.code) : undefined);
}
