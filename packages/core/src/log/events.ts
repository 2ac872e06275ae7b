// Events that the runtime adds to a search's log around the tree's own: who was admitted, how wide it might grow, what
// was taken from it, why it ended. The tree is a fold of the tree events alone; these explain when and why.

import type { StrandId, TreeEvent } from '../tree/events.ts';
import type { Audit } from '../tree/readings/audit.ts';
import type { Answer, Cost, Evidence, Exit } from './end.ts';
import type { GuessTotals } from './guesses.ts';

export type RuntimeEvent =
  | { readonly type: 'submitted' }
  | { readonly type: 'resumed' }
  | { readonly type: 'admitted' }
  /** `why`: what the scheduler went by, in numbers. */
  | { readonly type: 'width'; readonly primary: number; readonly speculative: number; readonly why?: Evidence }
  | { readonly type: 'preempted'; readonly strand: StrandId; readonly why?: Evidence }
  | { readonly type: 'pruned'; readonly strand: StrandId; readonly rule: string; readonly evidence: Evidence }
  | {
      readonly type: 'exited';
      readonly exit: Exit;
      readonly answer?: Answer;
      readonly cost: Cost;
      /** Missing where nothing was grown ahead; older logs lack it. */
      readonly guesses?: GuessTotals;
      /** Agreement of judge and vote; missing if the search shows nothing of it. */
      readonly audit?: Audit;
    }
  /** The last word: what the search cost, once engine and verifier have answered for all that was cancelled at its exit. */
  | { readonly type: 'cost'; readonly cost: Cost };

export type SearchEvent = TreeEvent | RuntimeEvent;

type Shown = Pick<Extract<RuntimeEvent, { readonly type: 'exited' }>, 'guesses' | 'audit'>;

export function exitedEvent(exit: Exit, cost: Cost, answer?: Answer, shown?: Shown): RuntimeEvent {
  return { type: 'exited', exit, cost, ...(answer && { answer }), ...shown };
}

/** An event of a log. `sequence` numbers its entry (entry.ts), dense from 0: events of one step of the loop share it. */
export interface LoggedEvent {
  readonly search: string;
  readonly sequence: number;
  readonly atMs: number;
  readonly event: SearchEvent;
}

const runtimeTypes: ReadonlySet<string> = new Set([
  'submitted',
  'resumed',
  'admitted',
  'width',
  'preempted',
  'pruned',
  'exited',
  'cost',
]);

export function isTreeEvent(event: SearchEvent): event is TreeEvent {
  return !runtimeTypes.has(event.type);
}
