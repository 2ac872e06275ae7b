// Speculative expansions of one search, its guesses, replies to probes not asked yet, and whether there is more to foresee.

import type { ProbeReply } from '../../tree/events.ts';
import type { DrawKey, NodeKey } from '../../tree/keys.ts';
import type { Lease } from '../budget/leases.ts';
import { GuessLog } from './guess-log.ts';

export interface OpenSpeculation {
  readonly lease: Lease;
  remaining: number;
}

export class SpeculationState {
  readonly open = new Map<NodeKey, OpenSpeculation>();
  readonly guesses = new GuessLog();
  /** In no log: after a crash the probes are asked again. */
  readonly replies = new Map<DrawKey, ProbeReply>();
  #foreseen: { readonly events: number; readonly early: number; readonly most: number } | undefined;

  foresawAll(events: number, early: number): void {
    this.#foreseen = { events, early, most: this.open.size };
  }

  foreseesMore(): void {
    this.#foreseen = undefined;
  }

  capacity(events: number, early: number): number {
    const foreseen = this.#foreseen;
    const isKnown = foreseen !== undefined && foreseen.events === events && foreseen.early === early;
    return isKnown ? foreseen.most : Number.MAX_SAFE_INTEGER;
  }
}
