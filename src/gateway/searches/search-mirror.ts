// What the gateway knows of one search: a light fold of its log, the same live and after a restart. Holds enough to
// show it, to stream it and to make its result, and nothing that selection needs. Never asks the runtime anything.

import type { Answer, Cost, Exit } from '../../log/end.ts';
import type { LoggedEvent, SearchEvent } from '../../log/events.ts';
import { type Aggregation, extendScore, rootScore } from '../../tree/aggregate.ts';
import type { Growth, NodeId } from '../../tree/events.ts';
import type { StepEnd } from '../../tree/step.ts';

export interface MirrorNode {
  readonly id: NodeId;
  readonly parent: MirrorNode | undefined;
  readonly depth: number;
  readonly text: string;
  readonly tokens: number;
  readonly pathTokens: number;
  readonly end: StepEnd;
  readonly score: number;
  readonly terminal: boolean;
  readonly children: MirrorNode[];
  /** Child indices that were asked for and never answered, those of closed strands included. */
  unanswered: Set<number> | undefined;
}

export interface Exited {
  readonly exit: Exit;
  readonly answer: Answer | undefined;
  readonly cost: Cost;
}

export class SearchMirror {
  readonly nodes: MirrorNode[] = [];
  sequence = -1;
  rollouts = 0;
  openStrands = 0;
  width = { primary: 0, speculative: 0 };
  /** Of nodes; what is generated and not yet told is not in it. */
  tokens = 0;
  admittedMs: number | undefined;
  exitedMs: number | undefined;
  exited: Exited | undefined;
  bestScore: number | undefined;
  #aggregation: Aggregation = 'product';
  readonly #ghosts = new Map<string, number>();

  apply({ sequence, atMs, event }: LoggedEvent): void {
    this.sequence = sequence;
    this.#fold(event, atMs);
  }

  /** Tokens of speculative steps that no program has asked for. */
  get ghostTokens(): number {
    return [...this.#ghosts.values()].reduce((sum, tokens) => sum + tokens, 0);
  }

  /** From the root's child down to the node; empty for the root and for nodes that do not exist. */
  pathTo(id: NodeId): MirrorNode[] {
    const path: MirrorNode[] = [];
    for (let at = this.nodes[id]; at?.parent !== undefined; at = at.parent) path.push(at);
    return path.reverse();
  }

  #fold(event: SearchEvent, atMs: number): void {
    switch (event.type) {
      case 'planted':
        this.#aggregation = event.aggregation;
        this.nodes.push(makeRoot(event.aggregation));
        return;
      case 'opened':
        this.openStrands += 1;
        return;
      case 'closed':
        this.openStrands -= 1;
        if (event.closing === 'completed') this.rollouts += 1;
        return;
      case 'asked':
        return this.#ask(event.node, event.indices);
      case 'grown':
        return this.#grow(event.node, event);
      case 'merged':
        this.tokens += event.tokens;
        return this.#settle(event.parent, event.index);
      case 'withered':
        return this.#settle(event.parent, event.index);
      case 'ghosted':
        this.#ghosts.set(`${event.parent}/${event.index}`, event.step.tokens);
        return;
      case 'admitted':
        this.admittedMs ??= atMs;
        return;
      case 'width':
        this.width = { primary: event.primary, speculative: event.speculative };
        return;
      case 'exited':
        this.exited = { exit: event.exit, answer: event.answer, cost: event.cost };
        this.exitedMs = atMs;
        return;
      default:
        // Moves, preemptions and the rest change nothing that is shown here.
        return;
    }
  }

  #ask(id: NodeId, indices: readonly number[]): void {
    const node = this.nodes[id];
    if (node === undefined) return;
    node.unanswered ??= new Set();
    for (const index of indices) node.unanswered.add(index);
  }

  #grow(id: NodeId, { parent: at, index, step, reward, terminal }: Growth): void {
    const parent = this.nodes[at];
    if (parent === undefined) return;
    const depth = parent.depth + 1;
    const score = reward === undefined ? parent.score : extendScore(this.#aggregation, parent.score, depth, reward);
    const { text, tokens, end } = step;
    const pathTokens = parent.pathTokens + tokens;
    const blank = { children: [], unanswered: undefined };
    const node: MirrorNode = { id, parent, depth, text, tokens, pathTokens, end, score, terminal, ...blank };
    this.nodes[id] = node;
    parent.children.push(node);
    this.tokens += tokens;
    if (terminal) this.bestScore = Math.max(score, this.bestScore ?? Number.NEGATIVE_INFINITY);
    this.#settle(at, index);
  }

  #settle(parent: NodeId, index: number): void {
    this.nodes[parent]?.unanswered?.delete(index);
    this.#ghosts.delete(`${parent}/${index}`);
  }
}

function makeRoot(aggregation: Aggregation): MirrorNode {
  const nothing = { text: '', tokens: 0, pathTokens: 0, end: 'delimiter', terminal: false } as const;
  return {
    id: 0,
    parent: undefined,
    depth: 0,
    ...nothing,
    score: rootScore(aggregation),
    children: [],
    unanswered: undefined,
  };
}
