// The one guard around calls into parts that may not be ours. What a part throws, or rejects with, becomes a value that names part, verb
// and message. The guard never throws because a part did, and never loses what a part threw.

import { type Fault, fault } from '../../base/fault.ts';

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

export interface Answerable {
  broke(breakage: Breakage): void;
}

const mostCharacters = 400;

/** Gives `otherwise` where the call throws. A promise that is rejected later is reported like a throw. */
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

/** The same for a function that is called node by node, without a closure per call. */
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

/** The same call would throw again. */
export function faultOf({ part, verb, message }: Breakage): Fault {
  return fault('internal', `${part} threw in ${verb}: ${message}`, false);
}

function breakageOf(kind: PartKind, part: { readonly name: string }, verb: string, error: unknown): Breakage {
  const message = readable(() => (error instanceof Error ? error.message || error.name : String(error)));
  return { part: `${kind} '${readable(() => part.name)}'`, verb, message };
}

/** Reading a stranger's object may throw too. */
function readable(read: () => unknown): string {
  try {
    return String(read()).slice(0, mostCharacters);
  } catch {
    return 'something that cannot be read';
  }
}
