// The contract of the queue between nodes that share a journal: what the gateway of a node asks of it, and what it asks of the
// gateway. What a node can start at once it starts; the rest waits between nodes, and each takes what it has room for. Everything may
// fail or come late: the journal's epochs keep searches whole. Excluded: how nodes find each other, and where leases lie.

import type { Plain } from './plain.ts';

/** A search that waits between nodes, or is held by a lease. */
export interface OfferedSearch {
  readonly id: string;
  readonly model: string;
  /** Lower goes first. */
  readonly turn: number;
}

export interface HeldSearch {
  readonly id: string;
  readonly plan: { readonly model: string };
}

/** A node as the others see it. */
export interface LivingNode {
  readonly node: string;
  readonly version: string;
  readonly models: readonly string[];
  /** Names of the servers that it uses, the same on all nodes. */
  readonly servers: readonly string[];
  /** What it last said of itself, for operators of the cluster. */
  readonly report: Plain;
  readonly silentMs: number;
}

/** What was counted of a key in one window of its quota. Windows begin at multiples of their span, by the clock of the journal. */
export interface WindowUse {
  readonly key: string;
  readonly spanMs: number;
  readonly windowMs: number;
  readonly requests: number;
  readonly tokens: number;
}

/** The gateway of this node, which takes searches up. */
export interface Taker {
  hasRoom(model: string): boolean;
  /** `runs`: here, from now on; `over`: it has an end; `missed`: another node has it. */
  takeUp(id: string): Promise<'runs' | 'over' | 'missed'>;
  /** A client has asked for it to end. */
  cancel(id: string): void;
  /** Whether it is here, and not over. */
  has(id: string): boolean;
  /** Another node has it: stop, write nothing more. */
  lose(id: string): void;
  /** Addresses of the servers that it uses now. */
  servers(): readonly string[];
  /** So many nodes use a server, this one included. */
  divide(sharersOf: (url: string) => number): void;
  /** What the other nodes are to show of this one. */
  report(): Plain;
  /** What this node has counted of keys with a quota; and what the others have. */
  used(): readonly WindowUse[];
  usedElsewhere(used: readonly WindowUse[]): void;
}

export interface Cluster {
  /** Name of this node. */
  readonly node: string;
  /** All nodes, this one included, as they stood a few seconds ago. */
  readonly living: readonly LivingNode[];
  /** For how long the oldest search has waited between nodes. */
  readonly queueAgeMs: number;
  start(taker: Taker): Promise<void>;
  /** Whether a search that comes now would go before all that wait: then it need not wait among them. */
  isDrained(model: string): boolean;
  lives(node: string): Promise<boolean>;
  /** Searches that wait between nodes, of one owner or of all, as of a few seconds ago. */
  waiting(owner?: string): number;
  /** After it was accepted: nothing is lost if this fails, it only comes later. */
  offer(search: OfferedSearch): Promise<void>;
  /** It was started here without having waited: the others leave it alone while this node lives. */
  hold(search: OfferedSearch): void;
  /** Its end is written, and there may be room for another. */
  ended(search: HeldSearch): void;
  /** It runs here no more, and has no end: its lease runs out, unless it is given back. */
  drop(id: string): void;
  /** There may be room now. */
  look(): void;
  /** Takes nothing more, and keeps what it has until `giveBack`. */
  stop(): void;
  /** Others may go on with these at once. */
  giveBack(searches: readonly HeldSearch[]): Promise<void>;
  close(): Promise<void>;
}
