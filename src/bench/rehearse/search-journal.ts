// The searches of a rehearsal in a journal, written as the gateway writes them: accepted, claimed, every event, the end.

import type { Journal } from '../../journal/journal.ts';
import type { LoggedEvent } from '../../log/events.ts';
import type { SearchRequest, SearchResult } from '../../runtime/search/request.ts';

const epoch = 1;

export class SearchJournal {
  readonly #journal: Journal;
  readonly #row: string;
  /** Before the ids: points must not meet in one journal. */
  readonly #prefix: string;

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

  append(event: LoggedEvent): void {
    this.#journal.append(epoch, { ...event, search: this.#id(event.search) });
  }

  finish({ id, exit, endedMs, answer }: SearchResult): void {
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
