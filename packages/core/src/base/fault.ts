// Operating errors as data: what can go wrong with an engine, a verifier, a log or a setting, with a closed code that
// callers may switch on. A message gives the value, the limit and the setting that changes it. Being cancelled is not
// a failure, but it is told the same way so that each request is answered exactly once.

const faultCodes = [
  'bad-setting', // a setting that does not exist or a value outside its bounds
  'bad-event', // an event that does not fit the tree it is folded into
  'unknown-node', // an outcome for a node or a key that the search does not wait for
  'bad-step', // an engine gave an empty step, or one longer than it was allowed to
  'bad-reward', // a verifier gave NaN, a value outside 0 to 1, or too few values
  'unavailable', // a server or worker cannot be reached now
  'overloaded', // it can be reached and has no room
  'timeout', // it did not answer in time
  'refused', // it understood the request and will not do it (authentication, model name, limits)
  'protocol', // it answered something that is not its protocol
  'too-long', // prompt and step do not fit the context
  'unsupported', // it lacks a capability that the request needs
  'cancelled', // we asked for it to be stopped
  'damaged', // a row of the journal that cannot be read
  'internal', // the engine itself broke, or a part that was called threw
] as const;

export type FaultCode = (typeof faultCodes)[number];

export interface Fault {
  readonly code: FaultCode;
  readonly message: string;
  /** The same request may succeed later or elsewhere. */
  readonly retryable: boolean;
}

const retryableCodes: ReadonlySet<FaultCode> = new Set([
  'bad-step',
  'unavailable',
  'overloaded',
  'timeout',
  'protocol',
  'internal',
]);

export function fault(code: FaultCode, message: string, retryable = retryableCodes.has(code)): Fault {
  return { code, message, retryable };
}

/** A fault on its way up a call stack, for the places where a value cannot be returned. */
export class FaultError extends Error {
  override readonly name = 'FaultError';
  readonly fault: Fault;

  constructor(fault: Fault) {
    super(`${fault.code}: ${fault.message}`);
    this.fault = fault;
  }
}

export function isFault(error: unknown, code: FaultCode): error is FaultError {
  return error instanceof FaultError && error.fault.code === code;
}

export function raise(code: FaultCode, message: string): never {
  throw new FaultError(fault(code, message));
}
