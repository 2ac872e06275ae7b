// What one search has under way ahead of its program: its speculative expansions, what it guessed, what probes said that its program
// has not asked for yet, and whether there is more to foresee. Facts alone; speculation.ts acts on them.

import type { ProbeReply } from '../../tree/events.ts';
import type { DrawKey, NodeKey } from '../../tree/keys.ts';
import { GuessLog } from '../queue/guess-log.ts';
import type { Lease } from '../queue/leases.ts';

/** A speculative expansion: its lease goes back when the last of its children has been answered or adopted. */
export interface OpenSpeculation {
  readonly lease: Lease;
  remaining: number;
}

export class SpeculationState {
  readonly open = new Map<NodeKey, OpenSpeculation>();
  readonly guesses = new GuessLog();
  /** They are in no log: after a crash the probes are asked again. */
  readonly replies = new Map<DrawKey, ProbeReply>();
  #foreseen: { readonly events: number; readonly early: number; readonly most: number } | undefined;

  /** All that can be foreseen has been begun, after so many events and with so many outcomes that came early. */
  foresawAll(events: number, early: number): void {
    this.#foreseen = { events, early, most: this.open.size };
  }

  /** Something has come that no event tells of. */
  foreseesMore(): void {
    this.#foreseen = undefined;
  }

  capacity(events: number, early: number): number {
    const foreseen = this.#foreseen;
    const isKnown = foreseen !== undefined && foreseen.events === events && foreseen.early === early;
    return isKnown ? foreseen.most : Number.MAX_SAFE_INTEGER;
  }
}
