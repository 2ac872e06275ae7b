// A list of replicas that may change. Reading gives all of it or fails; whether a server is the right one is found by asking that server.

import { type Fault, FaultError, fault, raise } from '../../../base/fault.ts';

export interface ReplicaList {
  readonly name: string;
  /** Roots of servers, each once. Fails with a `FaultError`. */
  read(): Promise<readonly string[]>;
}

/** Choosing among replicas looks at each of them. */
const mostReplicas = 1024;

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

/** One unreadable entry spoils the list: half of it would look like replicas that have left. */
export function checked(urls: readonly string[], name: string): string[] {
  const bad = urls.find((url) => !/^https?:\/\/[^/]/.test(url) || URL.parse(url) === null);
  if (bad !== undefined)
    raise('protocol', `${name} lists '${withoutUser(bad).slice(0, 80)}'; an entry is a URL or host:port`);
  const each = [...new Set(urls)];
  if (each.length > mostReplicas)
    raise('protocol', `${name} lists ${each.length} replicas; ${mostReplicas} is the most`);
  return each;
}

function withoutUser(text: string): string {
  return text.replace(/\/\/[^@/]*@/, '//***@');
}

export function unread(name: string, error: unknown): FaultError {
  return error instanceof FaultError ? error : new FaultError(unreadFault(name, error));
}

function unreadFault(name: string, error: unknown): Fault {
  const { message = String(error), cause } = error as { readonly message?: string; readonly cause?: unknown };
  return fault('unavailable', `${name} cannot be read: ${message}`, cause === undefined ? {} : { cause });
}
