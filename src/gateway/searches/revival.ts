// Searches that a former process accepted and did not end: taken up again from the journal where a client still wants them,
// ended where none does. Each waits for its turn without its log, which is read when that has come.

import { FaultError } from '../../base/fault.ts';
import type { SearchRecord } from '../../journal/journal.ts';
import { ApiError } from '../http/api-error.ts';
import type { ServedModels } from '../models/served-models.ts';
import type { Intake } from './intake.ts';
import type { LiveSearch } from './live-search.ts';
import type { LiveSearches } from './live-searches.ts';
import { giveUp, replayLog, revive } from './recovery.ts';
import { successorId } from './search-facts.ts';
import type { SearchesOptions } from './searches-options.ts';

export class Revival {
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

  /** True where it goes on. A record that cannot be taken up is set aside, whatever is wrong with it: it keeps no process from its start. */
  async take(record: SearchRecord): Promise<boolean> {
    try {
      return await this.#take(record);
    } catch (error) {
      if (error instanceof FaultError && error.fault.code === 'unavailable') throw error;
      const { journal, clock } = this.#options;
      this.#here.lose(record.id);
      await journal.claim(record.id, record.epoch, clock.nowMs());
      await giveUp(record, `its record cannot be read (${error})`, { ...this.#options, models: this.#models });
      return false;
    }
  }

  async #take(record: SearchRecord): Promise<boolean> {
    const isWanted = await this.#isWanted(record);
    const search = await revive(record, { ...this.#options, models: this.#models });
    if (search === undefined) return false;
    if (isWanted) {
      this.#intake.enter(search, search.turn);
      this.#here.submit(search);
    } else await this.#endAbandoned(search);
    return search.ended === undefined;
  }

  /** Its turn has come: reads its log and goes on, or ends it where the log has an end. */
  async resume(id: string): Promise<void> {
    const { journal, log } = this.#options;
    const search = this.#here.find(id);
    if (search === undefined) return;
    const { runtime } = this.#here.modelOf(search);
    try {
      await replayLog(journal, search);
      if (search.ended !== undefined) return;
      if (search.fold.exit !== undefined) {
        runtime.withdraw(id);
        return await this.#endRead(search);
      }
      if (!(await this.#here.begin(search))) return this.#here.lose(id);
      if (search.ended === undefined) runtime.restore(id);
    } catch (error) {
      if (this.#handBack(search, error)) return;
      log.error('resume', { search: id, error });
      runtime.withdraw(id);
      this.#here.endUnstarted(search, new ApiError('internal', 'the search could not be resumed from its log'));
    }
  }

  async #isWanted({ background, about, cancelRequested }: SearchRecord): Promise<boolean> {
    if (background || cancelRequested || typeof about.home !== 'string') return background && !cancelRequested;
    return (await this.#options.cluster?.lives(about.home)) === true;
  }

  /** No client waits for it: it ends as its log says where that has an end, else cancelled. */
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

  /** Its log has an end, which was not written down: whether a search took over then stands in the journal. */
  async #endRead(search: LiveSearch): Promise<void> {
    search.knownSuccessor = (await this.#options.journal.find(successorId(search.facts)))?.id;
    this.#here.end(search, true);
  }

  /** Where only the database was away, nothing is wrong with the search: a node goes on with it when it can be read. */
  #handBack(search: LiveSearch, error: unknown): boolean {
    const { cluster } = this.#options;
    if (cluster === undefined || !(error instanceof FaultError) || error.fault.code !== 'unavailable') return false;
    this.#here.lose(search.id);
    void cluster.giveBack([search.facts]);
    return true;
  }
}
