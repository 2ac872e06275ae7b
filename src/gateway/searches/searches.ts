// The heart of the gateway: searches from acceptance to their end. Joins admission, runtime and journal; knows no HTTP.
// A search exists once it is in the journal, runs under an epoch, and ends when its `exited` event has been written; its
// result is made from plan and log alone. Order matters: whatever is journalled is called in the order in which it
// must be found again after a crash.

import type { OpenModel } from '../../answering/open-model.ts';
import type { SearchPlan } from '../../answering/search-plan.ts';
import { requestOf } from '../../answering/search-request.ts';
import type { Clock } from '../../base/clock.ts';
import type { Fault } from '../../base/fault.ts';
import type { Config } from '../../config/schema.ts';
import type { Journal, Plain, SearchRecord } from '../../journal/journal.ts';
import type { LoggedEvent } from '../../log/events.ts';
import type { Token } from '../../runtime/options.ts';
import { ApiError } from '../http/api-error.ts';
import type { Caller } from '../http/keys.ts';
import type { TraceContext } from '../http/trace-context.ts';
import type { Log } from '../observe/log.ts';
import { Admission } from './admission.ts';
import { planSuccessor } from './escalation.ts';
import { Guests } from './guests.ts';
import { type Ended, LiveSearch, type LiveSearchFacts } from './live-search.ts';
import { plantAgain, replayLog, revive } from './recovery.ts';
import { endOf } from './search-end.ts';
import { fingerprint, newSearchId, toAccept, toFinish } from './search-facts.ts';
import { ServedModel } from './served-model.ts';

export interface SearchesOptions {
  readonly config: Config;
  readonly models: readonly OpenModel[];
  readonly journal: Journal;
  readonly clock: Clock;
  readonly log: Log;
  /** Told of every search that has ended in this process. */
  readonly onEnded?: (search: LiveSearch, ended: Ended) => void;
  /** And again when its end is on disk. */
  readonly onFinished?: (id: string) => void;
}

export interface NewSearchOptions {
  readonly background: boolean;
  readonly body: Plain;
  readonly idempotencyKey?: string;
  readonly title?: string;
  readonly trace?: TraceContext | undefined;
}

/** A search that exists already under the same idempotency key. */
export interface Known {
  readonly known: string;
}

export class Searches {
  readonly models = new Map<string, ServedModel>();
  readonly admission: Admission;
  readonly guests: Guests;
  readonly #options: SearchesOptions;
  readonly #live = new Map<string, LiveSearch>();
  #closed = false;

  constructor(options: SearchesOptions) {
    this.#options = options;
    const hooks = {
      onEvent: (event: LoggedEvent) => this.#onEvent(event),
      onToken: (token: Token) => this.#onToken(token),
      watches: (search: string) => this.#isWatched(search),
      onFault: (search: string, fault: Fault) => this.#onFault(search, fault),
      onPrompt: (search: string, tokens: number) => this.#onPrompt(search, tokens),
    };
    for (const parts of options.models) {
      this.models.set(parts.config.name, new ServedModel(parts, hooks, options.clock));
    }
    const budgets = new Map([...this.models.values()].map(({ name, config }) => [name, config.budget]));
    this.admission = new Admission({ queue: options.config.admission.queue, budgets });
    this.guests = new Guests(this.admission, options.clock, () => this.#startNext());
    options.journal.listen({ lost: (id) => this.#onLost(id) });
  }

  /** Waiting and running, oldest first. */
  get live(): Iterable<LiveSearch> {
    return this.#live.values();
  }

  get liveCount(): number {
    return this.#live.size;
  }

  find(id: string): LiveSearch | undefined {
    return this.#live.get(id);
  }

  /** Throws an ApiError where there is no room. Resolves when the search is accepted. */
  async start(plan: SearchPlan, caller: Caller, options: NewSearchOptions): Promise<LiveSearch | Known> {
    const { background, body, idempotencyKey } = options;
    const createdMs = this.#nowMs();
    const facts: LiveSearchFacts = {
      id: newSearchId(createdMs),
      owner: caller.name,
      plan,
      body,
      background,
      createdMs,
      title: options.title ?? plan.title,
      escalatedFrom: null,
      ...(options.trace === undefined ? {} : { trace: options.trace }),
    };
    const search = new LiveSearch(facts);
    const give = this.admission.reserve(this.#ticket(search, caller.share), caller.queue, createdMs);
    try {
      // A client that waits loses its search with the process anyway: nobody needs to wait for the disk.
      const accepted = this.#accept(search, idempotencyKey);
      if (background || idempotencyKey !== undefined) {
        const acceptance = await accepted;
        if (!acceptance.fresh) return this.#known(acceptance, body);
      }
    } finally {
      give();
    }
    this.#enter(search, caller.share);
    return search;
  }

  cancel(search: LiveSearch): void {
    if (search.successor !== undefined) return this.cancel(search.successor);
    if (search.ended !== undefined) return;
    search.cancelled = true;
    if (search.state === 'running') this.#model(search).runtime.cancel(search.id);
    else this.#endUnstarted(search, 'cancelled', undefined);
  }

  /** Takes up every background search that a former process accepted and did not end. */
  async recover(): Promise<number> {
    const records = (await this.#options.journal.unfinished()).filter(({ id }) => !this.#live.has(id));
    const taken = await Promise.all(records.map((record) => this.#recoverOne(record)));
    return taken.filter(Boolean).length;
  }

  /** Interactive searches are cancelled, background ones left to the journal. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const search of this.#live.values()) clearTimeout(search.queueTimer);
    await Promise.all([...this.models.values()].map((model) => model.close()));
    await this.#options.journal.flush();
  }

  // ---- starting --------------------------------------------------------------------------------------------------

  #request(search: LiveSearch) {
    const waitedMs = this.#nowMs() - search.facts.createdMs;
    return requestOf(search.built, search.id, this.#model(search).extract, waitedMs);
  }

  #accept(search: LiveSearch, idempotencyKey: string | undefined) {
    const accepted = this.#options.journal.accept(toAccept(search.facts, idempotencyKey));
    accepted.catch((error: unknown) => this.#options.log.error('journal', { search: search.id, error }));
    return accepted;
  }

  #known(acceptance: { readonly id: string; readonly fingerprint: string }, body: Plain): Known {
    if (acceptance.fingerprint === fingerprint(body)) return { known: acceptance.id };
    const message = `this Idempotency-Key was used for another request, search ${acceptance.id}`;
    throw new ApiError('idempotency_conflict', message);
  }

  #enter(search: LiveSearch, share: number): void {
    const nowMs = this.#nowMs();
    this.#live.set(search.id, search);
    this.admission.enter(this.#ticket(search, share));
    const leftMs = search.facts.createdMs + search.facts.plan.deadlineMs - nowMs;
    this.#startNext();
    if (search.state !== 'queued') return;
    search.queueTimer = setTimeout(() => this.#expire(search), Math.min(2 ** 31 - 1, Math.max(0, leftMs)));
  }

  #ticket(search: LiveSearch, share: number) {
    const { id, owner, plan, createdMs } = search.facts;
    const width = search.built.program.naturalWidth;
    return { id, model: plan.model, owner, share, priority: plan.priority, width, arrivalMs: createdMs };
  }

  #startNext(): void {
    if (this.#closed) return;
    for (const { id } of this.admission.start(this.#nowMs())) {
      const search = this.#live.get(id);
      if (search === undefined) this.guests.begin(id);
      else this.#launch(search);
    }
  }

  #launch(search: LiveSearch): void {
    clearTimeout(search.queueTimer);
    search.state = 'running';
    search.startedMs ??= this.#nowMs();
    if (search.epoch === 0) this.#claim(search);
    if (search.fold.sequence < 0) this.#submit(search);
    else void this.#resume(search);
  }

  #submit(search: LiveSearch): void {
    try {
      this.#model(search).runtime.submit(this.#request(search));
    } catch (error) {
      // Checked when it was accepted; a restart with another configuration can still make it impossible.
      this.#options.log.error('submit', { search: search.id, error });
      this.#endUnstarted(
        search,
        'failed',
        new ApiError('internal', 'the search cannot be run as this server is configured'),
      );
    }
  }

  #claim(search: LiveSearch): void {
    const claimed = this.#options.journal.claim(search.id, search.epoch, this.#nowMs());
    search.epoch += 1;
    claimed.then((taken) => taken || this.#onLost(search.id)).catch(() => this.#onLost(search.id));
  }

  // ---- what the runtime tells ------------------------------------------------------------------------------------

  #onEvent(event: LoggedEvent): void {
    const search = this.#live.get(event.search);
    if (search === undefined) return;
    search.fold.apply(event);
    this.#options.journal.append(search.epoch, event);
    for (const listener of search.listeners) listener.event?.(event);
    if (event.event.type === 'exited') this.#end(search);
  }

  #onToken(token: Token): void {
    const search = this.#live.get(token.search);
    if (search !== undefined) for (const listener of search.listeners) listener.token?.(token);
  }

  #isWatched(id: string): boolean {
    const listeners = this.#live.get(id)?.listeners ?? [];
    return [...listeners].some(({ token }) => token !== undefined);
  }

  #onFault(search: string, fault: Fault): void {
    const live = this.#live.get(search);
    if (live !== undefined) live.lastFault = fault.code;
    this.#options.log.warn('fault', { search, code: fault.code, message: fault.message });
  }

  #onPrompt(id: string, tokens: number): void {
    const search = this.#live.get(id);
    if (search !== undefined && search.promptTokens === 0) search.promptTokens = tokens;
  }

  /** Another process has it: whatever we do now would be done twice. */
  #onLost(id: string): void {
    const search = this.#live.get(id);
    if (search === undefined || search.ended !== undefined) return;
    this.#options.log.error('lost', { search: id, epoch: search.epoch });
    this.#live.delete(id);
    this.#model(search).runtime.cancel(id);
    this.admission.leave(id, this.#nowMs());
    const error = new ApiError('internal', 'the journal could not keep this search');
    search.end({ state: 'failed', endedMs: this.#nowMs(), result: undefined, error });
    this.#startNext();
  }

  // ---- ending ----------------------------------------------------------------------------------------------------

  #end(search: LiveSearch): void {
    const isFutile = search.fold.exit?.kind === 'futile';
    if (isFutile && search.facts.plan.onFutile === 'escalate') search.successor = this.#escalate(search);
    this.#finish(search, endOf(search, this.#nowMs()));
  }

  /** Ends what was never started: cancelled, or out of time. */
  #endUnstarted(search: LiveSearch, state: 'failed' | 'cancelled', error: ApiError | undefined): void {
    if (search.ended !== undefined) return;
    this.#finish(search, { state, endedMs: this.#nowMs(), result: undefined, error });
  }

  #finish(search: LiveSearch, ended: Ended): void {
    const { journal, log, onEnded, onFinished } = this.#options;
    journal
      .finish(search.id, search.epoch, toFinish(search, ended))
      .catch((error: unknown) => log.error('journal', { search: search.id, error }))
      .finally(() => {
        this.#live.delete(search.id);
        onFinished?.(search.id);
      });
    this.admission.leave(search.id, ended.endedMs);
    search.end(ended);
    onEnded?.(search, ended);
    this.#startNext();
  }

  #expire(search: LiveSearch): void {
    if (search.state !== 'queued') return;
    const retryAfterSeconds = this.admission.retryAfterSeconds(this.#nowMs());
    const message = `the deadline of ${search.facts.plan.deadlineMs} ms passed before the search could start (coppice.deadline_ms)`;
    this.#endUnstarted(search, 'failed', new ApiError('deadline_before_start', message, { retryAfterSeconds }));
  }

  /** The same question to the model that the configuration names, as owed work: it is not refused. */
  #escalate(search: LiveSearch): LiveSearch | undefined {
    const { config, log } = this.#options;
    const target = this.models.get(this.#model(search).config.escalateTo ?? '');
    if (target === undefined) return undefined;
    const createdMs = this.#nowMs();
    const { facts } = search;
    try {
      const plan = planSuccessor(facts, this.#model(search), target, config.limits);
      const id = newSearchId(createdMs);
      const successor = new LiveSearch({ ...facts, id, plan, createdMs, escalatedFrom: facts.plan.model });
      void this.#accept(successor, undefined);
      this.#enter(successor, this.#share(facts.owner));
      return successor;
    } catch (error) {
      log.warn('escalate', { search: search.id, to: target.name, error });
      return undefined;
    }
  }

  // ---- after a restart -------------------------------------------------------------------------------------------

  /** True where it runs again. */
  async #recoverOne(record: SearchRecord): Promise<boolean> {
    const search = await revive(record, { ...this.#options, models: this.models });
    if (search === undefined) return false;
    this.#live.set(search.id, search);
    if (search.fold.exit !== undefined) this.#end(search);
    else if (!record.background || record.cancelRequested) this.#endUnstarted(search, 'cancelled', undefined);
    else this.#enter(search, this.#share(record.owner));
    return search.ended === undefined;
  }

  async #resume(search: LiveSearch): Promise<void> {
    const { journal, log } = this.#options;
    try {
      const logged = await replayLog(journal, search);
      if (search.cancelled) return this.#endUnstarted(search, 'cancelled', undefined);
      const { runtime } = this.#model(search);
      const { aggregation } = search.facts.plan;
      const events = logged.length > 0 ? logged : plantAgain(journal, search, aggregation, this.#nowMs());
      runtime.resume(this.#request(search), events, search.fold.sequence + 1);
    } catch (error) {
      log.error('resume', { search: search.id, error });
      this.#endUnstarted(search, 'failed', new ApiError('internal', 'the search could not be resumed from its log'));
    }
  }

  #share(owner: string): number {
    return this.#options.config.keys.find(({ name }) => name === owner)?.share ?? 1;
  }

  #model(search: LiveSearch): ServedModel {
    const model = this.models.get(search.facts.plan.model);
    if (model === undefined)
      throw new ApiError('model_not_found', `there is no model '${search.facts.plan.model}'`, { param: 'model' });
    return model;
  }

  #nowMs(): number {
    return this.#options.clock.nowMs();
  }
}
