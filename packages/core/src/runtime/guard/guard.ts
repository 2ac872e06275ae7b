// The one guard around calls into what may not be ours: programs, rules, extractors, schedulers, servers and listeners. What
// such a part throws, or rejects with, becomes a value that names the part, the verb and the message, and goes to what answers
// for the part. It must never throw because a part did, and never lose what a part threw.

import { type Fault, fault } from '../../base/fault.ts';
import type { Exit } from '../../log/end.ts';

export type PartKind =
  | 'program'
  | 'exit rule'
  | 'prune rule'
  | 'extractor'
  | 'scheduler'
  | 'order'
  | 'engine'
  | 'verifier'
  | 'embedder'
  | 'listener';

export interface Breakage {
  readonly part: string;
  readonly verb: string;
  readonly message: string;
}

/** Answers for a part: a search for its program, a call for its requests. */
export interface Answerable {
  broke(breakage: Breakage): void;
}

const mostCharacters = 400;

/** What the call gives, else `otherwise`. A promise that is rejected later is told like a throw. */
export function guard<Value>(
  answerable: Answerable,
  kind: PartKind,
  part: { readonly name: string },
  verb: string,
  call: () => Value,
  otherwise: Value,
): Value {
  try {
    const value = call();
    if (value instanceof Promise)
      value.catch((error: unknown) => answerable.broke(breakageOf(kind, part, verb, error)));
    return value;
  } catch (error) {
    answerable.broke(breakageOf(kind, part, verb, error));
    return otherwise;
  }
}

/** The same around a function that is called for many values, node by node: no closure for each. */
export function guardedReading<Read, Value>(
  answerable: Answerable,
  kind: PartKind,
  part: { readonly name: string },
  verb: string,
  read: (value: Read) => Value,
  otherwise: Value,
): (value: Read) => Value {
  return (value) => {
    try {
      return read(value);
    } catch (error) {
      answerable.broke(breakageOf(kind, part, verb, error));
      return otherwise;
    }
  };
}

export function exitOf({ part, verb, message }: Breakage): Exit {
  return { kind: 'failed', rule: 'threw', evidence: { part, verb, message } };
}

/** The same call would throw again: sending it once more does not help. */
export function faultOf({ part, verb, message }: Breakage): Fault {
  return fault('internal', `${part} threw in ${verb}: ${message}`, { retryable: false });
}

function breakageOf(kind: PartKind, part: { readonly name: string }, verb: string, error: unknown): Breakage {
  const message = readable(() => (error instanceof Error ? error.message || error.name : String(error)));
  return { part: `${kind} '${readable(() => part.name)}'`, verb, message };
}

/** A stranger's object may throw where it is read, too. */
function readable(read: () => unknown): string {
  try {
    return String(read()).slice(0, mostCharacters);
  } catch {
    return 'something that cannot be read';
  }
}
