// A list of replicas that may change: who keeps it, and how it is read once. It knows no replica and no schedule; whether a
// server on it is the right one is found out by asking that server. Never gives half a list: it gives all of it, or fails.

import { type Fault, FaultError, fault } from '../../../base/fault.ts';

export interface ReplicaList {
  readonly name: string;
  /** Roots of servers, each once, in an order of their own; an empty list is none. Fails with a `FaultError`. */
  read(): Promise<readonly string[]>;
}

/** More is rather the wrong name than a fleet: choosing among replicas looks at each of them. */
export const mostReplicas = 1024;

export const readMs = 5000;

/** Of a text that lists replicas: 1024 of them, with all that Kubernetes says of each. */
export const listBytes = 8 * 1024 * 1024;

/** `http` unless the target says otherwise, as Prometheus has it. */
export function urlOf(target: string, protocol = 'http'): string {
  return /^\w+:\/\//.test(target) ? target : `${protocol}://${target}`;
}

export function hostOf(address: string): string {
  return address.includes(':') ? `[${address}]` : address;
}

export function unread(name: string, error: unknown): FaultError {
  return error instanceof FaultError ? error : new FaultError(unreadFault(name, error));
}

function unreadFault(name: string, error: unknown): Fault {
  const { message = String(error), cause } = error as { readonly message?: string; readonly cause?: unknown };
  return fault('unavailable', `${name} cannot be read: ${message}`, cause === undefined ? {} : { cause });
}
