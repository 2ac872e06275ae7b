// Asks the embedder for the vectors of open answers, a batch a step. An answer that cannot be embedded is compared by its words.

import { Counter } from '../../base/arithmetic.ts';
import type { Embedder, EmbedderMessage, EmbedRequest } from '../../embedder/embedder.ts';
import { OpenAnswers } from '../search/open-answers.ts';
import type { Search } from '../search/search.ts';

export class Grouping {
  readonly #embedder: Embedder | undefined;
  readonly #ids = new Counter(1);
  readonly #waiting = new Map<number, { readonly search: Search; readonly text: string }>();
  readonly #read = new Set<Search>();
  #toEmbed: EmbedRequest[] = [];

  constructor(embedder: Embedder | undefined) {
    this.#embedder = embedder;
  }

  /** Undefined without an embedder, and for answers in a shape, which are compared as they are. */
  openAnswers(search: Search): OpenAnswers | undefined {
    const { groupSimilarity, shape } = search.request;
    if (this.#embedder === undefined || groupSimilarity === undefined || shape !== undefined) return undefined;
    return new OpenAnswers(groupSimilarity, (texts) => this.#ask(search, texts));
  }

  #ask(search: Search, texts: readonly string[]): void {
    for (const text of texts) {
      const id = this.#ids.take();
      this.#waiting.set(id, { search, text });
      search.unanswered += 1;
      this.#toEmbed.push({ id, text });
    }
  }

  take(message: EmbedderMessage): void {
    const waiting = this.#waiting.get(message.request);
    if (waiting === undefined) return;
    const { search, text } = waiting;
    this.#waiting.delete(message.request);
    search.unanswered -= 1;
    if (message.type === 'vector') search.ledger.embedded(message.tokens);
    search.open?.note(text, message.type === 'vector' ? message.vector : undefined);
    this.#read.add(search);
  }

  takeRead(): Search[] {
    const read = [...this.#read];
    this.#read.clear();
    return read;
  }

  dispatch(): void {
    if (this.#toEmbed.length > 0) this.#embedder?.embed(this.#toEmbed);
    this.#toEmbed = [];
  }
}
