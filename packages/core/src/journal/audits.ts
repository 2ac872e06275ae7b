// The newest ended searches of a journal and what they have shown of their judge, kept up to date: what comes a minute late is
// found, and once an hour all are read again. Reads in pages, so that it holds up nothing else. No sums are stored: rows are there once.

import type { Clock } from '../base/clock.ts';
import { nextSlice } from '../base/slices.ts';
import { type AuditedJudge, type AuditRow, JudgeAudits } from '../log/agreement.ts';
import type { Audit } from '../tree/readings/audit.ts';
import type { FinishedSearch, Journal } from './journal.ts';

interface AuditedSearch extends AuditRow, Pick<FinishedSearch, 'id' | 'endedMs'> {
  readonly model: string;
  readonly weights: string | undefined;
}

interface AuditedModel {
  readonly name: string;
  readonly weights: string | undefined;
  readonly judgeName: string;
  audits: JudgeAudits;
}

/** Five half-lives of a model that is asked alone. */
const mostSearches = 10_000;
const pageLength = 50;
/** Longer than clocks of nodes differ, and than most writes are held. */
const lateMs = 60_000;
const wholeEveryMs = 3_600_000;

export class Audits {
  readonly #journal: Pick<Journal, 'ended'>;
  readonly #clock: Clock;
  #rows: readonly AuditedSearch[] = [];
  #wholeMs = Number.NEGATIVE_INFINITY;

  constructor(journal: Pick<Journal, 'ended'>, clock: Clock) {
    this.#journal = journal;
    this.#clock = clock;
  }

  /** Gives models what is known of their judges now. */
  async tell(models: Iterable<AuditedModel>): Promise<void> {
    await this.refresh();
    for (const model of models) {
      model.audits = this.of(model.name, model.weights, model.judgeName);
      await nextSlice();
    }
  }

  async refresh(): Promise<void> {
    const nowMs = this.#clock.nowMs();
    const isWhole = nowMs - this.#wholeMs >= wholeEveryMs;
    const fresh = await this.#read(isWhole ? 0 : (this.#rows[0]?.endedMs ?? 0) - lateMs);
    const known = isWhole ? [] : this.#rows;
    const ids = new Set(known.map(({ id }) => id));
    const rows = [...fresh.filter(({ id }) => !ids.has(id)), ...known];
    this.#rows = rows.sort((a, b) => b.endedMs - a.endedMs || (a.id < b.id ? 1 : -1)).slice(0, mostSearches);
    if (isWhole) this.#wholeMs = nowMs;
  }

  /** Sums up the audits of searches with these weights and this judge. */
  of(model: string, weights: string | undefined, judge: string | undefined): JudgeAudits {
    const rows = this.#rows.filter((row) => row.model === model && row.weights === weights);
    return new JudgeAudits(rows, judge);
  }

  /** Maps each model to the audits of its latest weights and judge. */
  latest(): ReadonlyMap<string, AuditedJudge> {
    const found = new Map<string, AuditedJudge>();
    for (const { model, weights, audit } of this.#rows)
      if (audit !== undefined && !found.has(model)) found.set(model, this.of(model, weights, audit.judge).judge);
    return found;
  }

  async #read(fromMs: number): Promise<AuditedSearch[]> {
    const rows: AuditedSearch[] = [];
    let before = { endedMs: Number.MAX_SAFE_INTEGER, id: '' };
    for (let read = 0; read < mostSearches; read += pageLength) {
      const page = await this.#journal.ended({ fromMs, before, limit: pageLength });
      rows.push(...page.filter(({ about }) => about.mode !== 'direct').map(audited));
      if (page.length < pageLength) break;
      before = page.at(-1)!;
      await nextSlice();
    }
    return rows;
  }
}

function audited({ id, endedMs, owner, about, outcome }: FinishedSearch): AuditedSearch {
  const { model = '', weights } = about as { readonly model?: string; readonly weights?: string };
  return { id, endedMs, owner, model, weights, audit: outcome?.audit as Audit | undefined };
}
