// Affinity of searches to replicas: each stays with the one that holds its prefix, and headers tell a router in front of
// the replicas to keep it there too. Chooses, and remembers; sends nothing.

import { hash } from '../../../base/random.ts';
import type { DialectName } from '../dialect/dialect.ts';
import type { Replica } from './replica.ts';
import { chooseReplica } from './route.ts';

/** Read by vLLM's and llm-d's routers, and by SGLang's; sent unasked only to those two kinds of servers. */
const knownRoutingHeaders: readonly string[] = ['x-session-id', 'x-smg-routing-key'];

export class Affinity {
  readonly #replicas: readonly Replica[];
  readonly #routingHeaders: readonly string[] | undefined;
  readonly #homes = new Map<string, Replica>();
  /** Given by llm-d's router with an answer, and sent back with the next call. */
  readonly #sessionTokens = new Map<string, string>();

  constructor(replicas: readonly Replica[], routingHeaders: readonly string[] | undefined) {
    this.#replicas = replicas;
    this.#routingHeaders = routingHeaders;
  }

  /** The replica for a search's next work, another than `avoid` where there is one; nothing while all are out. */
  choose(search: string, avoid?: Replica): Replica | undefined {
    const loads = this.#replicas.map((each) => each.load());
    const others = avoid !== undefined && loads.some((load, at) => load.usable && this.#replicas[at] !== avoid);
    const open = loads.map((load, at) => (others && this.#replicas[at] === avoid ? { ...load, usable: false } : load));
    const home = this.#homes.get(search);
    const at = chooseReplica(open, home === undefined ? undefined : this.#replicas.indexOf(home));
    const chosen = at === undefined ? undefined : this.#replicas[at]!;
    // One failure does not move a tree; that its replica is out does.
    const moves = home === undefined || !others || home.breaker.state === 'open';
    if (chosen !== undefined && moves) this.#settle(search, chosen);
    return chosen;
  }

  /** The replica is out, and its prefixes may be gone. */
  evict(replica: Replica): void {
    for (const search of replica.homes) this.#homes.delete(search);
    replica.homes.clear();
  }

  release(search: string): void {
    this.#homes.get(search)?.homes.delete(search);
    this.#homes.delete(search);
    this.#sessionTokens.delete(search);
  }

  headers(search: string, dialect: DialectName): Record<string, string> {
    const routed = dialect === 'vllm' || dialect === 'sglang';
    const names = this.#routingHeaders ?? (routed ? knownRoutingHeaders : []);
    const key = [hash(search), hash('tail', search)].map((each) => each.toString(16).padStart(8, '0')).join('');
    const token = this.#sessionTokens.get(search);
    return {
      ...Object.fromEntries(names.map((name) => [name, key])),
      ...(token === undefined ? {} : { 'x-session-token': token }),
    };
  }

  keepSession(search: string, token: unknown): void {
    if (typeof token === 'string' && this.#homes.has(search)) this.#sessionTokens.set(search, token);
  }

  #settle(search: string, replica: Replica): void {
    const home = this.#homes.get(search);
    if (home === replica) return;
    home?.homes.delete(search);
    replica.homes.add(search);
    this.#homes.set(search, replica);
  }
}
