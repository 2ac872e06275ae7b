// A live search: its tree, its flights, its leases and its account, with readings that several phases of the loop share.

import type { Lane, PathStep, RequestId } from '../../engine/engine.ts';
import type { SearchView } from '../../exit/exit.ts';
import { doomedBy } from '../../exit/prune.ts';
import type { Answer, Cost, Exit } from '../../log/end.ts';
import { SearchFold } from '../../log/fold.ts';
import { bestAnswer, certainAnswer, saidAnswer, weighedAnswer } from '../../program/choice.ts';
import type { Doomed } from '../../program/program.ts';
import type { RunningSearch, WaitingSearch, Width } from '../../scheduler/scheduler.ts';
import type { SearchGuesses } from '../../scheduler/speculation-budget.ts';
import type { QueueStanding } from '../../scheduler/turns/order.ts';
import { isBound } from '../../tree/aggregate.ts';
import type { StrandId } from '../../tree/events.ts';
import type { DrawKey, FormKey } from '../../tree/keys.ts';
import type { Node } from '../../tree/node.ts';
import { treeBelief } from '../../tree/readings/certaindex.ts';
import { courseOf, worthOf } from '../../tree/readings/worth.ts';
import type { Manner, Step } from '../../tree/step.ts';
import type { Tree } from '../../tree/tree.ts';
import type { Lease } from '../budget/leases.ts';
import { type WorkDone, workKind } from '../budget/work-meter.ts';
import type { Breakage } from '../guard/guard.ts';
import { type Breakable, guardedExtract, guardedProgram, guardedRules } from '../guard/search-parts.ts';
import { DrawnSteps } from './drawn-steps.ts';
import { FoldOrder } from './fold-order.ts';
import { Ledger } from './ledger.ts';
import type { OpenAnswers } from './open-answers.ts';
import type { AnswerShape, SearchRequest, SearchResult } from './request.ts';
import { SpeculationState } from './speculation-state.ts';
import { Spending } from './spending.ts';

export interface Flight {
  readonly id: RequestId;
  readonly search: Search;
  /** Below a ghost, and for a guessed probe, a node of the look ahead's copy of the tree. */
  node: Node;
  readonly index: number;
  readonly form: FormKey;
  readonly draw: DrawKey;
  readonly path: readonly PathStep[];
  readonly manner: Manner | undefined;
  readonly shape: AnswerShape | undefined;
  readonly isProbe: boolean;
  /** Tokens to the end of the path, where it is drawn whole. */
  readonly wholeTokens?: number | undefined;
  lane: Lane;
  adopted?: boolean;
  readonly step: Step | undefined;
  /** Kept until the engine has answered, so that its tokens are counted. */
  cancelled: boolean;
  streamedTokens: number;
  /** `streamedTokens` at its last timeout. */
  heardTokens: number;
  /** Timeouts that have passed: a whole draw has one for each step that it may be. */
  timeouts: number;
}

interface SearchSetup {
  readonly tree: Tree;
  readonly fold?: SearchFold | undefined;
  readonly arrivalMs: number;
  readonly turn: number;
  readonly grouping?: { openAnswers(search: Search): OpenAnswers | undefined };
  readonly keeper?: { broke(search: Search, breakage: Breakage): void };
}

export class Search implements Breakable {
  readonly request: SearchRequest;
  tree: Tree;
  readonly fold: SearchFold;
  readonly arrivalMs: number;
  readonly kind: string;
  /** Lower is admitted first; see scheduler/turns/weighted-fair-queueing.ts. */
  readonly turn: number;
  /** A revived search reads its log when its turn has come; its tree is bare until then. */
  log: 'own' | 'unread' | 'asked' | 'read' = 'own';
  admittedMs: number | undefined;
  width: Width = { primary: 0, speculative: 0 };
  readonly ledger = new Ledger();
  readonly spending: Spending;
  readonly open: OpenAnswers | undefined;
  readonly order: FoldOrder;
  unanswered = 0;
  readonly leases = new Map<StrandId, Lease>();
  readonly flights = new Map<DrawKey, Flight>();
  readonly drawn = new DrawnSteps();
  readonly speculation = new SpeculationState();
  /** Place of its requests in the engine's queue, by the last decision; undefined if it set none. */
  urgency: number | undefined;
  #seenTokens = 0;
  /** The last decision's view of it, and how many events its tree had then. */
  #asRunning: { readonly told: number; readonly seen: RunningSearch } | undefined;
  #broken: Breakage | undefined;
  readonly #keeper: SearchSetup['keeper'];

  constructor(request: SearchRequest, { tree, fold, arrivalMs, turn, grouping, keeper }: SearchSetup) {
    const { program, rules, extract, limits } = request;
    this.kind = workKind(program.name, limits.rollouts);
    this.request = {
      ...request,
      program: guardedProgram(program, this),
      rules: guardedRules(rules, this),
      extract: guardedExtract(extract, this),
    };
    this.tree = tree;
    this.fold = fold ?? new SearchFold();
    this.fold.meter = this.ledger;
    this.spending = new Spending(request);
    this.arrivalMs = arrivalMs;
    this.turn = turn;
    this.#keeper = keeper;
    this.open = grouping?.openAnswers(this);
    this.order = new FoldOrder(this.open);
  }

  get id(): string {
    return this.request.id;
  }

  get hasLog(): boolean {
    return this.log === 'own' || this.log === 'read';
  }

  get isBroken(): boolean {
    return this.#broken !== undefined;
  }

  broke(breakage: Breakage): void {
    if (this.#broken !== undefined) return;
    this.#broken = breakage;
    this.#keeper?.broke(this, breakage);
  }

  exitFor(exit: Exit): Exit {
    return this.#broken === undefined ? exit : { kind: 'failed', rule: 'threw', evidence: { ...this.#broken } };
  }

  get isIdle(): boolean {
    return this.request.idle === true;
  }

  get mayGuess(): boolean {
    return (this.request.rules.speculate ?? 0) > 0;
  }

  get naturalWidth(): number {
    return this.request.program.naturalWidth;
  }

  /** `tree` may be a fork that looks ahead. */
  view(nowMs: number, tree = this.tree): SearchView {
    const { arrivalMs } = this;
    const { limits, program } = this.request;
    const belief = program.belief?.(tree) ?? treeBelief(tree);
    const spent = () => this.spending.money ?? 0;
    return { tree, belief, limits, nowMs, arrivalMs, admittedMs: this.admittedMs ?? nowMs, spent };
  }

  /** Nodes where its prune rules let no strand begin or, with `all`, would end one. Undefined while they end nothing. */
  doomed(nowMs: number, all = false): Doomed | undefined {
    const { prunes } = this.request.rules;
    return prunes.length === 0 ? undefined : doomedBy(prunes, this.view(nowMs), all);
  }

  isOverdue(nowMs: number): boolean {
    const { deadlineMs } = this.request.limits;
    return deadlineMs !== undefined && nowMs - this.arrivalMs >= deadlineMs;
  }

  asWaiting(standing: QueueStanding | undefined): WaitingSearch {
    const { id, turn, naturalWidth, isIdle: idle } = this;
    const { rules, limits } = this.request;
    // A revived search is never given up while it waits: what it has done may be its answer.
    const deadlineMs = this.log === 'own' ? limits.deadlineMs : undefined;
    const deadlineAtMs = deadlineMs === undefined ? undefined : this.arrivalMs + deadlineMs;
    return { id, turn, naturalWidth, speculate: rules.speculate, deadlineAtMs, idle, standing };
  }

  /** Cached until the tree's next event, unless the decision reads standing or guesses. */
  asRunning(standing: QueueStanding | undefined, changing?: number, speculates = true): RunningSearch {
    const { tree, width } = this;
    const last = this.#asRunning;
    const isOfTheMoment = speculates || standing !== undefined;
    if (last?.told === tree.told && !isOfTheMoment) {
      const { seen } = last;
      if (seen.tree === tree && seen.width === width && seen.changing === changing) return seen;
    }
    const seen = this.#seen(standing, changing, speculates ? this.#guessed() : undefined);
    this.#asRunning = isOfTheMoment ? undefined : { told: tree.told, seen };
    return seen;
  }

  #seen(
    standing: QueueStanding | undefined,
    changing: number | undefined,
    guesses: SearchGuesses | undefined,
  ): RunningSearch {
    const { program, limits } = this.request;
    const { tree } = this;
    const isPriced = limits.price !== undefined;
    return {
      id: this.id,
      arrivalMs: this.arrivalMs,
      // A sample that was begun is ended: what a search with a price has open is not taken from it.
      naturalWidth: isPriced ? Math.max(1, tree.strands.size) : program.naturalWidth,
      worth: isPriced ? worthOver(tree, limits.rollouts) : undefined,
      tree,
      threshold: limits.threshold,
      hopeful: this.#isHopeful(),
      changing,
      idle: this.isIdle,
      standing,
      speculate: this.request.rules.speculate,
      guesses,
      demand: this.#demand(),
      openStrands: tree.strands.size,
      width: this.width,
      rolloutsLeft: Math.max(this.#rolloutsLeft(), isPriced ? tree.strands.size : 0),
      observations: tree.closed.completed,
      progress: tree.best?.reward === undefined ? 0 : tree.best.score / limits.threshold,
    };
  }

  /** If scores only fall, a score below the threshold is never accepted; else hope lasts until the first rollout ends. */
  #isHopeful(): boolean {
    const { strands, closed, aggregation } = this.tree;
    if (closed.completed + closed.pruned > 0) return false;
    if (!isBound(aggregation)) return true;
    for (const { node } of strands.values()) if (node.score >= this.request.limits.threshold) return true;
    return strands.size === 0;
  }

  #guessed(): SearchGuesses {
    const { open, guesses } = this.speculation;
    const { guessed: made, right } = guesses.total;
    return { capacity: this.foreseeable, open: open.size, made, right, kvTokens: this.tree.tokens };
  }

  foresawAll(): void {
    this.speculation.foresawAll(this.fold.count, this.order.earlyCount);
  }

  get foreseeable(): number {
    return this.speculation.capacity(this.fold.count, this.order.earlyCount);
  }

  #demand(): number {
    const { program, rules, limits } = this.request;
    const demand = program.demand(this.tree);
    if (limits.price !== undefined) return Math.max(this.tree.strands.size, demand);
    return rules.boost ? demand : Math.min(demand, program.naturalWidth, Math.max(1, this.#rolloutsLeft()));
  }

  #rolloutsLeft(): number {
    const { completed, pruned } = this.tree.closed;
    return Math.max(0, this.request.limits.rollouts - completed - pruned);
  }

  /** True after a tenth more tokens: then the work left is estimated again. */
  hasGrown(): boolean {
    const { tokens } = this.tree;
    if (tokens < 1.1 * this.#seenTokens) return false;
    this.#seenTokens = tokens;
    return true;
  }

  done(): WorkDone {
    const { nodes, tokens, closed, endedPaths: paths, endedTokens } = this.tree;
    return {
      tokens,
      steps: nodes.length - 1,
      rollouts: closed.completed + closed.pruned,
      paths,
      pathTokens: paths === 0 ? 0 : endedTokens / paths,
      rolloutsLeft: this.#rolloutsLeft(),
    };
  }

  knows(draw: DrawKey): boolean {
    const { flights, tree, order, speculation } = this;
    return flights.has(draw) || tree.ghosts.has(draw) || order.holds(draw) || speculation.replies.has(draw);
  }

  result(exit: Exit, endedMs: number): SearchResult {
    const { tree, arrivalMs, admittedMs } = this;
    const answer = this.#answer(exit);
    return {
      id: this.id,
      exit: this.exitFor(exit),
      answer,
      cost: this.cost(),
      nodes: tree.nodes.length,
      rollouts: tree.closed.completed,
      arrivalMs,
      admittedMs,
      endedMs,
    };
  }

  /** An accepted or certain answer goes before any vote. */
  #answer(exit: Exit): Answer | undefined {
    const { node } = exit.evidence;
    const isNamed = exit.kind === 'certain' && typeof node === 'number';
    const named = exit.kind === 'accepted' ? bestAnswer(this.tree) : isNamed && certainAnswer(this.tree, node);
    const chosen = named || this.request.program.answer(this.tree);
    const said = this.request.marked ? saidAnswer(this.tree, chosen) : chosen;
    const { scoring, confidence } = this.request;
    return said && weighedAnswer(this.tree, said, scoring === 'verifier', confidence);
  }

  cost(): Cost {
    let ghostTokens = this.order.orphanTokens;
    for (const ghost of this.tree.ghosts.values()) ghostTokens += ghost.step.tokens;
    for (const reply of this.speculation.replies.values()) ghostTokens += reply.tokens;
    return { ...this.ledger.cost(ghostTokens), ...this.spending.cost() };
  }
}

function worthOver(tree: Tree, most: number): number {
  const { standing } = courseOf(tree, most);
  return standing.samples === 0 ? 1 : worthOf(standing) / (tree.terms?.price ?? 1);
}
