// A list of replicas that may change. Reading gives all of it or fails; whether a server is the right one is found by asking that server.

import { FaultError, fault, raise } from '../../../base/fault.ts';
import { withoutUser } from '../../../remote/connection.ts';

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

/** Refuses the whole list for one unreadable entry: the rest would look as if replicas had left. */
export function checked(urls: readonly string[], name: string): string[] {
  const bad = urls.find((url) => !/^https?:\/\/[^/]/.test(url) || URL.parse(url) === null);
  if (bad !== undefined)
    raise('protocol', `${name} lists '${withoutUser(bad).slice(0, 80)}'; an entry is a URL or host:port`);
  const each = [...new Set(urls)];
  if (each.length > mostReplicas)
    raise('protocol', `${name} lists ${each.length} replicas; ${mostReplicas} is the most`);
  return each;
}

export function unread(name: string, error: unknown): FaultError {
  if (error instanceof FaultError) return error;
  const { message = String(error) } = error as { readonly message?: string };
  return new FaultError(fault('unavailable', `${name} cannot be read: ${message}`));
}
