// An entry of a log: what one step of the loop wrote of a search, one event or several, in order. It is what the journal stores,
// numbers and calls safe; a crash leaves all of it or nothing. Readers take it apart again: no reader needs to know which events
// were written together. Pure.

import { assert } from '../base/assert.ts';
import type { LoggedEvent, SearchEvent } from './events.ts';

export interface LogEntry extends LoggedEvent {
  /** Further events of the same step; missing where there are none. */
  readonly more?: readonly SearchEvent[];
}

export function entryOf([first, ...more]: readonly LoggedEvent[]): LogEntry {
  assert(first !== undefined, 'an entry holds an event');
  return more.length === 0 ? first : { ...first, more: more.map(({ event }) => event) };
}

export function eventsIn(entry: LogEntry): LoggedEvent[] {
  const { more, ...first } = entry;
  if (more === undefined) return [entry];
  const { search, sequence, atMs } = entry;
  return [first, ...more.map((event) => ({ search, sequence, atMs, event }))];
}

export function hasEvent({ event, more = [] }: LogEntry, type: SearchEvent['type']): boolean {
  return event.type === type || more.some((each) => each.type === type);
}

/**
 * Formats of logs. Raised when an older coppice could not go on from a log that is written now; the format before it stays readable, so that
 * old and new processes can share a journal while they are being exchanged.
 */
export interface LogFormats {
  readonly writes: number;
  /** All that it can go on from, what it writes first. */
  readonly reads: readonly number[];
}

/** 2: an entry may hold several events; in 1 it holds one. */
export const logFormats: LogFormats = { writes: 2, reads: [2, 1] };
