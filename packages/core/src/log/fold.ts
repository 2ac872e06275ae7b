// The one fold of a whole log: tree events and runtime events in, what a reader of the search wants to know out. Of a search that
// runs in this process the runtime keeps it, around its own tree (`next`), and gateway, `ask` and library read it; recovery, the
// page, `replay` and checks fold a log that was written (`apply`). An event that does not fit ends the fold: `fault` says which,
// and what follows is left out. Pure; it decides nothing.

import { isFold, type NodeId, type TreeEvent } from '../tree/events.ts';
import { hasEnded, mayGrow, type Node, pathTo } from '../tree/node.ts';
import type { Audit } from '../tree/readings/audit.ts';
import { Tree } from '../tree/tree.ts';
import type { Answer, Cost, Evidence, Exit } from './end.ts';
import type { LogEntry } from './entry.ts';
import { isTreeEvent, type LoggedEvent, type RuntimeEvent, type SearchEvent } from './events.ts';

const nothing = { primary: 0, speculative: 0 } as const;

export class SearchFold {
  count = 0;
  sequence = -1;
  tree: Tree | undefined;
  width: { readonly primary: number; readonly speculative: number } = nothing;
  widthReason: Evidence | undefined;
  readonly prunedAt = new Map<NodeId, string>();
  submittedMs: number | undefined;
  admittedMs: number | undefined;
  exitedMs: number | undefined;
  exit: Exit | undefined;
  answer: Answer | undefined;
  audit: Audit | undefined;
  /** Counted by the process that ended the search: spending before a crash is in the tree alone. */
  cost: Cost | undefined;
  fault: string | undefined;
  /** Counts tokens while the search runs in this process; a log knows only whole steps. */
  meter: { readonly generatedTokens: number } | undefined;
  /** Changes of the best finished path's answer. */
  changes = 0;
  #best: Node | undefined;
  #bestRead: number | undefined;
  /** Child indices that were asked for and never answered, those of closed strands included. */
  readonly #unanswered = new Map<NodeId, Set<number>>();

  apply({ sequence, atMs, event, more }: LogEntry): void {
    this.#apply(sequence, atMs, event);
    if (more !== undefined) for (const each of more) this.#apply(sequence, atMs, each);
  }

  #apply(sequence: number, atMs: number, event: SearchEvent): void {
    if (this.fault === undefined && isTreeEvent(event)) {
      try {
        this.#record(event);
      } catch (error) {
        this.fault = `event ${sequence} does not fit: ${error instanceof Error ? error.message : String(error)}`;
      }
    }
    this.#note(sequence, atMs, event);
  }

  /** Takes the next event of a running search; the tree has recorded its own. `joins`: it stands in the entry of the one before. */
  next(search: string, atMs: number, event: SearchEvent, joins = false): LoggedEvent {
    const sequence = joins ? this.sequence : this.sequence + 1;
    this.#note(sequence, atMs, event);
    return { search, sequence, atMs, event };
  }

  #note(sequence: number, atMs: number, event: SearchEvent): void {
    this.count += 1;
    this.sequence = sequence;
    if (this.fault !== undefined) return;
    if (!isTreeEvent(event)) this.#noteRuntime(event, atMs);
    else if (event.type === 'asked') this.#expect(event.node, event.indices);
    else if (isFold(event)) {
      this.#unanswered.get(event.parent)?.delete(event.index);
      this.#noteBest();
    } else if (event.type === 'probed' && event.reply?.reward !== undefined && hasEnded(this.tree!.node(event.node)))
      this.#bestRead = Math.max(this.#bestRead ?? 0, event.reply.reward);
  }

  get nodes(): number {
    return this.tree?.nodes.length ?? 0;
  }

  get rollouts(): number {
    return this.tree?.closed.completed ?? 0;
  }

  get openStrands(): number {
    return this.tree?.strands.size ?? 0;
  }

  /** Tokens of nodes, without those that are generated and not yet told. */
  get tokens(): number {
    return this.tree?.tokens ?? 0;
  }

  get ghostTokens(): number {
    let sum = 0;
    for (const { step } of this.tree?.ghosts.values() ?? []) sum += step.tokens;
    return sum;
  }

  /** Every generated token, once; while the search runs here, those of steps under way too, as far as the engine tells them. */
  get generatedTokens(): number {
    if (this.exit === undefined && this.meter !== undefined) return this.meter.generatedTokens;
    return this.tokens + (this.cost?.discardedTokens ?? 0) + this.ghostTokens;
  }

  /** Best score of a path; if no step is scored, of the finished paths that the judge has read. */
  get bestScore(): number | undefined {
    const best = this.tree?.best;
    return best?.reward === undefined ? this.#bestRead : best.score;
  }

  /** The node of the answer once there is one, else the end of the best finished path. */
  get chosen(): Node | undefined {
    return (this.answer && this.tree?.nodes[this.answer.node]) ?? this.tree?.best;
  }

  /** From the root's child down to the node; empty for the root and for nodes that do not exist. */
  pathTo(id: NodeId): Node[] {
    const node = this.tree?.nodes[id];
    return node === undefined ? [] : pathTo(node);
  }

  /** It has children, and every child that was ever asked for has been answered: no path can leave it any other way. */
  isSettled(node: Node): boolean {
    const { id, children, fullAt } = node;
    if (fullAt !== undefined && mayGrow(node)) return false;
    return children.length > 0 && (this.#unanswered.get(id)?.size ?? 0) === 0;
  }

  #record(event: TreeEvent): void {
    if (event.type === 'planted' && this.tree === undefined) this.tree = Tree.replay([event]);
    else if (this.tree === undefined) throw new Error(`'${event.type}' before 'planted'`);
    else this.tree.record(event);
  }

  #expect(node: NodeId, indices: readonly number[]): void {
    const expected = this.#unanswered.get(node) ?? new Set();
    this.#unanswered.set(node, expected);
    for (const index of indices) expected.add(index);
  }

  #noteBest(): void {
    const best = this.tree?.best;
    if (best === this.#best) return;
    if (this.#best !== undefined && best?.answer !== this.#best.answer) this.changes += 1;
    this.#best = best;
  }

  #noteRuntime(event: RuntimeEvent, atMs: number): void {
    switch (event.type) {
      case 'submitted':
        this.submittedMs ??= atMs;
        return;
      case 'admitted':
        this.admittedMs ??= atMs;
        return;
      case 'width':
        this.width = { primary: event.primary, speculative: event.speculative };
        this.widthReason = event.why;
        return;
      case 'pruned': {
        const strand = this.tree?.strands.get(event.strand);
        if (strand !== undefined) this.prunedAt.set(strand.node.id, event.rule);
        return;
      }
      case 'exited':
        this.exit = event.exit;
        this.answer = event.answer;
        this.audit = event.audit;
        this.cost = event.cost;
        this.exitedMs = atMs;
        this.width = nothing;
        return;
      case 'cost':
        this.cost = event.cost;
        return;
      default:
        // A resumption, or a preempted strand, changes nothing that is shown.
        return;
    }
  }
}
