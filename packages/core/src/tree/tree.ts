// The fold: events in, tree out. `record` is the only way to change a tree; it applies one event and hands it to the
// listener, so that a log of the events replays to the same tree. An event that does not fit is a FaultError with code
// `bad-event` and leaves the tree as it was. Knows nothing of time, engines, leases or which program is growing it.
// One long file on purpose: what each event does to counters and indexes that nothing else may write. What it does to a strand, a
// ghost or a node alone stands in their files.

import type { AnswerTally } from '../answer/entropy.ts';
import { never } from '../base/assert.ts';
import { raise } from '../base/fault.ts';
import { Absences } from './absences.ts';
import type { Aggregation } from './aggregate.ts';
import {
  type Closing,
  type EventOf,
  type Ghost,
  type Growth,
  type Learned,
  type NodeId,
  plantedEvent,
  type StrandId,
  type Terms,
  type TreeEvent,
} from './events.ts';
import { Ghosts } from './ghosts.ts';
import { type DrawKey, drawKey, formKey, type NodeKey } from './keys.ts';
import { hasEnded, isComplete, isExpanding, makeChild, makeRoot, type Node } from './node.ts';
import {
  abandonChildren,
  awaitChildren,
  awaitProbe,
  backUpClosing,
  makeStrand,
  moveTo,
  mustBeFree,
  type Strand,
} from './strand.ts';
import { NodeUndo } from './undo.ts';
import {
  addPending,
  insertByKey,
  isBetter,
  keyed,
  mustBeInFlight,
  mustBeNewChild,
  refreshAvailable,
  talliedAnswers,
} from './upkeep.ts';

export class Tree {
  readonly aggregation: Aggregation;
  readonly root: Node;
  readonly learned: Learned | undefined;
  readonly nodes: Node[];
  readonly strands = new Map<StrandId, Strand>();
  readonly ghosts: Ghosts;
  readonly closed: Record<Closing, number> = { completed: 0, pruned: 0, preempted: 0, failed: 0, ended: 0 };
  /** Strands that failed since the last new step or completed path (a twin is no news), without those whose model turned out to be absent. */
  failuresInARow = 0;
  readonly absences: Absences;
  /** Tokens of every step that became a node or joined one, and of every probe. */
  tokens = 0;
  probeTokens = 0;
  /** Undefined where nothing is weighed. */
  terms: Terms | undefined;
  /** Paths that have ended, and tokens on them. */
  endedPaths = 0;
  endedTokens = 0;
  /** The end of the best complete path, by score and then by key. A child counts once its expansion is complete or given up. */
  best: Node | undefined;
  /** Counts events: readings of a tree hold until it changes. */
  told = 0;
  #opened = 0;
  /** Made when first asked for: only a search that speculates looks nodes up by key. */
  #byKey: Map<NodeKey, Node> | undefined;
  /** Made when first asked for: only a rule or a person that wants to know how certain a search is. */
  #answers: AnswerTally | undefined;
  /** How children were asked for that their strand has left behind, which only logs of former versions do. */
  readonly #left = new Map<NodeId, Pick<Strand, 'sampling' | 'manner'>>();
  #listener: ((event: TreeEvent) => void) | undefined;
  /** Set in a tree that looks ahead of another. */
  #undo: NodeUndo | undefined;

  private constructor(
    root: Node,
    { aggregation, learned }: Pick<Tree, 'aggregation' | 'learned'>,
    listener?: (event: TreeEvent) => void,
    from?: Tree,
  ) {
    this.aggregation = aggregation;
    this.learned = learned;
    this.#listener = listener;
    this.root = root;
    this.nodes = from?.nodes ?? [root];
    this.ghosts = new Ghosts(from?.ghosts);
    this.absences = new Absences(from?.absences);
  }

  static plant(aggregation: Aggregation, listener?: (event: TreeEvent) => void, fullAt?: number): Tree {
    const planted = plantedEvent(aggregation, fullAt);
    const tree = Tree.replay([planted], listener);
    listener?.(planted);
    return tree;
  }

  /** The tree that a log describes; events recorded later go to the listener, those of the log do not. */
  static replay(events: Iterable<TreeEvent>, listener?: (event: TreeEvent) => void): Tree {
    let tree: Tree | undefined;
    for (const event of events) {
      if (tree === undefined) {
        if (event.type !== 'planted') raise('bad-event', `a log begins with 'planted', not with '${event.type}'`);
        const { aggregation, fullAt, learned } = event;
        tree = new Tree(makeRoot(aggregation, fullAt), { aggregation, learned }, listener);
      } else {
        tree.#apply(event);
      }
    }
    return tree ?? raise('bad-event', 'a log cannot be empty');
  }

  /**
   * Gives `look` this tree as one that may be grown on, to see what would come: it has strands, ghosts and counters of its own and no
   * listener. The nodes are shared, and are as they were before when `look` is done; until then this tree says nothing true of them.
   */
  ahead<Seen>(look: (ahead: Tree) => Seen): Seen {
    const ahead = new Tree(this.root, this, undefined, this);
    ahead.#continue(this);
    const known = this.nodes.length;
    try {
      return look(ahead);
    } finally {
      ahead.#undo?.takeBack();
      for (const { key } of this.nodes.splice(known)) this.#byKey?.delete(key);
    }
  }

  #continue(tree: Tree): void {
    for (const [id, strand] of tree.strands) this.strands.set(id, { ...strand, landed: [...strand.landed] });
    Object.assign(this.closed, tree.closed);
    this.failuresInARow = tree.failuresInARow;
    this.tokens = tree.tokens;
    this.probeTokens = tree.probeTokens;
    this.terms = tree.terms;
    this.endedPaths = tree.endedPaths;
    this.endedTokens = tree.endedTokens;
    this.best = tree.best;
    this.#opened = tree.#opened;
    tree.#byKey ??= keyed(tree.nodes);
    this.#byKey = tree.#byKey;
    this.#undo = new NodeUndo(tree.nodes.length);
  }

  /** Sends later events to this listener: for a tree that was folded from a log and grows on. */
  listen(listener: (event: TreeEvent) => void): void {
    this.#listener = listener;
  }

  record(event: TreeEvent): void {
    this.#undo?.keepFor(event, this);
    this.#apply(event);
    this.#listener?.(event);
  }

  get nextStrand(): StrandId {
    return this.#opened;
  }

  get nextNode(): NodeId {
    return this.nodes.length;
  }

  node(id: NodeId): Node {
    return this.nodes[id] ?? raise('unknown-node', `no node ${id} in a tree of ${this.nodes.length}`);
  }

  strand(id: StrandId): Strand {
    return this.strands.get(id) ?? raise('bad-event', `strand ${id} is not open`);
  }

  nodeOf(key: NodeKey): Node | undefined {
    this.#byKey ??= keyed(this.nodes);
    return this.#byKey.get(key);
  }

  /** The answers of all paths that have one, twins counted; kept up from the first time it is read. */
  get answers(): AnswerTally {
    this.#answers ??= talliedAnswers(this.nodes);
    return this.#answers;
  }

  /** The strand that stands at a node and waits for a child in flight; undefined where it has gone on without it. */
  waitingStrand(parent: Node, index: number): Strand | undefined {
    const owner = parent.inFlight?.get(index);
    const strand = owner === undefined ? undefined : this.strands.get(owner);
    return strand?.node === parent ? strand : undefined;
  }

  probingStrand(node: Node, index: number): Strand | undefined {
    return [...this.strands.values()].find((strand) => strand.node === node && strand.probing?.index === index);
  }

  /** The ghost that a child in flight would become at no cost. */
  ghostFor(parent: Node, index: number): Ghost | undefined {
    return this.ghosts.size === 0 ? undefined : this.ghosts.get(this.#drawInFlight(parent, index));
  }

  #drawInFlight(parent: Node, index: number): DrawKey {
    const asked = this.waitingStrand(parent, index) ?? this.#left.get(parent.id);
    if (asked?.sampling === undefined) return Number.NaN;
    return drawKey(parent.key, index, formKey(asked.sampling, asked.manner));
  }

  #apply(event: TreeEvent): void {
    this.told += 1;
    switch (event.type) {
      case 'planted':
        return raise('bad-event', 'a tree is planted once');
      case 'priced':
        return this.#price(event);
      case 'opened':
        return this.#open(event.strand, this.#known(event.node));
      case 'asked':
        return this.#ask(this.strand(event.strand), this.#known(event.node), event);
      case 'grown':
        return this.#grow(event.node, event);
      case 'adopted':
        return this.#adopt(event.node, this.#known(event.parent), event);
      case 'merged':
        return this.#merge(this.#known(event.into), this.#known(event.parent), event.index, event.tokens);
      case 'withered':
        return this.#wither(this.#known(event.parent), event);
      case 'ghosted':
        return this.ghosts.add(event, this.nodeOf(event.parentKey));
      case 'probing':
        return awaitProbe(this.strand(event.strand), this.#known(event.node), event);
      case 'probed':
        return this.#noteProbe(this.#known(event.node), event);
      case 'moved':
        return this.#move(this.strand(event.strand), this.#known(event.node));
      case 'closed':
        return this.#close(this.strand(event.strand), event.closing, event.value);
      default:
        return never(event, 'tree event');
    }
  }

  #price({ type: _, ...terms }: EventOf<'priced'>): void {
    this.terms = terms;
  }

  #open(id: StrandId, node: Node): void {
    if (id !== this.#opened) raise('bad-event', `the next strand is ${this.#opened}, not ${id}`);
    this.#opened += 1;
    this.strands.set(id, makeStrand(id, node));
    addPending(node, 1);
  }

  #ask(strand: Strand, node: Node, asked: EventOf<'asked'>): void {
    awaitChildren(strand, node, asked);
    const model = asked.manner?.model;
    strand.excused = model !== undefined && !this.absences.has(model);
  }

  #grow(id: NodeId, growth: Growth): void {
    const parent = this.#known(growth.parent);
    if (id !== this.nodes.length) raise('bad-event', `the next node is ${this.nodes.length}, not ${id}`);
    mustBeNewChild(id, parent, growth);
    const child = makeChild(id, parent, growth, this.aggregation);
    this.nodes.push(child);
    this.#byKey?.set(child.key, child);
    insertByKey(parent.children, child);
    this.tokens += growth.step.tokens;
    if (hasEnded(child)) {
      this.endedPaths += 1;
      this.endedTokens += child.pathTokens;
    }
    this.failuresInARow = 0;
    if (growth.step.model !== undefined) this.absences.wrote(growth.step.model);
    this.#land(parent, growth.index, child);
  }

  #adopt(id: NodeId, parent: Node, { index, group }: EventOf<'adopted'>): void {
    mustBeInFlight(parent, index);
    const ghost = this.ghostFor(parent, index);
    if (ghost === undefined) return raise('bad-event', `child ${index} of node ${parent.id} is no ghost`);
    this.#grow(id, { ...ghost, parent: parent.id, group });
  }

  #merge(into: Node, parent: Node, index: number, tokens: number): void {
    if (into.parent !== parent) raise('bad-event', `node ${into.id} is no child of node ${parent.id}`);
    mustBeInFlight(parent, index);
    into.count += 1;
    this.tokens += tokens;
    this.#land(parent, index, into);
  }

  #land(parent: Node, index: number, child: Node): void {
    parent.byIndex ??= new Map();
    parent.byIndex.set(index, child);
    if (hasEnded(child)) this.#answers?.add(child);
    if (this.ghosts.size > 0) this.ghosts.delete(this.#drawInFlight(parent, index));
    this.waitingStrand(parent, index)?.landed.push(child);
    this.#settle(parent, index);
    refreshAvailable(parent);
  }

  #wither(parent: Node, { index, code, model }: EventOf<'withered'>): void {
    mustBeInFlight(parent, index);
    if (model !== undefined) this.absences.failed(model, code);
    const strand = this.waitingStrand(parent, index);
    if (model === undefined && strand !== undefined) strand.excused = false;
    this.#settle(parent, index);
    refreshAvailable(parent);
  }

  #settle(parent: Node, index: number): void {
    const strand = this.waitingStrand(parent, index);
    parent.inFlight?.delete(index);
    if (strand !== undefined) {
      strand.awaiting -= 1;
      if (strand.awaiting === 0) this.#consider(strand.landed);
    } else if (!isExpanding(parent)) this.#consider(parent.children);
  }

  #consider(nodes: readonly Node[]): void {
    for (const node of nodes) {
      if (isComplete(node) && (this.best === undefined || isBetter(node, this.best))) this.best = node;
    }
  }

  #noteProbe(node: Node, { index, reply, code, model }: EventOf<'probed'>): void {
    const strand = this.probingStrand(node, index);
    if (strand === undefined) return raise('bad-event', `no strand waits for probe ${index} of node ${node.id}`);
    strand.probing = undefined;
    if (model !== undefined && code !== undefined) this.absences.failed(model, code);
    if (reply?.model !== undefined) this.absences.wrote(reply.model);
    node.probes ??= new Map();
    node.probes.set(index, reply);
    this.tokens += reply?.tokens ?? 0;
    this.probeTokens += reply?.tokens ?? 0;
  }

  #move(strand: Strand, node: Node): void {
    mustBeFree(strand, node);
    if (strand.awaiting > 0) {
      this.#consider(strand.landed);
      this.#left.set(strand.node.id, { ...strand });
      strand.awaiting = 0;
    }
    moveTo(strand, node);
  }

  #close(strand: Strand, closing: Closing, value?: number): void {
    backUpClosing(strand, closing, value);
    if (strand.awaiting > 0) {
      abandonChildren(strand, closing);
      this.#consider(strand.landed);
    }
    addPending(strand.node, -1);
    this.strands.delete(strand.id);
    this.closed[closing] += 1;
    if (closing === 'failed' && !strand.excused) this.failuresInARow += 1;
    if (closing === 'completed') this.failuresInARow = 0;
  }

  #known(id: NodeId): Node {
    return this.nodes[id] ?? raise('bad-event', `no node ${id} in a tree of ${this.nodes.length}`);
  }
}
