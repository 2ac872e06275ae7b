// A step in its place, with the statistics that selection reads. Only the fold (tree.ts) writes to a node.

import { raise } from '../base/fault.ts';
import { type Aggregation, extendScore, rootScore } from './aggregate.ts';
import type { Growth, NodeId, ProbeReply, StrandId } from './events.ts';
import { type NodeKey, rootKey } from './keys.ts';
import { isAllThought, type Step } from './step.ts';

export interface Node {
  readonly id: NodeId;
  readonly parent: Node | undefined;
  /** The first child index under which it was drawn. */
  readonly index: number;
  readonly depth: number;
  readonly step: Step | undefined;
  /** Tokens of all steps from the root to here, or from the last turn of the user's side. */
  readonly pathTokens: number;
  /** Thinking tokens among `pathTokens`. */
  readonly thoughtTokens: number;
  /** Steps of the path that are thinking from beginning to end: a limit in steps does not count them. */
  readonly thoughtSteps: number;
  /** The same for the same steps in any search: what draws, seeds and caches are keyed by. */
  readonly key: NodeKey;
  readonly reward: number | undefined;
  /** The probability that a sample from here ends right, where the verifier says so and a rule reads it. */
  readonly feedback: string | undefined;
  readonly score: number;
  readonly terminal: boolean;
  readonly answer: string | undefined;
  /** The open answers that mean the same, by the key of the first of them; undefined where it is compared by its words. */
  readonly group: NodeKey | undefined;
  /** Draws at which it is full, in a tree that grows draw by draw; undefined where an expansion is asked for as a whole. */
  readonly fullAt: number | undefined;
  /** In the order of their keys. */
  readonly children: Node[];
  /** Child index to child; identical siblings share one child. Undefined until the first child. */
  byIndex: Map<number, Node> | undefined;
  /** Child indices that were asked for and not answered, with the strand that asked: it may have gone on without them. */
  inFlight: Map<number, StrandId> | undefined;
  /** Replies to probes at this node, by probe index; undefined for a failed one. */
  probes: Map<number, ProbeReply | undefined> | undefined;
  /**
   * Its last expansion was preempted before every child was answered, and nothing has been asked here or one step below
   * since: the rest is still wanted. A failed child was answered and cuts nothing: the engine has had its tries, and a
   * child that can never come must not keep a node open. It is asked for again only along with what was preempted.
   */
  cut: boolean;
  pruned: boolean;
  /** Identical samples that this node stands for. */
  count: number;
  /** N, P0 §4.2. */
  visits: number;
  /** O, P0 §4.2: open strands whose current node is this one or lies below it. */
  pending: number;
  /** Sum of backed-up scores; Q = value / visits. */
  value: number;
  /** Sum of their squares, for how far they spread. */
  squares: number;
  /** New strands that may begin at or below this node: one per free leaf, or one per draw left where a tree grows draw by draw. */
  available: number;
}

export function makeRoot(aggregation: Aggregation, fullAt?: number): Node {
  if (fullAt !== undefined && !(Number.isInteger(fullAt) && fullAt > 0)) raise('bad-event', `nodes full at ${fullAt}`);
  return {
    id: 0,
    parent: undefined,
    index: 0,
    depth: 0,
    step: undefined,
    pathTokens: 0,
    thoughtTokens: 0,
    thoughtSteps: 0,
    key: rootKey,
    reward: undefined,
    feedback: undefined,
    score: rootScore(aggregation),
    terminal: false,
    answer: undefined,
    group: undefined,
    fullAt,
    ...untouched(false, fullAt),
  };
}

export function makeChild(id: NodeId, parent: Node, growth: Growth, aggregation: Aggregation): Node {
  const depth = parent.depth + 1;
  const { key, index, step, reward, feedback, terminal, answer, group } = growth;
  return {
    id,
    parent,
    index,
    depth,
    step,
    pathTokens: (step.turn === undefined ? parent.pathTokens : 0) + step.tokens,
    thoughtTokens: (step.turn === undefined ? parent.thoughtTokens : 0) + (step.thought?.tokens ?? 0),
    thoughtSteps: parent.thoughtSteps + (isAllThought(step) ? 1 : 0),
    key,
    reward,
    feedback,
    score: reward === undefined ? parent.score : extendScore(aggregation, parent.score, depth, reward),
    terminal,
    answer,
    group,
    fullAt: parent.fullAt,
    ...untouched(terminal, parent.fullAt),
  };
}

function untouched(terminal: boolean, fullAt = 1) {
  const none = { children: [], byIndex: undefined, inFlight: undefined, probes: undefined, cut: false, pruned: false };
  return { ...none, count: 1, visits: 0, pending: 0, value: 0, squares: 0, available: terminal ? 0 : fullAt };
}

/** Q, or undefined for a node that no completed strand has passed. */
export function meanValue(node: Node): number | undefined {
  return node.visits === 0 ? undefined : node.value / node.visits;
}

/** The model itself ended the answer here. One that was cut at a limit is terminal too, but no answer. A turn may go on from a whole answer. */
export function isComplete({ step }: Pick<Node, 'step'>): boolean {
  return step?.end === 'eos' && step.unshaped === undefined;
}

/** Nothing more comes of its answer: the model ended it, or a limit did. */
export function hasEnded(node: Pick<Node, 'terminal' | 'step'>): boolean {
  return node.terminal || isComplete(node);
}

/** A path has ended here and nothing goes on from it: the end of a rollout. */
export function isPathEnd(node: Node): boolean {
  return node.parent !== undefined && node.children.length === 0 && hasEnded(node);
}

/** It has an answer that can be told from others. */
export function saysSomething({ answer, group }: Node): boolean {
  return answer !== undefined || group !== undefined;
}

/** Draws that may still be asked for below a node of a tree that grows draw by draw: twins were asked for, one that failed is asked again. */
export function drawsLeft({ terminal, fullAt, byIndex, inFlight }: Node): number {
  return terminal || fullAt === undefined ? 0 : Math.max(0, fullAt - (byIndex?.size ?? 0) - (inFlight?.size ?? 0));
}

/** A leaf that may still get a child, children in flight or a cut expansion included; draw by draw, any node that is not full. */
export function mayGrow(node: Node): boolean {
  if (node.fullAt !== undefined) return !node.terminal && (node.byIndex?.size ?? 0) < node.fullAt;
  return !node.terminal && (node.children.length === 0 || node.cut || isExpanding(node));
}

export function isExpanding(node: Node): boolean {
  return node.inFlight !== undefined && node.inFlight.size > 0;
}

/** From the root's child down to the node itself; empty for the root. */
export function pathTo(node: Node): Node[] {
  const path: Node[] = [];
  for (let at: Node | undefined = node; at?.parent !== undefined; at = at.parent) path.push(at);
  return path.reverse();
}

/** The end of the path that is one message of the assistant: what comes behind the last turn of the user's side. */
export function lastMessage(node: Node): Node[] {
  const path = pathTo(node);
  const begin = path.findLastIndex(({ step }) => step?.turn !== undefined);
  return path.slice(Math.max(0, begin));
}

export function pathText(node: Node): string {
  return lastMessage(node)
    .map((each) => each.step?.text ?? '')
    .join('');
}

/** The assistant's last message behind the model's thinking. */
export function answerText(node: Node): string {
  return lastMessage(node)
    .map(({ step }) => answerPart(step))
    .join('');
}

export function answerPart(step: Step | undefined): string {
  return step?.thought === undefined ? (step?.text ?? '') : step.text.slice(step.thought.chars);
}
