// The searches of a gateway: `Intake` accepts them, `LiveSearches` runs them until their end, `Recovery` resumes those of a former
// process, `Watches` follows those that other nodes may run. An accepted search waits in its runtime.

import { escalatedPlan, type SearchPlan } from '@coppice/core/answering';
import { liveTimers } from '@coppice/core/base';
import type { KeyConfig } from '@coppice/core/config';
import type { SearchRecord } from '@coppice/core/journal';
import type { CancelReason } from '@coppice/core/runtime';
import { askedIn } from '../dialects/body-wish.ts';
import type { ChatBody } from '../dialects/chat-body.ts';
import type { Caller } from '../http/keys.ts';
import { generatorsOf, ServedModel } from '../models/served-model.ts';
import { Admission, PassThroughQueue } from './admission.ts';
import { Intake } from './intake.ts';
import { LiveSearch, mayMove } from './live-search.ts';
import { LiveSearches } from './live-searches.ts';
import { Recovery } from './recovery.ts';
import { offered, successorId } from './search-facts.ts';
import type { Known, NewSearchOptions, SearchesOptions } from './searches-options.ts';
import { Watches } from './watches.ts';

const retryMs = 1000;

export class Searches {
  readonly models = new Map<string, ServedModel>();
  readonly admission: Admission;
  readonly passThrough: PassThroughQueue;
  readonly #options: SearchesOptions;
  readonly #intake: Intake;
  readonly #here: LiveSearches;
  readonly #recovery: Recovery;
  readonly #watches: Watches | undefined;

  constructor(options: SearchesOptions) {
    this.#options = options;
    const { config, clock, journal, cluster } = options;
    const { models } = this;
    const admission = new Admission(config.admission.queue, (owner) => cluster?.waiting(owner) ?? 0);
    this.admission = admission;
    this.#intake = new Intake(options, models, admission);
    this.passThrough = new PassThroughQueue({ admission, models, clock, keyOf: (name) => this.#intake.keyOf(name) });
    const { timers = liveTimers } = options;
    const findHere = (id: string) => this.find(id);
    const endUnclaimed = (record: SearchRecord) => this.recoverOne(record);
    this.#watches = cluster && new Watches({ journal, clock, timers, findHere, endUnclaimed });
    const escalate = (search: LiveSearch) => this.#escalate(search);
    this.#here = new LiveSearches(options, { models, admission, watches: this.#watches, escalate });
    this.#recovery = new Recovery(options, models, this.#intake, this.#here);
    const generators = generatorsOf(options.models);
    const onLogWanted = (search: string) => void this.#recovery.resume(search);
    for (const parts of options.models) {
      const { name } = parts.config;
      models.set(name, new ServedModel(parts, this.#here, onLogWanted, clock, options.loop?.(), generators.get(name)));
    }
    journal.listen({
      lost: (id) => this.lose(id),
      refused: (id, why) => this.#here.refuse(id, why),
      durable: (id, sequence) => this.#here.onDurable(id, sequence),
      trouble: () => this.#here.onTrouble(),
      acceptedLate: (id) => void this.#offerLate(id),
    });
  }

  useKeys(keys: readonly KeyConfig[]): void {
    this.#intake.useKeys(keys);
  }

  get live(): Iterable<LiveSearch> {
    return this.#here.all;
  }

  find(id: string): LiveSearch | undefined {
    return this.#here.find(id);
  }

  get waitedFor(): LiveSearch[] {
    const here = [...this.live].filter(({ facts }) => !facts.background && facts.home === undefined);
    const { node } = this.#options.cluster ?? {};
    return [...here, ...(this.#watches?.searches ?? []).filter(({ facts }) => facts.home === node)];
  }

  /** Resolves to the search when it has ended; undefined if no reachable process has it. */
  async waitForKnown(id: string): Promise<LiveSearch | undefined> {
    return (this.find(id) ?? (await this.#watches?.followKnown(id)))?.wait();
  }

  /** Throws an ApiError if there is no room. Resolves when the search is accepted. */
  async start(plan: SearchPlan, caller: Caller, options: NewSearchOptions): Promise<LiveSearch | Known> {
    const { body, idempotencyKey } = options;
    const { search, startsHere } = this.#intake.admit(plan, caller, options);
    const accepted = this.#intake.accept(search, idempotencyKey);
    // A waiting client loses its search with the process anyway: it need not wait for the disk.
    if (options.background || idempotencyKey !== undefined || !startsHere) {
      const acceptance = await accepted.catch((error: unknown) => {
        this.#intake.forget(search);
        throw error;
      });
      if (!acceptance.fresh) return this.#intake.known(search, acceptance, body);
    }
    const watched = this.#watch(search);
    if (startsHere) this.#begin(search);
    else {
      this.#intake.forget(search);
      // The search is durable: its client need not wait until a node has taken it.
      void this.#options.cluster?.offer(offered(search));
    }
    return watched;
  }

  cancel(wanted: LiveSearch, reason: CancelReason = 'caller'): void {
    if (wanted.successor !== undefined) return this.cancel(wanted.successor, reason);
    if (wanted.ended !== undefined) return;
    const search = this.find(wanted.id);
    if (search !== undefined) this.#here.cancel(search, reason);
    else if (this.#watches?.find(wanted.id) !== undefined) void this.#watches.cancel(wanted.id);
  }

  lose(id: string): void {
    this.#here.lose(id);
  }

  /** Resolves when all of their entries are in the journal. */
  async handOver(searches: readonly LiveSearch[]): Promise<void> {
    const written = this.#here.noteStop(searches);
    for (const { id } of searches) this.lose(id);
    await written;
  }

  async recover(): Promise<number> {
    const records = (await this.#options.journal.unfinished()).filter(({ id }) => this.find(id) === undefined);
    const taken = await Promise.all(records.map((record) => this.recoverOne(record)));
    return taken.filter(Boolean).length;
  }

  recoverOne(record: SearchRecord): Promise<boolean> {
    return this.#recovery.take(record);
  }

  async close(): Promise<void> {
    this.#watches?.close();
    await Promise.all([...this.models.values()].map((model) => model.close()));
    this.#here.settleAll();
    await this.#here.noteStop(this.live);
  }

  /** Offers a search that was accepted late. Its client was told to retry and may find it: a node must take it. */
  async #offerLate(id: string): Promise<void> {
    const { journal, cluster, timers = liveTimers } = this.#options;
    try {
      const record = await journal.find(id);
      if (record?.state !== 'queued') return;
      const { model, turn } = record.about as { readonly model: string; readonly turn: number };
      await cluster?.offer({ id, model, turn });
    } catch {
      timers.after(retryMs, () => void this.#offerLate(id));
    }
  }

  #watch(search: LiveSearch): LiveSearch {
    const { home } = search.facts;
    return home === undefined || home !== this.#options.cluster?.node || this.#watches === undefined
      ? search
      : this.#watches.follow(search.facts);
  }

  #begin(search: LiveSearch): void {
    this.#here.submit(search);
    if (mayMove(search)) this.#options.cluster?.hold(offered(search));
  }

  /** Asks the model that `escalateTo` names the same question. Never refused. */
  #escalate(search: LiveSearch): LiveSearch | undefined {
    const { config, log, clock } = this.#options;
    const { facts } = search;
    const model = this.#here.modelOf(search);
    const target = this.models.get(model.config.escalateTo ?? '');
    if (target === undefined) return undefined;
    const createdMs = clock.nowMs();
    try {
      const { plan: first, body, chat = body } = facts;
      const { seed, deadlineMs: defaultDeadlineMs, priority: maxPriority, idle } = first;
      const asked = askedIn(chat as unknown as ChatBody, config.limits, target);
      const server = { model, successor: target, others: this.models, limits: config.limits };
      const plan = escalatedPlan(first, { ...asked, ...server, maxPriority, defaultDeadlineMs, seed, idle });
      const later = { id: successorId(facts), plan, createdMs, escalatedFrom: first.model };
      const successor = new LiveSearch({ ...facts, ...later });
      this.#intake.enter(successor);
      void this.#intake.accept(successor, undefined);
      this.#watch(successor);
      this.#begin(successor);
      return successor;
    } catch (error) {
      log.warn('escalate', { search: search.id, to: target.name, error });
      return undefined;
    }
  }
}
