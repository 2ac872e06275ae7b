// Affinity of searches to replicas: each stays with the one that holds its prefix, and headers tell a router in front of
// the replicas to keep it there too. Chooses, and remembers; sends nothing.

import { hash } from '../../../base/random.ts';
import type { Replica } from './replica.ts';
import { chooseReplica, mayStay } from './route.ts';

/** Routers that may stand in front of the servers of one URL. */
export const routerNames = ['none', 'vllm', 'sglang', 'llm-d', 'dynamo'] as const;
export type RouterName = (typeof routerNames)[number];

/** The request headers in which each reads whom a request belongs with: production-stack's session key, SGLang's and
 * Dynamo's own; llm-d also shares fairly between the values of a second one, and a tree is what it should share between. */
const routerHeaders: Readonly<Record<RouterName, readonly string[]>> = {
  none: [],
  vllm: ['x-session-id'],
  sglang: ['x-smg-routing-key'],
  'llm-d': ['x-session-id', 'x-llm-d-inference-fairness-id'],
  dynamo: ['x-dynamo-session-id'],
};

interface RoutingOptions {
  readonly router?: RouterName;
  /** Names of headers instead of the router's usual ones. */
  readonly routingHeaders?: readonly string[];
}

export class Affinity {
  readonly #replicas: readonly Replica[];
  readonly #headerNames: readonly string[];
  readonly #keepsTokens: boolean;
  readonly #homes = new Map<string, Replica>();
  /** Given by llm-d's router with an answer, and sent back with the next call. */
  readonly #sessionTokens = new Map<string, string>();

  constructor(replicas: readonly Replica[], { router = 'none', routingHeaders }: RoutingOptions) {
    this.#replicas = replicas;
    this.#headerNames = routingHeaders ?? routerHeaders[router];
    this.#keepsTokens = router === 'llm-d';
  }

  /** The replica for a search's next work, another than `avoid` where there is one; nothing while all are out. */
  choose(search: string, avoid?: Replica): Replica | undefined {
    const settled = avoid === undefined ? this.#homes.get(search) : undefined;
    // Made for every call: with hundreds of replicas, looking at all of them would cost more than the call.
    if (settled !== undefined && mayStay(settled.load())) return settled;
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

  /** Nothing where the replicas are listed: then this is the router, and two would work against each other. */
  headers(search: string): Record<string, string> {
    const names = this.#headerNames;
    if (names.length === 0) return {};
    const key = [hash(search), hash('tail', search)].map((each) => each.toString(16).padStart(8, '0')).join('');
    const token = this.#sessionTokens.get(search);
    return {
      ...Object.fromEntries(names.map((name) => [name, key])),
      ...(token === undefined ? {} : { 'x-session-token': token }),
    };
  }

  keepSession(search: string, token: unknown): void {
    if (this.#keepsTokens && typeof token === 'string' && this.#homes.has(search))
      this.#sessionTokens.set(search, token);
  }

  #settle(search: string, replica: Replica): void {
    const home = this.#homes.get(search);
    if (home === replica) return;
    home?.homes.delete(search);
    replica.homes.add(search);
    this.#homes.set(search, replica);
  }
}
