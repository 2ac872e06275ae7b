// The heart of the gateway: searches from acceptance to their end. Joins admission, runtime and journal; knows no HTTP.
// An accepted search is handed to its runtime at once and waits there. It exists once it is in the journal, runs under an epoch, and ends when its `exited` event has been written; its
// result is made from plan and log alone. Order matters: whatever is journalled is called in the order in which it
// must be found again after a crash.

import type { SearchPlan } from '../../answering/search-plan.ts';
import { requestOf } from '../../answering/search-request.ts';
import { type Fault, FaultError } from '../../base/fault.ts';
import type { KeyConfig } from '../../config/schema.ts';
import type { Plain, SearchRecord } from '../../journal/journal.ts';
import type { LoggedEvent } from '../../log/events.ts';
import type { Token } from '../../runtime/options.ts';
import { workKind } from '../../runtime/queue/work-meter.ts';
import type { LineFacts, LineKey } from '../../scheduler/line.ts';
import { ApiError, journalTrouble } from '../http/api-error.ts';
import type { Caller } from '../http/keys.ts';
import { Admission, retryAfterSeconds } from './admission.ts';
import { planSuccessor } from './escalation.ts';
import { GuestPlaces } from './guests.ts';
import { type Ended, LiveSearch, mayMove, type SearchListener } from './live-search.ts';
import { plantAgain, replayLog, revive } from './recovery.ts';
import { endOf } from './search-end.ts';
import { fingerprint, newSearchId, offered, toAccept, toFinish } from './search-facts.ts';
import type { Known, NewSearchOptions, SearchesOptions } from './searches-options.ts';
import { ServedModel } from './served-model.ts';
import { Watches } from './watches.ts';

export class Searches {
  readonly models = new Map<string, ServedModel>();
  readonly admission: Admission;
  readonly guests: GuestPlaces;
  readonly #options: SearchesOptions;
  readonly #live = new Map<string, LiveSearch>();
  #keys: readonly KeyConfig[];
  /** Those that clients of this node wait for, where other nodes may run them. */
  readonly #watches: Watches | undefined;

  constructor(options: SearchesOptions) {
    this.#options = options;
    this.#keys = options.config.keys;
    const hooks = {
      onEvent: (event: LoggedEvent) => this.#onEvent(event),
      onToken: (token: Token) => this.#onToken(token),
      watches: (search: string) => this.#isWatched(search),
      onFault: (search: string, fault: Fault) => this.#onFault(search, fault),
      onPrompt: (search: string, tokens: number) => this.#onPrompt(search, tokens),
      onLogWanted: (search: string) => void this.#resume(search),
    };
    for (const parts of options.models) {
      this.models.set(parts.config.name, new ServedModel(parts, hooks, options.clock, options.loop?.()));
    }
    this.admission = new Admission(options.config.admission.queue, (owner) => options.cluster?.waiting(owner) ?? 0);
    this.guests = new GuestPlaces(this.admission, this.models, options.clock, (caller) => this.#key(caller.name));
    options.journal.listen({ lost: (id) => this.lose(id) });
    const { cluster, journal } = options;
    const findHere = (id: string) => this.#live.get(id);
    const endUnclaimed = (record: SearchRecord) => this.recoverOne(record);
    if (cluster !== undefined)
      this.#watches = new Watches({ journal, nowMs: () => this.#nowMs(), findHere, endUnclaimed });
  }

  /** From now on these share the line. */
  useKeys(keys: readonly KeyConfig[]): void {
    this.#keys = keys;
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

  /** Those that end with their clients here, whichever node runs them. */
  get waitedFor(): LiveSearch[] {
    const here = [...this.#live.values()].filter(({ facts }) => !facts.background && facts.home === undefined);
    const { node } = this.#options.cluster ?? {};
    return [...here, ...(this.#watches?.searches ?? []).filter(({ facts }) => facts.home === node)];
  }

  /** One that a client asked for before, with its end; undefined where no process that can be heard has it. */
  async waitForKnown(id: string): Promise<LiveSearch | undefined> {
    return (this.#live.get(id) ?? (await this.#watches?.followKnown(id)))?.wait();
  }

  /** Throws an ApiError where there is no room. Resolves when the search is accepted. */
  async start(plan: SearchPlan, caller: Caller, options: NewSearchOptions): Promise<LiveSearch | Known> {
    const { body, idempotencyKey } = options;
    const { search, startsHere } = this.#admit(plan, caller, options);
    const accepted = this.#accept(search, idempotencyKey);
    // A client that waits loses its search with the process anyway: nobody needs to wait for the disk.
    if (options.background || idempotencyKey !== undefined || !startsHere) {
      const acceptance = await accepted.catch((error: unknown) => {
        this.#forget(search);
        throw error;
      });
      if (!acceptance.fresh) return this.#known(search, acceptance, body);
    }
    const watched = this.#watch(search);
    if (startsHere) this.#begin(search);
    else {
      this.#forget(search);
      // It is safe already: nobody needs to wait until a node has taken it.
      void this.#options.cluster?.offer(offered(search));
    }
    return watched;
  }

  cancel(wanted: LiveSearch): void {
    if (wanted.successor !== undefined) return this.cancel(wanted.successor);
    if (wanted.ended !== undefined) return;
    const search = this.#live.get(wanted.id);
    if (search === undefined && this.#watches?.has(wanted.id)) return void this.#watches.cancel(wanted.id);
    if (search !== undefined) this.#cancelHere(search);
  }

  #cancelHere(search: LiveSearch): void {
    if (search.ended !== undefined) return;
    search.cancelled = true;
    const isRunning = search.state === 'running';
    this.#dismiss(search);
    if (!isRunning) this.#endUnstarted(search);
  }

  /** Takes up every background search that a former process accepted and did not end. */
  async recover(): Promise<number> {
    const records = (await this.#options.journal.unfinished()).filter(({ id }) => !this.#live.has(id));
    const taken = await Promise.all(records.map((record) => this.recoverOne(record)));
    return taken.filter(Boolean).length;
  }

  /** Interactive searches are cancelled, background ones left to the journal. */
  async close(): Promise<void> {
    this.#watches?.close();
    await Promise.all([...this.models.values()].map((model) => model.close()));
    // Whoever still owed an answer is gone: what is known of the cost stands.
    for (const search of this.#live.values()) if (!search.settled) this.#settle(search);
    // What the disk refuses is told when the journal is closed.
    await this.#options.journal.flush().catch(() => {});
  }

  // ---- starting --------------------------------------------------------------------------------------------------

  /** Refuses what has no room or cannot be done in time; else the search has its turn. */
  #admit(plan: SearchPlan, caller: Caller, { body, background, title, trace }: NewSearchOptions) {
    const createdMs = this.#nowMs();
    const id = newSearchId(createdMs);
    const { name: owner, queue: ownerQueue } = caller;
    const known = { id, owner, plan, body, background, createdMs, title: title ?? plan.title, escalatedFrom: null };
    const home = this.#home(background);
    const search = new LiveSearch({ ...known, ...(trace && { trace }), ...(home === undefined ? {} : { home }) });
    const { queue } = this.#model(search).runtime;
    const facts = this.#lineFacts(search);
    const forecast = queue.forecast(facts);
    // Whoever takes what is left stands in nobody's way.
    if (plan.idle !== true) this.admission.apply({ id, owner, ownerQueue, leftMs: plan.deadlineMs }, forecast);
    search.turn = queue.take(id, facts);
    const { cluster } = this.#options;
    const isNext = forecast.fits && cluster?.isDrained(plan.model) === true;
    // Of a batch: whoever feeds it runs it.
    const isFed = plan.idle === true;
    return { search, startsHere: isNext || isFed || cluster === undefined || !mayMove(search) };
  }

  /** This node, for a search whose client waits here and which others may run: they must be able to read it. */
  #home(background: boolean): string | undefined {
    const { cluster, journal } = this.#options;
    return background || journal.texts !== 'keep' ? undefined : cluster?.node;
  }

  /** What its client is to hold on to. */
  #watch(search: LiveSearch): LiveSearch {
    const { home } = search.facts;
    return home === undefined || home !== this.#options.cluster?.node || this.#watches === undefined
      ? search
      : this.#watches.follow(search.facts);
  }

  /** Here and now: where other nodes are, they are kept from it while this one lives. */
  #begin(search: LiveSearch): void {
    this.#submit(search);
    if (mayMove(search)) this.#options.cluster?.hold(offered(search));
  }

  #request(search: LiveSearch) {
    const waitedMs = this.#nowMs() - search.facts.createdMs;
    return requestOf(search.built, search.id, this.#model(search).extract, waitedMs);
  }

  #lineFacts({ facts, built }: LiveSearch): LineFacts {
    const key = this.#key(facts.owner);
    const { plan, createdMs: arrivalMs } = facts;
    const seats = built.program.naturalWidth;
    const idle = plan.idle === true;
    const kind = workKind(plan.program, plan.rollouts);
    return { arrivalMs, priority: plan.priority, seats, idle, kind, ...(key === undefined ? {} : { key }) };
  }

  /** Keys share a line only where there are several: else it is served by arrival and priority alone. */
  #key(name: string): LineKey | undefined {
    const keys = this.#keys;
    return keys.length < 2 ? undefined : { name, share: keys.find((key) => key.name === name)?.share ?? 1 };
  }

  /** Gives back what an applicant was given, where nothing comes of it. */
  #forget(search: LiveSearch): void {
    this.#model(search).runtime.queue.leave(search.id);
    this.admission.leave(search.id);
  }

  #accept(search: LiveSearch, idempotencyKey: string | undefined) {
    const accepted = this.#options.journal.accept(toAccept(search, idempotencyKey));
    accepted.catch((error: Error) => this.#options.log.warn('journal', { search: search.id, message: error.message }));
    return accepted;
  }

  #known(search: LiveSearch, { id, fingerprint: earlier }: { id: string; fingerprint: string }, body: Plain): Known {
    this.#forget(search);
    if (earlier === fingerprint(body)) return { known: id };
    throw new ApiError('idempotency_conflict', `this Idempotency-Key was used for another request, search ${id}`);
  }

  /** Work that is owed comes in without being asked whether there is room. `turn`: the one that it had before. */
  #enter(search: LiveSearch, turn?: number): void {
    const { queue } = this.#model(search).runtime;
    const facts = { ...this.#lineFacts(search), ...(turn === undefined ? {} : { turn }) };
    if (!facts.idle) this.admission.enter(search.id, search.facts.owner, queue.forecast(facts).fits);
    search.turn = queue.take(search.id, facts);
  }

  /** From here on it waits in the runtime. One from a former process waits without its log. */
  #submit(search: LiveSearch): void {
    const { id } = search;
    const { runtime } = this.#model(search);
    this.#live.set(id, search);
    try {
      const request = this.#request(search);
      if (search.epoch === 0) runtime.submit(request);
      else runtime.revive(request);
    } catch (error) {
      // Checked when it was accepted; a restart with another configuration can still make it impossible.
      this.#options.log.error('submit', { search: id, error });
      this.#endUnstarted(search, new ApiError('internal', 'the search cannot be run as this server is configured'));
    }
  }

  #claim(search: LiveSearch): void {
    const claimed = this.#options.journal.claim(search.id, search.epoch, this.#nowMs());
    search.epoch += 1;
    claimed.then((taken) => taken || this.lose(search.id)).catch(() => this.lose(search.id));
  }

  // ---- what the runtime tells ------------------------------------------------------------------------------------

  #onEvent(event: LoggedEvent): void {
    const search = this.#live.get(event.search);
    if (search === undefined) return;
    search.fold.apply(event);
    if (event.event.type === 'admitted') this.#onAdmitted(search, event.atMs);
    this.#write(search, event);
    for (const listener of search.listeners) listener.event?.(event);
    this.#watches?.logged(event);
    if (event.event.type === 'exited') this.#end(search);
    if (event.event.type === 'cost') this.#settle(search);
  }

  #onAdmitted(search: LiveSearch, atMs: number): void {
    search.state = 'running';
    search.startedMs ??= atMs;
    this.admission.admitted(search.id);
  }

  /** What is logged before a search is admitted is held back: in the journal it is queued until then. */
  #write(search: LiveSearch, event: LoggedEvent): void {
    const { journal } = this.#options;
    search.unwritten.push(event);
    const isEarly = event.event.type === 'submitted' || event.event.type === 'planted';
    if (search.epoch === 0 && isEarly) return;
    if (search.epoch === 0) this.#claim(search);
    for (const each of search.unwritten.splice(0)) journal.append(search.epoch, each);
  }

  #onToken(token: Token): void {
    for (const listener of this.#listeners(token.search)) listener.token?.(token);
  }

  #isWatched(id: string): boolean {
    return [...this.#listeners(id)].some(({ token }) => token !== undefined);
  }

  /** Of the search, or of what its client holds on to. */
  #listeners(id: string): Iterable<SearchListener> {
    return (this.#watches?.find(id) ?? this.#live.get(id))?.listeners ?? [];
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

  /** Another process has it, or is to have it: whatever we do now would be done twice. */
  lose(id: string): void {
    this.#watches?.lost(id);
    this.#options.cluster?.drop(id);
    const search = this.#live.get(id);
    if (search === undefined || search.ended !== undefined) return;
    this.#options.log.warn('lost', { search: id, epoch: search.epoch });
    this.#live.delete(id);
    this.#dismiss(search);
    this.admission.leave(id);
    const error = journalTrouble('the journal could not keep this search');
    search.end({ state: 'failed', endedMs: this.#nowMs(), result: undefined, error });
  }

  // ---- ending ----------------------------------------------------------------------------------------------------

  /** Its clients are answered at once, with what is known of its cost. */
  #end(search: LiveSearch, isSettled = false): void {
    const isFutile = search.fold.exit?.kind === 'futile';
    if (isFutile && search.facts.plan.onFutile === 'escalate') search.successor = this.#escalate(search);
    this.admission.leave(search.id);
    search.end(this.#endOf(search, this.#nowMs()));
    // Its client is told when the end is safe: there is no company to wait for.
    if (this.#watches?.has(search.id)) this.#options.journal.flush().catch(() => {});
    if (isSettled) this.#settle(search);
  }

  /** Its cost is final: so are its record and the metrics. */
  #settle(search: LiveSearch): void {
    if (search.ended === undefined) return;
    search.ended = this.#endOf(search, search.ended.endedMs);
    this.#finish(search, search.ended);
  }

  #endOf(search: LiveSearch, endedMs: number): Ended {
    return endOf(search, endedMs, retryAfterSeconds(this.#model(search).runtime.queue.pace?.meanMs));
  }

  /** Takes it from the runtime: as an end of its own where it runs, without a word where it waits. */
  #dismiss(search: LiveSearch): void {
    const { runtime } = this.#model(search);
    if (search.state === 'running') runtime.cancel(search.id);
    else runtime.withdraw(search.id);
  }

  /** Ends what was never started. */
  #endUnstarted(search: LiveSearch, error?: ApiError): void {
    if (search.ended !== undefined) return;
    const state = error === undefined ? 'cancelled' : 'failed';
    const ended = { state, endedMs: this.#nowMs(), result: undefined, error } as const;
    this.admission.leave(search.id);
    search.end(ended);
    this.#finish(search, ended);
  }

  #finish(search: LiveSearch, ended: Ended): void {
    search.settled = true;
    const { journal, log, cluster, onEnded, onFinished } = this.#options;
    journal
      .finish(search.id, search.epoch, toFinish(search, ended))
      .then((isOurs) => {
        if (!isOurs) return cluster?.drop(search.id);
        if (mayMove(search)) cluster?.ended(search.facts);
        else cluster?.look();
        this.#watches?.ended(search.id, ended, search.successor);
      })
      .catch((error: Error) => log.error('journal', { search: search.id, message: error.message }))
      .finally(() => {
        this.#live.delete(search.id);
        onFinished?.(search.id);
      });
    onEnded?.(search, ended);
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
      this.#enter(successor);
      void this.#accept(successor, undefined);
      this.#watch(successor);
      this.#begin(successor);
      return successor;
    } catch (error) {
      log.warn('escalate', { search: search.id, to: target.name, error });
      return undefined;
    }
  }

  // ---- after a restart -------------------------------------------------------------------------------------------

  /** True where it goes on. */
  async recoverOne(record: SearchRecord): Promise<boolean> {
    const isWanted = await this.#isWanted(record);
    const search = await revive(record, { ...this.#options, models: this.models });
    if (search === undefined) return false;
    if (isWanted) {
      this.#enter(search, search.turn);
      this.#submit(search);
    } else await this.#endAbandoned(search);
    return search.ended === undefined;
  }

  async #isWanted({ background, about, cancelRequested }: SearchRecord): Promise<boolean> {
    if (background || cancelRequested || typeof about.home !== 'string') return background && !cancelRequested;
    return (await this.#options.cluster?.lives(about.home)) === true;
  }

  /** Of a former process, and nobody waits for it: as its log says where that has an end, else cancelled. */
  async #endAbandoned(search: LiveSearch): Promise<void> {
    this.#live.set(search.id, search);
    try {
      await replayLog(this.#options.journal, search);
    } catch (error) {
      if (this.#handBack(search, error)) return;
      this.#options.log.error('recover', { search: search.id, error });
    }
    if (search.fold.exit === undefined) this.#endUnstarted(search);
    else this.#end(search, true);
  }

  /** Its turn has come: reads its log and goes on, or ends it where the log has an end. */
  async #resume(id: string): Promise<void> {
    const { journal, log } = this.#options;
    const search = this.#live.get(id);
    if (search === undefined) return;
    const { runtime } = this.#model(search);
    try {
      const logged = await replayLog(journal, search);
      if (search.ended !== undefined) return;
      if (search.fold.exit !== undefined) {
        runtime.withdraw(id);
        return this.#end(search, true);
      }
      const events = logged.length > 0 ? logged : plantAgain(journal, search, this.#nowMs());
      runtime.restore(id, events, search.fold.sequence + 1);
    } catch (error) {
      if (this.#handBack(search, error)) return;
      log.error('resume', { search: id, error });
      runtime.withdraw(id);
      this.#endUnstarted(search, new ApiError('internal', 'the search could not be resumed from its log'));
    }
  }

  /** Where only the database was away, nothing is wrong with the search: a node goes on with it when it can be read. */
  #handBack(search: LiveSearch, error: unknown): boolean {
    const { cluster } = this.#options;
    if (cluster === undefined || !(error instanceof FaultError) || error.fault.code !== 'unavailable') return false;
    this.lose(search.id);
    void cluster.giveBack([search.facts]);
    return true;
  }

  #model(search: LiveSearch): ServedModel {
    return this.#modelOf(search.facts.plan);
  }

  #modelOf({ model: name }: SearchPlan): ServedModel {
    const model = this.models.get(name);
    if (model === undefined) throw new ApiError('model_not_found', `there is no model '${name}'`, { param: 'model' });
    return model;
  }

  #nowMs(): number {
    return this.#options.clock.nowMs();
  }
}
