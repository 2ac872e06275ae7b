// Accepts searches: refuses those without room or time, gives the others a turn, and writes them to the journal. Starts nothing.

import type { SearchPlan } from '@coppice/core/answering';
import type { KeyConfig } from '@coppice/core/config';
import type { Plain } from '@coppice/core/journal';
import { workKind } from '@coppice/core/runtime';
import type { LineFacts, LineKey } from '@coppice/core/scheduler';
import { ApiError } from '../http/api-error.ts';
import type { Caller } from '../http/keys.ts';
import { type ServedModels, servedBy } from '../models/served-model.ts';
import type { Admission } from './admission.ts';
import { LiveSearch, mayMove } from './live-search.ts';
import { fingerprint, newId, toAccept } from './search-facts.ts';
import type { Known, NewSearchOptions, SearchesOptions } from './searches-options.ts';

export class Intake {
  readonly #options: SearchesOptions;
  readonly #models: ServedModels;
  readonly #admission: Admission;
  #keys: readonly KeyConfig[];

  constructor(options: SearchesOptions, models: ServedModels, admission: Admission) {
    this.#options = options;
    this.#models = models;
    this.#admission = admission;
    this.#keys = options.config.keys;
  }

  useKeys(keys: readonly KeyConfig[]): void {
    this.#keys = keys;
  }

  /** Weighted fair queueing needs several keys; with fewer, arrival and priority alone decide. */
  keyOf(name: string): LineKey | undefined {
    const keys = this.#keys;
    return keys.length < 2 ? undefined : { name, share: keys.find((key) => key.name === name)?.share ?? 1 };
  }

  admit(plan: SearchPlan, caller: Caller, { body, chat, background, title }: NewSearchOptions) {
    const { clock, cluster, journal } = this.#options;
    const createdMs = clock.nowMs();
    const id = newId('srch_', createdMs);
    const { name: owner, queue: ownerQueue } = caller;
    const known = { id, owner, plan, body, background, createdMs, title: title ?? plan.title, escalatedFrom: null };
    // If the journal has the texts, other nodes may run a search whose client waits here.
    const home = background || journal.texts !== 'keep' ? undefined : cluster?.node;
    const more = { ...(chat && { chat }), ...(home === undefined ? {} : { home }) };
    const search = new LiveSearch({ ...known, ...more });
    const { queue } = this.#runtime(search);
    const facts = this.#lineFacts(search);
    const forecast = queue.forecast(facts);
    // Idle searches delay no other.
    if (plan.idle !== true) this.#admission.apply({ id, owner, ownerQueue, leftMs: plan.deadlineMs }, forecast);
    search.turn = queue.take(id, facts);
    const isNext = forecast.fits && cluster?.isDrained(plan.model) === true;
    // A batch's searches run on the node that feeds the batch.
    return { search, startsHere: isNext || plan.idle === true || cluster === undefined || !mayMove(search) };
  }

  /** Admits a search that must run, without a check. `turn`: the one that it had before. */
  enter(search: LiveSearch, turn?: number): void {
    const { queue } = this.#runtime(search);
    const facts = { ...this.#lineFacts(search), ...(turn === undefined ? {} : { turn }) };
    if (!facts.idle) this.#admission.enter(search.id, search.facts.owner, queue.forecast(facts).fits);
    search.turn = queue.take(search.id, facts);
  }

  forget(search: LiveSearch): void {
    this.#runtime(search).queue.leave(search.id);
    this.#admission.leave(search.id);
  }

  accept(search: LiveSearch, idempotencyKey: string | undefined) {
    const { journal, log } = this.#options;
    const accepted = journal.accept(toAccept(search, idempotencyKey));
    accepted.catch((error: Error) => log.warn('journal', { search: search.id, message: error.message }));
    return accepted;
  }

  /** An earlier search has the same idempotency key: the new one is dropped. */
  known(search: LiveSearch, { id, fingerprint: earlier }: { id: string; fingerprint: string }, body: Plain): Known {
    this.forget(search);
    if (earlier === fingerprint(body)) return { known: id };
    throw new ApiError('idempotency_conflict', `this Idempotency-Key was used for another request, search ${id}`);
  }

  #lineFacts({ facts, built }: LiveSearch): LineFacts {
    const key = this.keyOf(facts.owner);
    const { plan, createdMs: arrivalMs } = facts;
    const { session } = plan;
    const seats = built.program.naturalWidth;
    const idle = plan.idle === true;
    const kind = workKind(plan.program, plan.rollouts);
    return { arrivalMs, priority: plan.priority, seats, idle, kind, session, ...(key === undefined ? {} : { key }) };
  }

  #runtime({ facts }: LiveSearch) {
    return servedBy(this.#models, facts.plan.model).runtime;
  }
}
