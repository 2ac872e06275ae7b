// The simulated time of nodes' and databases' work, in ms. Fitted to the table of `npm run bench -- nodes` (PostgreSQL, one
// node: 24.4 ms of a node and 12.7 ms of the database for a search of 111 events; four: 9.0 ms of the database, since commits are
// larger) and to the 12 to 20 µs of `npm run bench -- journal` for an event in its writer. Then every event was a row (decision 253)
// and custody took steps of the loop (276); `cluster --check` compares the same costs with what `bench -- nodes` measures now.

export interface Costs {
  /** Of a node. */
  readonly request: number;
  readonly event: number;
  /** One step of the loop: what has come is told, the budget decided on. */
  readonly decision: number;
  /** A call to a server, and its answer. */
  readonly call: number;
  /** A message of another node's commit. */
  readonly bell: number;
  /** Of the database. */
  readonly commit: number;
  readonly write: number;
  /** A statement of the queue, of membership, or a read. */
  readonly statement: number;
  /** From the start of a commit to the disk's word, beside its CPU. */
  readonly diskMs: number;
}

export const measuredCosts: Costs = {
  request: 2.4,
  event: 0.14,
  decision: 0.11,
  call: 0.12,
  bell: 0.02,
  commit: 1.6,
  write: 0.058,
  statement: 0.3,
  diskMs: 1,
};

/** Nodes and databases without costs: only the engine takes time. */
export const idealCosts: Costs = {
  request: 0,
  event: 0,
  decision: 0,
  call: 0,
  bell: 0,
  commit: 0,
  write: 0,
  statement: 0,
  diskMs: 0,
};

/** Time of a message from one machine of a cluster to another. */
export const latencyMs = 0.25;
