// Recovers searches that a former process accepted and did not end: resumes them from the journal if a client still wants them, else ends
// them. Each waits for its turn without its log, which is read when its turn comes.

import type { SearchPlan } from '@coppice/core/answering';
import { FaultError, isFault } from '@coppice/core/base';
import type { SearchRecord } from '@coppice/core/journal';
import { ApiError } from '../http/api-error.ts';
import type { ServedModels } from '../models/served-model.ts';
import type { Intake } from './intake.ts';
import { type LiveSearch, replayLog, searchOf } from './live-search.ts';
import type { LiveSearches } from './live-searches.ts';
import { successorId } from './search-facts.ts';
import type { SearchesOptions } from './searches-options.ts';

/** A search that was resumed so often probably kills the processes that run it; hand-overs stay far below. */
const mostEpochs = 100;
/** After so many runs that ended with their process and brought no answer, a search is given up as their cause. */
const mostRuns = 2;

export class Recovery {
  readonly #options: SearchesOptions;
  readonly #models: ServedModels;
  readonly #intake: Intake;
  readonly #here: LiveSearches;

  constructor(options: SearchesOptions, models: ServedModels, intake: Intake, here: LiveSearches) {
    this.#options = options;
    this.#models = models;
    this.#intake = intake;
    this.#here = here;
  }

  /** Resolves to true if the search goes on. Sets an unreadable record aside: it must not keep a process from starting. */
  async take(record: SearchRecord): Promise<boolean> {
    try {
      return await this.#take(record);
    } catch (error) {
      if (isFault(error, 'unavailable')) throw error;
      const { journal, clock } = this.#options;
      this.#here.lose(record.id);
      await journal.claim(record.id, record.epoch, clock.nowMs());
      await this.#setAside(record, `its record cannot be read (${error})`);
      return false;
    }
  }

  async #take(record: SearchRecord): Promise<boolean> {
    const isWanted = await this.#isWanted(record);
    const search = await this.#claim(record);
    if (search === undefined) return false;
    if (isWanted) {
      this.#intake.enter(search, search.turn);
      this.#here.submit(search);
    } else await this.#endAbandoned(search);
    return search.ended === undefined;
  }

  /** Undefined if another process has the search, or it was ended as failed. */
  async #claim(record: SearchRecord): Promise<LiveSearch | undefined> {
    const { journal, clock } = this.#options;
    const claimed = journal.claim(record.id, record.epoch, clock.nowMs());
    // Flushed at once: no other write is pending that could share the commit.
    await journal.flush().catch(() => {});
    if (!(await claimed)) return undefined;
    if (record.runs >= mostRuns)
      return this.#setAside(record, `${record.runs} processes died while they ran it and before it got any further`);
    if (record.epoch >= mostEpochs)
      return this.#setAside(record, `it was taken up ${mostEpochs} times, and never ended`);
    const plan = record.request?.plan as SearchPlan | undefined;
    if (plan === undefined) return this.#setAside(record, 'its texts were not kept');
    if (!this.#models.has(plan.model)) return this.#setAside(record, `model '${plan.model}' is gone`);
    try {
      return searchOf(record, plan);
    } catch (error) {
      // A plan of another version may name an unknown program or option.
      return this.#setAside(record, error instanceof FaultError ? error.fault.message : 'its plan cannot be read');
    }
  }

  async #setAside({ id, epoch }: SearchRecord, reason: string): Promise<undefined> {
    const { journal, clock, log } = this.#options;
    const { message, body: error } = new ApiError('internal', `the search could not be resumed: ${reason}`);
    log.warn('set-aside', { search: id, message });
    const ending = { state: 'failed', endedMs: clock.nowMs(), outcome: { error }, texts: {} } as const;
    await journal.finish(id, epoch + 1, ending);
  }

  /** Called when its turn has come: reads the log and goes on, or ends the search if the log has an end. */
  async resume(id: string): Promise<void> {
    const search = this.#here.find(id);
    if (search === undefined) return;
    const { runtime } = this.#here.modelOf(search);
    try {
      await replayLog(this.#options.journal, search);
      if (search.ended !== undefined) return;
      if (search.fold.exit !== undefined) {
        runtime.withdraw(id);
        return await this.#endRead(search);
      }
      if (!(await this.#here.begin(search))) return this.#here.lose(id);
      if (search.ended === undefined) runtime.restore(id);
    } catch (error) {
      if (this.#handBack(search, error)) return;
      this.#options.log.error('resume', { search: id, error });
      runtime.withdraw(id);
      this.#here.endUnstarted(search, new ApiError('internal', 'the search could not be resumed from its log'));
    }
  }

  async #isWanted({ background, about, cancelRequested }: SearchRecord): Promise<boolean> {
    if (background || cancelRequested || typeof about.home !== 'string') return background && !cancelRequested;
    return (await this.#options.cluster?.lives(about.home)) === true;
  }

  /** Ends a search as its log says, else as cancelled. */
  async #endAbandoned(search: LiveSearch): Promise<void> {
    this.#here.hold(search);
    try {
      await replayLog(this.#options.journal, search);
    } catch (error) {
      if (this.#handBack(search, error)) return;
      this.#options.log.error('recover', { search: search.id, error });
    }
    search.cancelled = true;
    if (search.fold.exit === undefined) this.#here.endUnstarted(search);
    else await this.#endRead(search);
  }

  /** Ends a search whose log has an end that was not recorded. The journal says whether a successor began. */
  async #endRead(search: LiveSearch): Promise<void> {
    search.knownSuccessor = (await this.#options.journal.find(successorId(search.facts)))?.id;
    this.#here.end(search, true);
  }

  /** True if a cluster's database cannot be reached: the search goes back to the queue, and another node resumes it later. */
  #handBack(search: LiveSearch, error: unknown): boolean {
    const { cluster } = this.#options;
    if (cluster === undefined || !isFault(error, 'unavailable')) return false;
    this.#here.lose(search.id);
    void cluster.giveBack([search.facts]);
    return true;
  }
}
