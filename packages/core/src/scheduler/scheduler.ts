// The contract of the scheduler: one pure decision about the whole budget. `decide` reads a snapshot of plain numbers
// and gives a value: whom to admit, how many strands each search may have open per lane, whom to take strands from.
// It never has an effect, keeps no state between calls, and does no more than n log n work in the live searches.
// M counts strands. Sequences are capped apart, by the engine that runs them.

import type { Servers } from '../cost/closed-loop.ts';
import type { Tree } from '../tree/tree.ts';
import type { Guessing, SearchGuesses } from './speculation-budget.ts';
import type { Pace, TooLate } from './turns/forecast.ts';
import type { OrderRule, QueueStanding } from './turns/order.ts';

export type SearchId = string;

export interface WaitingSearch {
  readonly id: SearchId;
  /** Fixed when it was accepted (turns/weighted-fair-queueing.ts); lower goes first. */
  readonly turn: number;
  readonly naturalWidth: number;
  /** Most speculative strands that it may have; the scheduler's own number where missing. */
  readonly speculate?: number | undefined;
  /** Missing where it may wait for ever. */
  readonly deadlineAtMs?: number | undefined;
  /** No client waits for it: it runs on what the others leave; see idle.ts. */
  readonly idle?: boolean;
  /** Its facts for the order of waiting requests; see order.ts. */
  readonly standing?: QueueStanding | undefined;
}

export interface RunningSearch {
  readonly id: SearchId;
  readonly arrivalMs: number;
  readonly naturalWidth: number;
  /** Most strands it could use: 'naturalWidth' where its policy does not boost, else what its budget leaves. */
  readonly demand: number;
  readonly openStrands: number;
  readonly width: Width;
  /** Rollouts that its limit still allows, those under way included. */
  readonly rolloutsLeft: number;
  /** N_obs of Algorithm 1: completed rollouts. */
  readonly observations: number;
  /** ρ of P0 §4.4: best score of a completed path over the threshold; 0 before the first. */
  readonly progress: number;
  /** No rollout has ended yet, and one that is open may still be accepted; missing where that is not so. */
  readonly hopeful?: boolean;
  /** Share of rollouts that changed the answer of a search like it, as seen on this model; missing before any was. */
  readonly changing?: number | undefined;
  /** Its tree as it is now, to be read by width rules of one's own; missing where there is none. */
  readonly tree?: Tree;
  /** Score at which a completed path of it is accepted. */
  readonly threshold?: number;
  /** Worth of its next work over its price, where it weighs that (tree/readings/worth.ts). */
  readonly worth?: number | undefined;
  readonly speculate?: number | undefined;
  /** Its guesses; missing where there is nothing to guess. */
  readonly guesses?: SearchGuesses | undefined;
  readonly idle?: boolean;
  readonly standing?: QueueStanding | undefined;
}

export interface Snapshot {
  readonly nowMs: number;
  /** M: strands in all, over all searches and lanes. */
  readonly budget: number;
  /** In order of submission. */
  readonly waiting: readonly WaitingSearch[];
  /** In order of admission. */
  readonly running: readonly RunningSearch[];
  readonly pace?: Pace | undefined;
  /** Load and measured cost of engine and verifier; missing while nothing has been measured. */
  readonly servers?: Servers | undefined;
  /** Facts for speculation; missing where no search speculates. */
  readonly guessing?: Guessing | undefined;
}

export interface Width {
  readonly primary: number;
  readonly speculative: number;
}

export interface Decision {
  /** Searches to admit now, in this order. Each has a width below. */
  readonly admit: readonly SearchId[];
  /**
   * Gives every search that will run at least one primary strand; an idle one may have none. Counting for each the larger of its width and the
   * strands it keeps open after preemption, all lanes together fit the budget: a search that has the width can open.
   */
  readonly widths: ReadonlyMap<SearchId, Width>;
  /** Open strands that a search has to give up before others may open theirs. */
  readonly preempt: ReadonlyMap<SearchId, number>;
  /** Searches that wait and cannot be done before their deadline any more, with the reason. */
  readonly giveUp: ReadonlyMap<SearchId, TooLate>;
  /** Rank of a search's requests among those that wait for the engine, higher first; missing where its own order holds. */
  readonly urgencies?: ReadonlyMap<SearchId, number>;
  /** Why, in numbers, for every search whose width changes or that has to give strands up. */
  readonly reasons: ReadonlyMap<SearchId, Reason>;
}

export type Reason = Readonly<Record<string, number | string>>;

export interface Scheduler {
  readonly name: string;
  /** Orders requests that wait for the engine, and turns; first come, first served by default. */
  readonly order?: OrderRule | undefined;
  /** It gives speculative widths to searches that do not say how many they may have, and wants to know how guesses fare. */
  readonly speculates?: boolean | undefined;
  decide(snapshot: Snapshot): Decision;
}
