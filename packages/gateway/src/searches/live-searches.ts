// Holds the searches that wait or run in this process. A search exists once it is in the journal, runs under an epoch, and ends when its
// `exited` event is durable; only then its clients are told. Writes are issued in such an order that a crash may cut them off anywhere.

import { requestOf } from '@coppice/core/answering';
import type { Fault } from '@coppice/core/base';
import { eventsIn, hasEvent, type LogEntry } from '@coppice/core/log';
import type { CancelReason, Token } from '@coppice/core/runtime';
import { ApiError, journalTrouble } from '../http/api-error.ts';
import { type ModelHooks, type ServedModel, type ServedModels, servedBy } from '../models/served-model.ts';
import { type Admission, retryAfterSeconds } from './admission.ts';
import { type Ended, type LiveSearch, mayMove, type SearchListener } from './live-search.ts';
import { cancelError, endOf, mayEscalate } from './search-end.ts';
import { toFinish } from './search-facts.ts';
import type { SearchesOptions } from './searches-options.ts';
import type { Watches } from './watches.ts';

interface LiveSearchesParts {
  readonly models: ServedModels;
  readonly admission: Admission;
  readonly watches: Watches | undefined;
  readonly escalate: (search: LiveSearch) => LiveSearch | undefined;
}

const answers = ['grown', 'merged', 'ghosted', 'probed'] as const;

export class LiveSearches implements ModelHooks {
  readonly #options: SearchesOptions;
  readonly #parts: LiveSearchesParts;
  readonly #byId = new Map<string, LiveSearch>();

  constructor(options: SearchesOptions, parts: LiveSearchesParts) {
    this.#options = options;
    this.#parts = parts;
  }

  get all(): Iterable<LiveSearch> {
    return this.#byId.values();
  }

  find(id: string): LiveSearch | undefined {
    return this.#byId.get(id);
  }

  modelOf({ facts }: LiveSearch): ServedModel {
    return servedBy(this.#parts.models, facts.plan.model);
  }

  /** Hands the search to the runtime. A resumed one waits there without its log. */
  submit(search: LiveSearch): void {
    const { id } = search;
    const { runtime } = this.modelOf(search);
    this.hold(search);
    try {
      const waitedMs = this.#nowMs() - search.facts.createdMs;
      const request = requestOf(search.built, id, this.modelOf(search).extract, waitedMs);
      if (search.epoch === 0) runtime.submit(request, search.fold);
      else runtime.revive(request, search.fold);
    } catch (error) {
      // A restart with another configuration can make an accepted plan impossible.
      this.#options.log.error('submit', { search: id, error });
      this.endUnstarted(search, new ApiError('internal', 'the search cannot be run as this server is configured'));
    }
  }

  hold(search: LiveSearch): void {
    this.#byId.set(search.id, search);
  }

  cancel(search: LiveSearch, reason: CancelReason): void {
    if (search.ended !== undefined) return;
    search.cancelled = true;
    const isRunning = search.state === 'running';
    this.#dismiss(search, reason);
    if (!isRunning) this.endUnstarted(search, cancelError(reason));
  }

  /** Drops a search that another process has: anything done here would be done twice. */
  lose(id: string): void {
    const { cluster, journal } = this.#options;
    cluster?.drop(id);
    if (this.#byId.get(id)?.hasBegun) void journal.outlive(id).catch(() => {});
    const search = this.#giveUp(id, 'the journal could not keep this search');
    if (search !== undefined) this.#options.log.warn('lost', { search: id, epoch: search.epoch });
  }

  refuse(id: string, why: string): void {
    const search = this.#giveUp(id, `the journal could not keep this search: ${why}`);
    if (search === undefined) return;
    this.#options.log.error('journal', { search: id, message: why });
    this.hold(search);
    this.#finish(search, this.#failed(why));
  }

  /** Drops a search; entries that are not in the journal never happened. */
  #giveUp(id: string, why: string): LiveSearch | undefined {
    this.#parts.watches?.lost(id);
    const search = this.#byId.get(id);
    if (search === undefined) return undefined;
    this.#byId.delete(id);
    if (search.ended === undefined) this.#dismiss(search);
    this.#parts.admission.leave(id);
    if (!search.isTold) {
      search.end(this.#failed(why));
      search.tell();
    }
    return search;
  }

  #failed(why: string): Ended {
    return { state: 'failed', endedMs: this.#nowMs(), result: undefined, error: journalTrouble(why) };
  }

  onEntry(entry: LogEntry): void {
    const search = this.#byId.get(entry.search);
    if (search === undefined) return;
    if (hasEvent(entry, 'admitted')) this.#onAdmitted(search, entry.atMs);
    this.#write(search, entry);
    // Progress shows that this search did not kill the processes that ran it before.
    if (search.runs > 1 && answers.some((type) => hasEvent(entry, type))) void this.#note(search, 1);
    search.hear(entry);
    this.#parts.watches?.logged(entry);
    if (hasEvent(entry, 'exited')) {
      search.exitSequence = entry.sequence;
      this.end(search);
    }
    if (hasEvent(entry, 'cost')) this.#settle(search);
  }

  onDurable(id: string, sequence: number): void {
    const search = this.#byId.get(id);
    if (search?.exitSequence !== undefined && search.exitSequence <= sequence) search.tell();
  }

  /** Without other nodes no end can differ: waiting clients need not wait for the disk. */
  onTrouble(): void {
    for (const search of this.#byId.values()) this.#tellEarly(search);
  }

  #tellEarly(search: LiveSearch): void {
    const { cluster, journal } = this.#options;
    if (cluster === undefined && journal.trouble !== undefined && !search.facts.background) search.tell();
  }

  onToken(token: Token): void {
    for (const listener of this.#listeners(token.search)) listener.token?.(token);
  }

  watches(id: string): boolean {
    return [...this.#listeners(id)].some(({ token }) => token !== undefined);
  }

  ownerOf(id: string): string | undefined {
    return this.#byId.get(id)?.facts.owner;
  }

  onFault(search: string | undefined, fault: Fault): void {
    const live = this.#byId.get(search ?? '');
    if (live !== undefined) live.lastFault = fault.code;
    this.#options.log.warn('fault', { search, code: fault.code, message: fault.message });
  }

  onPrompt(id: string, tokens: number): void {
    const search = this.#byId.get(id);
    if (search?.promptTokens === 0) search.promptTokens = Math.max(0, tokens);
  }

  #onAdmitted(search: LiveSearch, atMs: number): void {
    search.state = 'running';
    search.startedMs ??= atMs;
    this.#parts.admission.admitted(search.id);
  }

  /** Holds back entries before admission: until then the journal shows the search as queued. */
  #write(search: LiveSearch, entry: LogEntry): void {
    const { journal } = this.#options;
    search.unwritten.push(entry);
    const isEarly = eventsIn(entry).every(({ event: { type } }) => type === 'submitted' || type === 'planted');
    if (search.epoch === 0 && isEarly) return;
    if (search.epoch === 0) this.#claim(search);
    for (const each of search.unwritten.splice(0)) journal.append(search.epoch, each);
  }

  #claim(search: LiveSearch): void {
    const claimed = this.#options.journal.claim(search.id, search.epoch, this.#nowMs());
    search.epoch += 1;
    claimed.then((taken) => taken || this.lose(search.id)).catch(() => this.lose(search.id));
    if (!mayMove(search)) return;
    search.hasBegun = true;
    void this.#note(search, 1);
  }

  /** Starts a resumed search. Resolves when that is durable: to true if it may run. */
  async begin(search: LiveSearch): Promise<boolean> {
    search.hasBegun = true;
    const noted = this.#note(search, search.runs + 1);
    await this.#options.journal.flush().catch(() => {});
    return noted;
  }

  /** Notes a clean stop, which counts as no failed run. Resolves when the journal has it. */
  async noteStop(searches: Iterable<LiveSearch>): Promise<void> {
    for (const search of searches)
      if (search.ended === undefined && search.hasBegun) {
        search.hasBegun = false;
        void this.#note(search, search.runs - 1);
      }
    // Closing the journal reports write errors.
    await this.#options.journal.flush().catch(() => {});
  }

  #note(search: LiveSearch, runs: number): Promise<boolean> {
    search.runs = runs;
    return this.#options.journal.begin(search.id, search.epoch, runs).catch(() => false);
  }

  #listeners(id: string): Iterable<SearchListener> {
    return (this.#parts.watches?.find(id) ?? this.#byId.get(id))?.listeners ?? [];
  }

  end(search: LiveSearch, isSettled = false): void {
    const { admission, escalate } = this.#parts;
    if (search.knownSuccessor === undefined && mayEscalate(search)) search.successor = escalate(search);
    admission.leave(search.id);
    search.end(this.#endOf(search, this.#nowMs()));
    // The client waits for this commit.
    if (!search.facts.background) this.#options.journal.flush().catch(() => {});
    this.#tellEarly(search);
    if (isSettled) this.#settle(search);
  }

  endUnstarted(search: LiveSearch, error?: ApiError): void {
    if (search.ended !== undefined) return;
    const state = error === undefined || search.cancelled ? 'cancelled' : 'failed';
    const ended = { state, endedMs: this.#nowMs(), result: undefined, error } as const;
    this.#parts.admission.leave(search.id);
    search.end(ended);
    this.#tellEarly(search);
    this.#finish(search, ended);
  }

  /** Makes the known costs final: outstanding answers will not come any more. */
  settleAll(): void {
    for (const search of this.#byId.values()) if (!search.settled) this.#settle(search);
  }

  #settle(search: LiveSearch): void {
    if (search.ended === undefined) return;
    search.ended = this.#endOf(search, search.ended.endedMs);
    this.#finish(search, search.ended);
  }

  #endOf(search: LiveSearch, endedMs: number): Ended {
    return endOf(search, endedMs, retryAfterSeconds(this.modelOf(search).runtime.queue.pace?.meanMs));
  }

  #dismiss(search: LiveSearch, reason?: CancelReason): void {
    const { runtime } = this.modelOf(search);
    if (search.state === 'running') runtime.cancel(search.id, reason);
    else runtime.withdraw(search.id);
  }

  #finish(search: LiveSearch, ended: Ended): void {
    search.settled = true;
    const { journal, log, cluster, onEnded, onFinished } = this.#options;
    journal
      .finish(search.id, search.epoch, toFinish(search, ended))
      .then((isOurs) => {
        if (!isOurs) return this.lose(search.id);
        search.tell();
        if (mayMove(search)) cluster?.ended(search.facts);
        else cluster?.look();
        this.#parts.watches?.ended(search.id, ended, search.successor);
        onEnded?.(search, ended);
      })
      .catch((error: Error) => log.error('journal', { search: search.id, message: error.message }))
      .finally(() => {
        this.#byId.delete(search.id);
        onFinished?.(search.id);
      });
  }

  #nowMs(): number {
    return this.#options.clock.nowMs();
  }
}
