// The fold: events in, tree out. `record` is the only way to change a tree; it applies one event and hands it to the
// listener, so that a log of the events replays to the same tree. An event that does not fit is a FaultError with code
// `bad-event` and leaves the tree as it was. Knows nothing of time, engines, leases or which program is growing it.

import type { AnswerTally } from '../answer/tally.ts';
import { never } from '../base/assert.ts';
import { raise } from '../base/fault.ts';
import { Absences } from './absences.ts';
import type { Aggregation } from './aggregate.ts';
import {
  type Closing,
  type Ghost,
  type Growth,
  type NodeId,
  plantedEvent,
  type StrandId,
  type TreeEvent,
} from './events.ts';
import { Ghosts } from './ghosts.ts';
import { type DrawKey, drawKey, formKey, type NodeKey } from './keys.ts';
import type { Learned } from './learned.ts';
import { hasEnded, isComplete, isExpanding, makeChild, makeRoot, type Node } from './node.ts';
import {
  abandonChildren,
  awaitChildren,
  awaitProbe,
  leaveBehind,
  makeStrand,
  type Stragglers,
  type Strand,
} from './strand.ts';
import { NodeUndo } from './undo.ts';
import {
  addPending,
  backUp,
  insertByKey,
  isBetter,
  keyed,
  mustBeReward,
  refreshAvailable,
  talliedAnswers,
} from './upkeep.ts';

type EventOf<Type> = Extract<TreeEvent, { readonly type: Type }>;

export class Tree {
  readonly aggregation: Aggregation;
  readonly root: Node;
  /** What earlier searches of the same model have shown, where its program learns. */
  readonly learned: Learned | undefined;
  readonly nodes: Node[];
  readonly strands = new Map<StrandId, Strand>();
  readonly stragglers = new Map<NodeId, Stragglers>();
  /** Children that the program has not asked for yet. */
  readonly ghosts: Ghosts;
  /** How strands ended, by kind. */
  readonly closed: Record<Closing, number> = { completed: 0, pruned: 0, preempted: 0, failed: 0, ended: 0 };
  /** Strands that failed since the last new step or completed path (a twin is no news), without those whose model turned out to be absent. */
  failuresInARow = 0;
  /** Models that draws have named and whose engines fail. */
  readonly absences: Absences;
  /** Tokens of every step that became a node or joined one, and of every probe. */
  tokens = 0;
  probeTokens = 0;
  /** Paths that have ended, and tokens on them. */
  endedPaths = 0;
  endedTokens = 0;
  /**
   * The end of the complete path with the highest score, of equals the one with the lowest key. A child counts once its expansion is
   * complete or given up: no rule sees a part of one.
   */
  best: Node | undefined;
  /** How many events it was told: what is read of a tree holds until this changes. */
  told = 0;
  #opened = 0;
  /** Made when first asked for: only a search that speculates looks nodes up by key. */
  #byKey: Map<NodeKey, Node> | undefined;
  /** Made when first asked for: only a rule or a person that wants to know how certain a search is. */
  #answers: AnswerTally | undefined;
  #listener: ((event: TreeEvent) => void) | undefined;
  /** Of a tree that looks ahead of another. */
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
    for (const [id, late] of tree.stragglers) this.stragglers.set(id, late);
    Object.assign(this.closed, tree.closed);
    this.failuresInARow = tree.failuresInARow;
    this.tokens = tree.tokens;
    this.probeTokens = tree.probeTokens;
    this.endedPaths = tree.endedPaths;
    this.endedTokens = tree.endedTokens;
    this.best = tree.best;
    this.#opened = tree.#opened;
    tree.#byKey ??= keyed(tree.nodes);
    this.#byKey = tree.#byKey;
    this.#undo = new NodeUndo(tree.nodes.length);
  }

  /** What is recorded from now on goes to this listener: for a tree that was folded from a log and grows on. */
  listen(listener: (event: TreeEvent) => void): void {
    this.#listener = listener;
  }

  record(event: TreeEvent): void {
    if (this.#undo !== undefined) this.#keep(event, this.#undo);
    this.#apply(event);
    this.#listener?.(event);
  }

  #keep(event: TreeEvent, undo: NodeUndo): void {
    if ('strand' in event) undo.keep(this.strands.get(event.strand)?.node);
    if ('node' in event) undo.keep(this.nodes[event.node]);
    if ('parent' in event) undo.keep(this.nodes[event.parent]);
    if ('into' in event) undo.keep(this.nodes[event.into]);
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

  /** What a child in flight would become at no cost: the ghost of its draw. */
  ghostFor(parent: Node, index: number): Ghost | undefined {
    return this.ghosts.size === 0 ? undefined : this.ghosts.get(this.#drawInFlight(parent, index));
  }

  #apply(event: TreeEvent): void {
    this.told += 1;
    switch (event.type) {
      case 'planted':
        return raise('bad-event', 'a tree is planted once');
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
        return this.#haunt(event);
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
    this.#mustBeInFlight(parent, growth.index);
    mustBeReward(growth.reward);
    mustBeReward(growth.promise);
    if (!Number.isSafeInteger(growth.key)) raise('bad-event', `node ${id} has no key but ${growth.key}`);
    if (parent.children.some(({ key }) => key === growth.key))
      raise('bad-event', `node ${id} has a twin: it is merged`);
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
    this.#mustBeInFlight(parent, index);
    const ghost = this.ghostFor(parent, index);
    if (ghost === undefined) return raise('bad-event', `child ${index} of node ${parent.id} is no ghost`);
    this.#grow(id, { ...ghost, parent: parent.id, group });
  }

  #merge(into: Node, parent: Node, index: number, tokens: number): void {
    if (into.parent !== parent) raise('bad-event', `node ${into.id} is no child of node ${parent.id}`);
    this.#mustBeInFlight(parent, index);
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
    this.#mustBeInFlight(parent, index);
    if (model !== undefined) this.absences.failed(model, code);
    const strand = this.waitingStrand(parent, index);
    if (model === undefined && strand !== undefined) strand.excused = false;
    this.#settle(parent, index);
    refreshAvailable(parent);
  }

  #mustBeInFlight(parent: Node, index: number): void {
    if (!parent.inFlight?.has(index)) raise('bad-event', `child ${index} of node ${parent.id} is not in flight`);
  }

  /** One child in flight is answered. */
  #settle(parent: Node, index: number): void {
    const strand = this.waitingStrand(parent, index);
    parent.inFlight?.delete(index);
    if (strand !== undefined) {
      strand.awaiting -= 1;
      if (strand.awaiting === 0) this.#consider(strand.landed);
    } else if (!isExpanding(parent)) {
      this.stragglers.delete(parent.id);
      this.#consider(parent.children);
    }
  }

  /** The strand that stands at a node and waits for a child in flight; undefined where it has gone on without it. */
  waitingStrand(parent: Node, index: number): Strand | undefined {
    const owner = parent.inFlight?.get(index);
    const strand = owner === undefined ? undefined : this.strands.get(owner);
    return strand?.node === parent ? strand : undefined;
  }

  #consider(nodes: readonly Node[]): void {
    for (const node of nodes) {
      if (isComplete(node) && (this.best === undefined || isBetter(node, this.best))) this.best = node;
    }
  }

  #haunt(event: Ghost): void {
    const { key, parentKey, index, form, step, reward, promise, feedback, terminal, answer } = event;
    const parent = this.nodeOf(parentKey) ?? this.ghosts.ofNode(parentKey);
    if (parent === undefined || parent.terminal || ('byIndex' in parent && parent.byIndex?.has(index))) {
      raise('bad-event', `child ${index} below key ${parentKey} cannot be a ghost`);
    }
    mustBeReward(reward);
    mustBeReward(promise);
    const ghost = { key, parentKey, index, form, step, terminal, reward, promise, feedback, answer };
    this.ghosts.add(drawKey(parentKey, index, form), ghost);
  }

  #drawInFlight(parent: Node, index: number): DrawKey {
    const asked = this.waitingStrand(parent, index) ?? this.stragglers.get(parent.id);
    if (asked?.sampling === undefined) return Number.NaN;
    return drawKey(parent.key, index, formKey(asked.sampling, asked.manner));
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

  /** The strand that waits for a probe. */
  probingStrand(node: Node, index: number): Strand | undefined {
    for (const strand of this.strands.values())
      if (strand.node === node && strand.probing?.index === index) return strand;
    return undefined;
  }

  #move(strand: Strand, node: Node): void {
    const isBelow = node.parent === strand.node;
    const waits = (isBelow ? 0 : strand.awaiting) + (strand.probing === undefined ? 0 : 1);
    if (waits > 0) raise('bad-event', `strand ${strand.id} waits for ${waits} answers`);
    if (strand.awaiting > 0) this.#leaveBehind(strand);
    addPending(strand.node, -1);
    strand.node = node;
    strand.landed = [];
    addPending(node, 1);
  }

  #leaveBehind(strand: Strand): void {
    this.#consider(strand.landed);
    this.stragglers.set(strand.node.id, leaveBehind(strand));
  }

  #close(strand: Strand, closing: Closing, value?: number): void {
    mustBeReward(value);
    if (closing === 'completed' && !hasEnded(strand.node) && value === undefined) {
      raise('bad-event', `strand ${strand.id} completes at an open node`);
    }
    // A pruned strand counts with the score it had, the most it could still have come to, and where a promise is known with as
    // much of it as that says, or with the value that its rule gave it: without a visit, selection would lead the next one to the same place.
    if (closing === 'completed') backUp(strand.node, value ?? strand.node.score);
    if (closing === 'pruned') backUp(strand.node, value ?? strand.node.score * (strand.node.promise ?? 1));
    strand.node.pruned ||= closing === 'pruned';
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
