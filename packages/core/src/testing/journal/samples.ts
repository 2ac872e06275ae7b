// Searches, entries and documents that the journal suite writes.

import type { Random } from '../../base/random.ts';
import type { NewDocument } from '../../journal/documents.ts';
import type { Ending, NewSearch } from '../../journal/journal.ts';
import type { LoggedEvent } from '../../log/events.ts';

export function document(id: string): NewDocument {
  const expiresMs = id === 'file-1' ? undefined : 5;
  return { id, kind: 'file', owner: 'ann', createdMs: 3, open: true, expiresMs, facts: { id } };
}

export function search(id: string): NewSearch {
  const about = { model: 'm', program: 'mcts' };
  const request = { prompt: `p of ${id}` };
  return { id, owner: 'ann', fingerprint: 'f', background: true, createdMs: 1, about, title: `t of ${id}`, request };
}

export function ending(state: Ending['state'] = 'done'): Ending {
  return { state, endedMs: 9, outcome: { exit: 'accepted', score: 0.5 }, texts: { content: 'because "ü\u0000"' } };
}

export function entry(search: string, sequence: number): LoggedEvent {
  return { search, sequence, atMs: 1.25 * sequence, event: { type: 'moved', strand: 0, node: sequence } };
}

export function log(search: string, length: number): LoggedEvent[] {
  return Array.from({ length }, (_, sequence) => entry(search, sequence));
}

/** An entry with texts. */
export function grown(search: string, sequence: number): LoggedEvent {
  const step = { text: 'secret', tokens: 3, meanLogprob: -0.5, end: 'eos', tokenIds: [1, 2, 3] } as const;
  const { event, ...rest } = bareGrown(search, sequence);
  return { ...rest, event: { ...event, step, answer: '24' } as LoggedEvent['event'] };
}

/** The same entry without them. */
export function bareGrown(search: string, sequence: number): LoggedEvent {
  const step = { text: '', tokens: 3, meanLogprob: -0.5, end: 'eos' } as const;
  const place = { node: 1, key: 2 ** 53 - 1, parent: 0, index: 0 };
  const event = { type: 'grown', ...place, step, reward: 0.5, terminal: true } as const;
  return { search, sequence, atMs: 2, event };
}

/** An event of no known type, with any JSON in it. */
export function anyEvent(random: Random): LoggedEvent['event'] {
  const fields = Array.from({ length: random.integer(5) }, () => [anyText(random), anyJson(random, 2)]);
  return { ...Object.fromEntries(fields), type: 'any' };
}

const oddities = ['', 'a', '"', '\\', '\n', '\u0000', 'ü', '東', '🌳', '\u2028', '__proto__', '$1', '{}', "'", '%s'];

function anyText(random: Random): string {
  return Array.from({ length: random.integer(6) }, () => oddities[random.integer(oddities.length)]).join('');
}

function anyJson(random: Random, depth: number): unknown {
  const length = random.integer(4);
  switch (random.integer(depth > 0 ? 7 : 5)) {
    case 0:
      return null;
    case 1:
      return random.chance(0.5);
    case 2:
      return random.integer(2 ** 20) - 2 ** 19;
    case 3:
      return random.normal(0, 10 ** (random.integer(40) - 20));
    case 4:
      return anyText(random);
    case 5:
      return Array.from({ length }, () => anyJson(random, depth - 1));
    default:
      return Object.fromEntries(Array.from({ length }, () => [anyText(random), anyJson(random, depth - 1)]));
  }
}
