// Continuous batching: chooses the rows of the next decode and hands out its logits. A sequence is a list of tokens, of which the first ones
// are in the cache; a batch computes some of the missing ones. There are no separate prefill and decode phases: a new sequence lacks many
// tokens, a running one only its last. A sequence that draws the same tokens as a twin shares its cells and needs no row of its own.
// Pure, except for the cache operations behind PrefixStore.

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
  /** Most rows of a decode: from 64 on, the CPU's flash attention uses another kernel, which is slower and rounds differently. */
  readonly rowLimit: number;
  /** Most rows of a decode for a single sequence that lacks more than `rowLimit` tokens. */
  readonly bulkRows: number;
  /** Appends drafted tokens to runs that are about to draw; returns the runs that wait for a draft. */
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
    this.#updateOrder();
    const tokens = [...sequence.prefix];
    const arrival = this.#arrivals.take();
    const counts = { drafted: 0, computedPrefixTokens: 0, computedDrawnTokens: 0, cachedPrefixTokens: undefined };
    this.#waiting.add({ sequence, tokens, arrival, ...counts });
  }

  /** Removes a sequence. Its own cells are freed at once; the shared prefix stays. */
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

  /** Drops the prefixes of an ended search; those in use follow when they become free. */
  release(search: string): void {
    this.#searches.release(search);
    this.#updateOrder();
    this.#store.release(search);
  }

  /**
   * Keeps the order of cells while one search is alone, so that its sums do not depend on what came and went in the cache. Not with several
   * searches or with drafts, which are truncated at every turn: buried cells would soon be most of what each row has to skip.
   */
  #updateOrder(): void {
    this.#store.keepsOrder = this.#searches.isOne && !this.#drafts;
  }

  /** Rows of the next decode. Empty if a sequence completed without a row (call again), or if all wait for a draft. */
  plan(onComplete: (run: Run) => void): Batch {
    this.#squeezed = false;
    this.#admit(onComplete);
    const { rowLimit, bulkRows } = this.#options;
    const runs = this.#withoutTwins(onComplete);
    const ready = this.#withoutWaiting(runs.filter((run) => this.#lack(run) <= rowLimit));
    const bulk = runs.find((run) => this.#lack(run) > rowLimit);
    this.#bulkTurn = !this.#bulkTurn;
    if (bulk !== undefined && (!this.#bulkTurn || ready.length === 0)) {
      return this.#makeRows([bulk], Math.max(bulkRows, 1), onComplete);
    }
    // Runs that lack one token come first: a generating sequence never waits for another one's prompt.
    ready.sort((left, right) => Math.min(this.#needs(left), 2) - Math.min(this.#needs(right), 2));
    return this.#makeRows(ready, rowLimit, onComplete);
  }

  /** Records computed rows, draws for each sequence whose last token is computed, and reports completed ones. */
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

  /** Frees cells from the least useful prefixes, for a device that found no room although cells are free. */
  makeRoom(cells: number): boolean {
    return this.#store.reclaim(this.#store.freeCells + cells, 0, this.#searches.isActive);
  }

  /** Judges drafted tokens until one is replaced. If none is, the last row yields one more token. */
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
   * The runs that need a row. First every run draws from logits that are already kept. Then one run of each path is computed; the others
   * draw from its logits next time. A run that diverges from its twin keeps the shared cells.
   */
  #withoutTwins(onComplete: (run: Run) => void): Run[] {
    const all = [...this.#running.values()];
    if (this.#drafts) return all;
    for (const run of all) this.#drawFromTwin(run, onComplete);
    // Runs with the most cached tokens lead: they need nothing from others.
    const left = all.filter((run) => this.#running.has(run.sequence.id)).sort((a, b) => this.#lack(a) - this.#lack(b));
    const leaders = new Map<CacheSegment, Run[]>();
    return left.filter((run) => {
      const { segment, length } = this.#store.ahead(run.branch, run.tokens);
      if (leaders.get(segment)?.some((other) => sameTokens(other.tokens, run.tokens))) return false;
      // If the last token's logits were not kept, it is computed once more, in a cell of its own.
      this.#store.advance(run.branch, run.tokens, Math.min(length, run.tokens.length - 1));
      const here = leaders.get(run.branch.segment);
      if (here === undefined) leaders.set(run.branch.segment, [run]);
      else here.push(run);
      return true;
    });
  }

  /** Draws from a twin's kept logits, as long as there are some. */
  #drawFromTwin(run: Run, onComplete: (run: Run) => void): void {
    while (this.#running.has(run.sequence.id)) {
      const { row } = this.#store.ahead(run.branch, run.tokens);
      if (row === undefined) return;
      this.#advance(run, row, onComplete);
    }
  }

  /** With drafting, twins share no draws: drafted tokens are judged, and the result must not depend on earlier twins. */
  get #drafts(): boolean {
    return this.#options.draft !== undefined;
  }

  #maySave(run: Run, position: number): boolean {
    return !this.#drafts || position === run.sequence.prefix.length - 1;
  }

  /** Gives drafts to runs that are about to draw, and leaves out those that wait for one. */
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

  /** Turns runs into rows and makes room for their cells; the run of lowest rank is preempted. */
  #makeRows(runs: Run[], rowLimit: number, onComplete: (run: Run) => void): Batch {
    const chosen: { run: Run; count: number }[] = [];
    let rows = 0;
    for (const run of runs) {
      if (rows + this.#lack(run) > Math.min(rowLimit, this.#store.freeCells)) this.#withdrawDraft(run);
      const count = Math.min(this.#lack(run), rowLimit - rows);
      if (count <= 0) break;
      if (!this.#running.has(run.sequence.id)) continue; // preempted for an earlier run
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

  /** Makes room for cells: first from idle prefixes, then from running sequences of lowest rank, but never from `run`. */
  #findCells(cells: number, run: Run, chosen: readonly { run: Run }[], onComplete: (run: Run) => void): boolean {
    while (!this.#store.reclaim(cells, 0, this.#searches.isActive)) {
      const victim = this.#lastInLine(new Set([run, ...chosen.map((each) => each.run)]));
      if (victim !== undefined) {
        this.#squeezed = true;
        this.#preempt(victim, false);
      } else if (chosen.length > 0) {
        return false; // `run` waits for the next decode
      } else {
        run.sequence.outOfCells(); // `run` is alone, and the cache is full
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

  /** Sends a run back to the queue; its cells are computed again later. */
  #preempt(run: Run, keepCells: boolean): void {
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
    // If the last token's logits were not kept, it is computed once more, in a cell of its own.
    const length = ready ? tokens.length : Math.min(found.length, tokens.length - 1);
    const branch = this.#store.fork(tokens, length, sequence.search);
    const run: Run = { ...waiting, cachedPrefixTokens: waiting.cachedPrefixTokens ?? length, branch };
    this.#running.set(sequence.id, run);
    if (ready) this.#advance(run, found.row!, onComplete);
  }

  /** True if a running sequence is about to compute more of these tokens than are cached: better wait for it. */
  #isBeingComputed(tokens: readonly number[], cached: number): boolean {
    for (const run of this.#running.values()) {
      const done = this.#store.lengthOf(run.branch);
      if (run.tokens.length - done === 0 || run.sequence.prefix.length <= cached) continue;
      if (done < run.sequence.prefix.length && sharesMoreThan(run.sequence.prefix, tokens, cached)) return true;
    }
    return false;
  }

  /** True if a new run would leave every running sequence room to grow, or if there are none. */
  #hasRoomFor(cells: number): boolean {
    if (this.#running.size === 0) return true;
    const wanted = cells + this.#running.size * roomToGrow;
    return this.#store.freeCells >= wanted || this.#store.freeCells + this.#store.reclaimableCells() >= wanted;
  }

  #displaceSpeculative(newcomer: Sequence): boolean {
    if (newcomer.urgency.lane !== 'primary') return false;
    const victim = this.#lastInLine(new Set());
    if (victim === undefined || victim.sequence.urgency.lane !== 'speculative') return false;
    this.#preempt(victim, true);
    return true;
  }

  #leave(search: string): void {
    if (!this.#searches.leave(search)) return;
    this.#updateOrder();
    this.#store.release(search);
  }
}

/** Tokens that each running sequence should be able to draw before a new one is admitted. */
const roomToGrow = 8;
