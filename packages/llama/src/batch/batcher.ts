// Continuous batching: decides which rows the next decode computes, and takes the logits back. A sequence is a list of tokens of which the
// first ones are in the cache; a batch lets some of them catch up. There is no prefill and no decode phase: a new sequence lacks many
// tokens, a running one the token it drew last. A sequence that draws what a twin has drawn follows it without a row of its own.
// Pure but for the cache operations behind PrefixStore.

import { assert, Counter } from '@coppice/core/base';
import type { Urgency } from '@coppice/core/engine';
import type { CacheSegment } from '../prefix-cache/cache-segment.ts';
import type { PrefixStore } from '../prefix-cache/prefix-store.ts';
import { PrefixOrder } from './prefix-order.ts';
import { PresentSearches } from './present-searches.ts';
import {
  type Batch,
  goesBefore,
  type Row,
  type Run,
  type RunCounts,
  type Sequence,
  sameTokens,
  sharesMoreThan,
  type WaitingRun,
} from './run.ts';

export interface BatcherOptions {
  readonly runningLimit: number;
  /** Rows of a decode: at 64 the CPU kernel of flash attention changes, becomes slower and rounds differently. */
  readonly rowLimit: number;
  /** A sequence that lacks more than `rowLimit` tokens gets decodes of its own with at most so many rows. */
  readonly bulkRows: number;
  /** Appends drafted tokens to runs that are about to draw; gives those that wait for theirs. */
  readonly draft?: (runs: readonly Run[]) => ReadonlySet<Run>;
}

export class Batcher {
  readonly #store: PrefixStore;
  readonly #options: BatcherOptions;
  readonly #waiting = new PrefixOrder();
  readonly #running = new Map<number, Run>();
  readonly #searches = new PresentSearches();
  readonly #arrivals = new Counter(0);
  #bulkTurn = false;
  #squeezed = false;

  constructor(store: PrefixStore, options: BatcherOptions) {
    assert(options.rowLimit >= 1 && options.runningLimit >= 1, 'a batcher needs room for one row and one sequence');
    this.#store = store;
    this.#options = options;
  }

  get running(): number {
    return this.#running.size;
  }
  get waiting(): number {
    return this.#waiting.size;
  }
  get squeezed(): boolean {
    return this.#squeezed;
  }
  get hasWork(): boolean {
    return this.#running.size > 0 || this.#waiting.size > 0;
  }

  add(sequence: Sequence): void {
    assert(sequence.prefix.length > 0 && sequence.prefix.length <= this.#store.cells, 'a prefix that fits the cache');
    this.#searches.enter(sequence.search);
    this.#watchOrder();
    const tokens = [...sequence.prefix];
    const arrival = this.#arrivals.take();
    const counts = { drafted: 0, computedPrefixTokens: 0, computedDrawnTokens: 0, cachedPrefixTokens: undefined };
    this.#waiting.add({ sequence, tokens, arrival, ...counts });
  }

  /** Removes a sequence; its own cells are free at once, the shared prefix stays. */
  remove(id: number): RunCounts | undefined {
    const run = this.#running.get(id);
    if (run === undefined) {
      const waiting = this.#waiting.remove(id);
      if (waiting !== undefined) this.#leave(waiting.sequence.search);
      return waiting;
    }
    this.#running.delete(id);
    this.#store.truncate(run.branch, run.sequence.prefix.length);
    this.#store.settle(run.branch);
    this.#leave(run.sequence.search);
    return run;
  }

  update(id: number, urgency: Urgency): void {
    const run = this.#running.get(id);
    const waiting = run === undefined ? this.#waiting.remove(id) : undefined;
    const known = run ?? waiting;
    if (known !== undefined) known.sequence.urgency = urgency;
    if (waiting !== undefined) this.#waiting.add(waiting);
  }

  /** Drops the prefixes of an ended search, those in use as soon as they are free. */
  release(search: string): void {
    this.#searches.release(search);
    this.#watchOrder();
    this.#store.release(search);
  }

  /**
   * A search that is alone here has the same sums whatever came and went in the cache meanwhile; in a crowd, or where drafts are taken
   * back at every turn, cells that no branch holds would soon be most of what every row has to pass over.
   */
  #watchOrder(): void {
    this.#store.keepsOrder = this.#searches.isOne && !this.#drafts;
  }

  /** The rows of the next decode; none when a sequence completed without one (call again), or when all wait for a draft. */
  plan(onComplete: (run: Run) => void): Batch {
    this.#squeezed = false;
    this.#admit(onComplete);
    const { rowLimit, bulkRows } = this.#options;
    const runs = this.#withoutTwins(onComplete);
    const ready = this.#withoutWaiting(runs.filter((run) => this.#lack(run) <= rowLimit));
    const bulk = runs.find((run) => this.#lack(run) > rowLimit);
    this.#bulkTurn = !this.#bulkTurn;
    if (bulk !== undefined && (!this.#bulkTurn || ready.length === 0)) {
      return this.#secure([bulk], Math.max(bulkRows, 1), onComplete);
    }
    // Runs that lack one token come first: a generating sequence never waits for another one's prompt.
    ready.sort((left, right) => Math.min(this.#needs(left), 2) - Math.min(this.#needs(right), 2));
    return this.#secure(ready, rowLimit, onComplete);
  }

  /** Records computed rows, lets each sequence whose last token is done go on, reports the complete. */
  commit(batch: Batch, logitsOf: (wantedIndex: number) => Float32Array, onComplete: (run: Run) => void): void {
    const computed = new Map<Run, number[]>();
    for (const { run, token, position } of batch) {
      const tokens = computed.get(run);
      if (tokens === undefined) computed.set(run, [token]);
      else tokens.push(token);
      if (position < run.sequence.prefix.length) run.computedPrefixTokens += 1;
      else run.computedDrawnTokens += 1;
    }
    for (const [run, tokens] of computed) this.#store.append(run.branch, tokens);
    const rows = new Map<Run, Float32Array[]>();
    let wantedIndex = 0;
    for (const { run, wanted, position } of batch) {
      if (!wanted) continue;
      const row = logitsOf(wantedIndex);
      wantedIndex += 1;
      if (run.drafted === 0 && this.#maySave(run, position)) this.#store.keepRow(run.branch, row);
      const own = rows.get(run);
      if (own === undefined) rows.set(run, [row]);
      else own.push(row);
    }
    for (const [run, own] of rows) this.#judge(run, own, onComplete);
  }

  /** Frees so many cells from the least useful prefixes, for a device that found no room where there is some. */
  makeRoom(cells: number): boolean {
    return this.#store.reclaim(this.#store.freeCells + cells, 0, this.#searches.isActive);
  }

  /** Goes through the drafted tokens until one is replaced; if none is, the last row gives one token more. */
  #judge(run: Run, rows: readonly Float32Array[], onComplete: (run: Run) => void): void {
    const certain = run.tokens.length - run.drafted;
    for (let at = 0; at < run.drafted; at += 1) {
      const drafted = run.tokens[certain + at]!;
      const token = run.sequence.judge?.(rows[at]!, drafted);
      if (token === drafted) continue;
      run.drafted = 0;
      run.tokens.length = certain + at;
      this.#store.truncate(run.branch, certain + at);
      if (token === undefined) this.#complete(run, onComplete);
      else run.tokens.push(token);
      return;
    }
    run.drafted = 0;
    this.#advance(run, rows.at(-1)!, onComplete);
  }

  /**
   * The runs that need a row. First every run draws from logits that are there already; then one run of each path is computed, and the
   * others draw from its logits the next time. A run that parts from its twin takes its cells along.
   */
  #withoutTwins(onComplete: (run: Run) => void): Run[] {
    const all = [...this.#running.values()];
    if (this.#drafts) return all;
    for (const run of all) this.#follow(run, onComplete);
    // The furthest in the cache lead: they have nothing to copy.
    const left = all.filter((run) => this.#running.has(run.sequence.id)).sort((a, b) => this.#lack(a) - this.#lack(b));
    const leaders = new Map<CacheSegment, Run[]>();
    return left.filter((run) => {
      const { segment, length } = this.#store.ahead(run.branch, run.tokens);
      if (leaders.get(segment)?.some((other) => sameTokens(other.tokens, run.tokens))) return false;
      // A last token without logits is computed once more, in a cell of its own.
      this.#store.advance(run.branch, run.tokens, Math.min(length, run.tokens.length - 1));
      const here = leaders.get(run.branch.segment);
      if (here === undefined) leaders.set(run.branch.segment, [run]);
      else here.push(run);
      return true;
    });
  }

  /** Draws from a twin's logits, as far as they go. */
  #follow(run: Run, onComplete: (run: Run) => void): void {
    while (this.#running.has(run.sequence.id)) {
      const { row } = this.#store.ahead(run.branch, run.tokens);
      if (row === undefined) return;
      this.#advance(run, row, onComplete);
    }
  }

  /** Drafted tokens are judged, not drawn: the result must not depend on earlier twins. */
  get #drafts(): boolean {
    return this.#options.draft !== undefined;
  }

  #maySave(run: Run, position: number): boolean {
    return !this.#drafts || position === run.sequence.prefix.length - 1;
  }

  /** Gives drafts to the runs that are about to draw, and leaves out those that wait for one. */
  #withoutWaiting(runs: Run[]): Run[] {
    const { draft } = this.#options;
    if (draft === undefined) return runs;
    const drawing = runs.filter(
      (run) => run.drafted === 0 && this.#lack(run) === 1 && run.sequence.judge !== undefined,
    );
    const waiting = draft(drawing);
    return runs.filter((run) => !waiting.has(run));
  }

  #withdrawDraft(run: Run): void {
    if (run.drafted === 0) return;
    run.tokens.length -= run.drafted;
    run.drafted = 0;
    run.sequence.forgetProposals?.();
  }

  #advance(run: Run, row: Float32Array, onComplete: (run: Run) => void): void {
    const token = run.sequence.next(row);
    if (token === undefined) this.#complete(run, onComplete);
    else run.tokens.push(token);
  }

  #complete(run: Run, onComplete: (run: Run) => void): void {
    this.#running.delete(run.sequence.id);
    this.#store.settle(run.branch);
    this.#leave(run.sequence.search);
    onComplete(run);
  }

  #needs(run: Run): number {
    return this.#lack(run) - run.drafted;
  }

  #lack(run: Run): number {
    return run.tokens.length - this.#store.lengthOf(run.branch);
  }

  /** Turns runs into rows, with a cell for each; the last in line gives way. */
  #secure(runs: Run[], rowLimit: number, onComplete: (run: Run) => void): Batch {
    const chosen: { run: Run; count: number }[] = [];
    let rows = 0;
    for (const run of runs) {
      if (rows + this.#lack(run) > Math.min(rowLimit, this.#store.freeCells)) this.#withdrawDraft(run);
      const count = Math.min(this.#lack(run), rowLimit - rows);
      if (count <= 0) break;
      if (!this.#running.has(run.sequence.id)) continue; // gave way to a run before it
      if (!this.#findCells(rows + count, run, chosen, onComplete)) continue;
      chosen.push({ run, count });
      rows += count;
    }
    return chosen.flatMap(({ run, count }) => this.#rowsOf(run, count));
  }

  #rowsOf(run: Run, count: number): Row[] {
    const start = this.#store.lengthOf(run.branch);
    return Array.from({ length: count }, (_, offset) => ({
      run,
      token: run.tokens[start + offset]!,
      position: start + offset,
      wanted: start + offset >= run.tokens.length - 1 - run.drafted,
    }));
  }

  /** Makes room for so many cells: from idle prefixes, then from running sequences, the last in line first; never from `run`. */
  #findCells(cells: number, run: Run, chosen: readonly { run: Run }[], onComplete: (run: Run) => void): boolean {
    while (!this.#store.reclaim(cells, 0, this.#searches.isActive)) {
      const victim = this.#lastInLine(new Set([run, ...chosen.map((each) => each.run)]));
      if (victim !== undefined) {
        this.#squeezed = true;
        this.#giveWay(victim, false);
      } else if (chosen.length > 0) {
        return false; // it waits for the next decode
      } else {
        run.sequence.outOfCells(); // alone, and the cache is full
        this.#complete(run, onComplete);
        return false;
      }
    }
    return true;
  }

  #lastInLine(except: ReadonlySet<Run>): Run | undefined {
    let last: Run | undefined;
    for (const run of this.#running.values()) {
      if (!except.has(run) && (last === undefined || goesBefore(last.sequence, run.sequence))) last = run;
    }
    return last;
  }

  /** Sends a run back to the queue; its cells are recomputed later. */
  #giveWay(run: Run, keepCells: boolean): void {
    this.#withdrawDraft(run);
    this.#running.delete(run.sequence.id);
    if (keepCells) this.#store.settle(run.branch);
    else this.#store.drop(run.branch);
    this.#waiting.add(run);
  }

  #admit(onComplete: (run: Run) => void): void {
    for (const waiting of this.#waiting.inOrder()) {
      const { sequence, tokens } = waiting;
      if (this.#running.size >= this.#options.runningLimit && !this.#displaceSpeculative(sequence)) return;
      const cached = this.#store.match(tokens).length;
      if (this.#isBeingComputed(tokens, cached)) continue;
      this.#squeezed =
        !this.#hasRoomFor(tokens.length - cached + 1) || !this.#store.reclaim(0, 1, this.#searches.isActive);
      if (this.#squeezed) return;
      this.#waiting.remove(sequence.id);
      this.#start(waiting, onComplete);
    }
  }

  #start(waiting: WaitingRun, onComplete: (run: Run) => void): void {
    const { sequence, tokens } = waiting;
    const found = this.#store.match(tokens);
    const ready = found.length === tokens.length && found.row !== undefined;
    // A last token whose logits were not kept is computed once more, in a cell of its own.
    const length = ready ? tokens.length : Math.min(found.length, tokens.length - 1);
    const branch = this.#store.fork(tokens, length, sequence.search);
    const run: Run = { ...waiting, cachedPrefixTokens: waiting.cachedPrefixTokens ?? length, branch };
    this.#running.set(sequence.id, run);
    if (ready) this.#advance(run, found.row!, onComplete);
  }

  /** A running sequence that is catching up will cover more of these tokens than the cache has: wait for it. */
  #isBeingComputed(tokens: readonly number[], cached: number): boolean {
    for (const run of this.#running.values()) {
      const done = this.#store.lengthOf(run.branch);
      if (run.tokens.length - done === 0 || run.sequence.prefix.length <= cached) continue;
      if (done < run.sequence.prefix.length && sharesMoreThan(run.sequence.prefix, tokens, cached)) return true;
    }
    return false;
  }

  /** A new run must leave every running sequence some room to grow, or be alone. */
  #hasRoomFor(cells: number): boolean {
    if (this.#running.size === 0) return true;
    const wanted = cells + this.#running.size * roomToGrow;
    return this.#store.freeCells >= wanted || this.#store.freeCells + this.#store.reclaimableCells() >= wanted;
  }

  #displaceSpeculative(newcomer: Sequence): boolean {
    if (newcomer.urgency.lane !== 'primary') return false;
    const victim = this.#lastInLine(new Set());
    if (victim === undefined || victim.sequence.urgency.lane !== 'speculative') return false;
    this.#giveWay(victim, true);
    return true;
  }

  #leave(search: string): void {
    if (!this.#searches.leave(search)) return;
    this.#watchOrder();
    this.#store.release(search);
  }
}

/** Tokens that each running sequence should be able to draw before one has to give way. */
const roomToGrow = 8;
