// One search at any moment of its log: the same fold that the server runs, applied to the first n events. Forward costs
// only the new events; backward begins again from the first, which a few thousand events make cheap. What the runtime
// noted around the tree (widths, prunes, the exit) is folded beside it. Never changes the log.

import type { Answer, Cost, Exit } from '../../../src/log/end.ts';
import { isTreeEvent, type LoggedEvent, type RuntimeEvent } from '../../../src/log/events.ts';
import type { NodeId } from '../../../src/tree/events.ts';
import { Tree } from '../../../src/tree/tree.ts';

export interface Moment {
  /** How many events of the log it is made of. */
  readonly count: number;
  readonly tree: Tree | undefined;
  readonly width: { readonly primary: number; readonly speculative: number };
  /** Nodes at which a strand was pruned, with the rule that did it. */
  readonly prunedAt: ReadonlyMap<NodeId, string>;
  readonly exit: Exit | undefined;
  readonly answer: Answer | undefined;
  readonly cost: Cost | undefined;
  /** Set when an event does not fit: what follows it is not shown. */
  readonly fault: string | undefined;
}

type Changing = { -readonly [Key in keyof Moment]: Moment[Key] } & { prunedAt: Map<NodeId, string> };

function beginning(): Changing {
  return {
    count: 0,
    tree: undefined,
    width: { primary: 0, speculative: 0 },
    prunedAt: new Map(),
    exit: undefined,
    answer: undefined,
    cost: undefined,
    fault: undefined,
  };
}

export class Replay {
  readonly #log: readonly LoggedEvent[];
  #moment = beginning();

  /** The log may grow at its end between calls. */
  constructor(log: readonly LoggedEvent[]) {
    this.#log = log;
  }

  /** The moment after the first `count` events. The value is the replay's own and changes with the next call. */
  seek(count: number): Moment {
    const wanted = Math.max(0, Math.min(count, this.#log.length));
    if (wanted < this.#moment.count) this.#moment = beginning();
    while (this.#moment.count < wanted) {
      this.#apply(this.#log[this.#moment.count]!);
      this.#moment.count += 1;
    }
    return this.#moment;
  }

  #apply({ event, sequence }: LoggedEvent): void {
    const moment = this.#moment;
    if (moment.fault !== undefined) return;
    try {
      if (!isTreeEvent(event)) noteRuntime(moment, event);
      else if (event.type === 'planted') moment.tree = Tree.replay([event]);
      else moment.tree?.record(event);
    } catch (error) {
      moment.fault = `event ${sequence} does not fit: ${error instanceof Error ? error.message : String(error)}`;
    }
  }
}

function noteRuntime(moment: Changing, event: RuntimeEvent): void {
  switch (event.type) {
    case 'width':
      moment.width = { primary: event.primary, speculative: event.speculative };
      return;
    case 'pruned': {
      const strand = moment.tree?.strands.get(event.strand);
      if (strand !== undefined) moment.prunedAt.set(strand.node.id, event.rule);
      return;
    }
    case 'exited':
      moment.exit = event.exit;
      moment.answer = event.answer;
      moment.cost = event.cost;
      moment.width = { primary: 0, speculative: 0 };
      return;
    default:
      return;
  }
}
