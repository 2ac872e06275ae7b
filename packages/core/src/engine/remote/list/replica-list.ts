// A list of replicas that may change. Reading gives all of it or fails; whether a server is the right one is found by asking that server.

import { type Fault, FaultError, fault } from '../../../base/fault.ts';

export interface ReplicaList {
  readonly name: string;
  /** Roots of servers, each once. Fails with a `FaultError`. */
  read(): Promise<readonly string[]>;
}

/** Choosing among replicas looks at each of them. */
export const mostReplicas = 1024;

export const readMs = 5000;

/** 1024 replicas with all that Kubernetes says of each. */
export const listBytes = 8 * 1024 * 1024;

/** `http` unless the target says otherwise, as Prometheus has it. */
export function urlOf(target: string, protocol = 'http'): string {
  return /^\w+:\/\//.test(target) ? target : `${protocol}://${target}`;
}

export function hostOf(address: string): string {
  return address.includes(':') ? `[${address}]` : address;
}

export function listOf(name: string, read: () => Promise<readonly string[]>): ReplicaList {
  return {
    name,
    async read() {
      try {
        return await read();
      } catch (error) {
        throw unread(name, error);
      }
    },
  };
}

export function unread(name: string, error: unknown): FaultError {
  return error instanceof FaultError ? error : new FaultError(unreadFault(name, error));
}

function unreadFault(name: string, error: unknown): Fault {
  const { message = String(error), cause } = error as { readonly message?: string; readonly cause?: unknown };
  return fault('unavailable', `${name} cannot be read: ${message}`, cause === undefined ? {} : { cause });
}
