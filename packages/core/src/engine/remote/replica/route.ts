// Which replica a search's work goes to. A tree stays with its prefix; it moves as a whole when its replica is out, or when work piles up
// there while another is half empty.

import { hash } from '../../../base/random.ts';

export interface ReplicaLoad {
  readonly usable: boolean;
  readonly inFlight: number;
  readonly waiting: number;
  readonly room: number;
  readonly homes: number;
}

export function chooseReplica(loads: readonly ReplicaLoad[], home: number | undefined): number | undefined {
  const best = leastLoaded(loads);
  const settled = home === undefined ? undefined : loads[home];
  if (home === undefined || settled === undefined || !settled.usable || best === undefined) return best;
  return !mayStay(settled) && pressure(loads[best]!) < 0.5 ? best : home;
}

/** Servers as a session prefers them (rendezvous hashing): one that comes or leaves moves its own sessions alone. */
export function inPreference<Server>(route: string, servers: readonly Server[], urlOf: (server: Server) => string) {
  const preference = (server: Server) => hash(route, urlOf(server).replace(/\/v1$/, ''));
  return servers.toSorted((a, b) => preference(b) - preference(a));
}

/** Where a session's next search begins: at the server that it prefers; a full one only while none stands empty in part, whatever is named alike. */
export function replicaOf(route: string, urls: readonly string[], loads: readonly ReplicaLoad[]): number | undefined {
  const most = loads.some((load) => load.usable && pressure(load) < roomy) ? 1 : Number.POSITIVE_INFINITY;
  const open = urls.flatMap((url, at) => (loads[at]!.usable && pressure(loads[at]!) < most ? [{ url, at }] : []));
  return inPreference(route, open, ({ url }) => url)[0]?.at;
}

const roomy = 0.75;

export function mayStay(home: ReplicaLoad): boolean {
  return home.usable && pressure(home) < 2;
}

function leastLoaded(loads: readonly ReplicaLoad[]): number | undefined {
  let best: number | undefined;
  loads.forEach((load, at) => {
    if (load.usable && (best === undefined || before(load, loads[best]!))) best = at;
  });
  return best;
}

/** Equally loaded replicas share the searches, so that idle ones count too. */
function before(a: ReplicaLoad, b: ReplicaLoad): boolean {
  const difference = pressure(a) - pressure(b);
  return difference < 0 || (difference === 0 && a.homes < b.homes);
}

function pressure(load: ReplicaLoad): number {
  return (load.inFlight + load.waiting) / Math.max(1, load.room);
}
