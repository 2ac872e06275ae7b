// Asserts are for the programmer's mistakes and are always on: a broken invariant stops the process at once instead of
// spoiling a search later. What a user or a server can cause is a Fault (fault.ts), never an assert.

class AssertionError extends Error {
  override readonly name = 'AssertionError';
}

export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new AssertionError(message);
}

export function never(value: never, what: string): never {
  throw new AssertionError(`unknown ${what}: ${JSON.stringify(value)}`);
}
