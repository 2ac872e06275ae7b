// Keeps each search with the replica that holds its prefix. A new replica moves none of them, one that leaves only its own.

import type { SessionRoute } from '../../engine.ts';
import type { Replica } from './replica.ts';
import { chooseReplica, mayStay, type ReplicaLoad, replicaOf } from './route.ts';

export class Affinity {
  readonly #replicas: readonly Replica[];
  readonly #homes = new Map<string, Replica>();

  constructor(replicas: readonly Replica[]) {
    this.#replicas = replicas;
  }

  choose(search: string, avoid?: Replica, session?: SessionRoute): Replica | undefined {
    const settled = avoid === undefined ? this.#homes.get(search) : undefined;
    // At every call: looking at hundreds of replicas would cost more than the call.
    if (settled !== undefined && mayStay(settled.load())) return settled;
    const loads = this.#replicas.map((each) => each.load());
    const others = avoid !== undefined && loads.some((load, at) => load.usable && this.#replicas[at] !== avoid);
    const open = loads.map((load, at) => (others && this.#replicas[at] === avoid ? { ...load, usable: false } : load));
    const home = this.#homes.get(search);
    const at = chooseReplica(open, home === undefined ? this.#begins(session, open) : this.#replicas.indexOf(home));
    const chosen = at === undefined ? undefined : this.#replicas[at]!;
    // A failure does not move a tree; an outage does.
    const moves = home === undefined || !others || home.breaker.state === 'open';
    if (chosen !== undefined && moves) this.#settle(search, chosen);
    return chosen;
  }

  /** With the replica of its session's last search, which no memory is needed to find. */
  #begins(session: SessionRoute | undefined, loads: readonly ReplicaLoad[]): number | undefined {
    const urls = this.#replicas.map(({ connection }) => connection.url);
    return session && replicaOf(session.route, urls, loads);
  }

  evict(replica: Replica): void {
    for (const search of replica.homes) this.#homes.delete(search);
    replica.homes.clear();
  }

  release(search: string): void {
    this.#homes.get(search)?.homes.delete(search);
    this.#homes.delete(search);
  }

  has(search: string): boolean {
    return this.#homes.has(search);
  }

  #settle(search: string, replica: Replica): void {
    const home = this.#homes.get(search);
    if (home === replica) return;
    home?.homes.delete(search);
    replica.homes.add(search);
    this.#homes.set(search, replica);
  }
}
