// Journals the searches of a rehearsal as the gateway does: acceptance, claim, every entry, and the end once the cost is known.

import type { Journal } from '@coppice/core/journal';
import { hasEvent, type LogEntry } from '@coppice/core/log';
import type { SearchRequest, SearchResult } from '@coppice/core/runtime';

const epoch = 1;

export class SearchJournal {
  readonly #journal: Journal;
  readonly #row: string;
  /** Prefix of ids: points must not meet in one journal. */
  readonly #prefix: string;
  readonly #ended = new Map<string, SearchResult>();

  constructor(journal: Journal, row: string, prefix: string) {
    this.#journal = journal;
    this.#row = row;
    this.#prefix = prefix;
  }

  accept({ id, prompt }: SearchRequest): void {
    const title = prompt.kind === 'text' ? prompt.text : '';
    const facts = { owner: 'rehearsal', fingerprint: this.#id(id), background: false, createdMs: Date.now() };
    void this.#journal.accept({ id: this.#id(id), ...facts, about: { policy: this.#row }, title, request: { prompt } });
    void this.#journal.claim(this.#id(id), 0, Date.now());
  }

  append(entry: LogEntry): void {
    const { search } = entry;
    this.#journal.append(epoch, { ...entry, search: this.#id(search) });
    const ended = hasEvent(entry, 'cost') ? this.#ended.get(search) : undefined;
    if (ended === undefined) return;
    this.#ended.delete(search);
    this.#finish(ended);
  }

  ended(result: SearchResult): void {
    this.#ended.set(result.id, result);
  }

  #finish({ id, exit, endedMs, answer }: SearchResult): void {
    const ending = { state: 'done', endedMs, outcome: { exit: exit.kind }, texts: { answer: answer?.answer } } as const;
    void this.#journal.finish(this.#id(id), epoch, ending);
  }

  flush(): Promise<void> {
    return this.#journal.flush();
  }

  #id(search: string): string {
    return `${this.#prefix}-${search}`;
  }
}
