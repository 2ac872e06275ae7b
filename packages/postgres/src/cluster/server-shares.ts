// Counts the nodes that use each server, so that each takes its share of the server's limit. Nodes read a list of replicas at different times:
// while a server is new, it counts as used by as many nodes as the most shared one.

/** Beats for which a server is new: two readings of a list at its usual pace, and the beat that reports it. */
const newBeats = 6;

export class ServerShares {
  #users = new Map<string, number>();
  /** Beats since a node first named each server. */
  #ages = new Map<string, number>();
  #most = 1;
  #lastShares = '';

  /** Takes the servers that each node names, once a beat. False if no share changed. */
  count(named: readonly (readonly string[])[]): boolean {
    const isFirst = this.#ages.size === 0;
    this.#users = new Map();
    for (const servers of named)
      for (const server of servers) this.#users.set(server, (this.#users.get(server) ?? 0) + 1);
    this.#most = Math.max(1, ...this.#users.values());
    const agesBefore = this.#ages;
    this.#ages = new Map(
      Array.from(this.#users.keys(), (server) => [server, isFirst ? newBeats : (agesBefore.get(server) ?? 0) + 1]),
    );
    const shares = Array.from(this.#users.keys(), (server) => `${server} ${this.of(server)}`)
      .sort()
      .join('\n');
    if (shares === this.#lastShares) return false;
    this.#lastShares = shares;
    return true;
  }

  of(server: string): number {
    const isNew = (this.#ages.get(server) ?? 0) < newBeats;
    return isNew ? this.#most : (this.#users.get(server) ?? 1);
  }
}
