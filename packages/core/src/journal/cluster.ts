// The contract of the queue between nodes that share a journal. A node starts what it can; the rest waits between nodes, and each takes
// what it has room for. Everything may fail or come late: the journal's epochs keep searches whole.

import type { Plain } from './documents.ts';

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

export interface LivingNode {
  readonly node: string;
  readonly version: string;
  readonly models: readonly string[];
  readonly servers: readonly string[];
  readonly report: Plain;
  readonly silentMs: number;
}

/** Windows begin at multiples of their span, by the clock of the journal. */
export interface WindowUse {
  readonly key: string;
  readonly spanMs: number;
  readonly windowMs: number;
  readonly requests: number;
  readonly tokens: number;
}

export interface Taker {
  hasRoom(model: string): boolean;
  /** `over`: it has an end; `missed`: another node has it. */
  takeUp(id: string): Promise<'runs' | 'over' | 'missed'>;
  cancel(id: string): void;
  has(id: string): boolean;
  lose(id: string): void;
  servers(): readonly string[];
  divide(sharersOf: (url: string) => number): void;
  report(): Plain;
  used(): readonly WindowUse[];
  usedElsewhere(used: readonly WindowUse[]): void;
}

export interface Cluster {
  readonly node: string;
  /** This node included, as they stood a few seconds ago. */
  readonly living: readonly LivingNode[];
  readonly queueAgeMs: number;
  start(taker: Taker): Promise<void>;
  isDrained(model: string): boolean;
  lives(node: string): Promise<boolean>;
  waiting(owner?: string): number;
  /** If this fails, an accepted search only comes later. */
  offer(search: OfferedSearch): Promise<void>;
  /** Started here at once: others leave it alone while this node lives. */
  hold(search: OfferedSearch): void;
  ended(search: HeldSearch): void;
  /** It stopped here without an end: its lease runs out or is given back. */
  drop(id: string): void;
  look(): void;
  stop(): void;
  /** Others may go on with these at once. */
  giveBack(searches: readonly HeldSearch[]): Promise<void>;
  close(): Promise<void>;
}
