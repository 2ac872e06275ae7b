// The document of one batch in the hands of the process that works on it. Every change begins from what the journal has now, so
// that what others have written meanwhile (a client that cancels) is never lost.

import { setTimeout as delay } from 'node:timers/promises';
import type { Documents, KeptDocument } from '../../journal/documents.ts';
import { asFacts, type BatchFacts, batchFacts } from './batch-facts.ts';

/** Another process works on the batch now, or it is gone. */
export class BatchLost extends Error {}

/** Others leave a batch alone for so long after a word of its process. */
export const leaseMs = 30_000;
const retryMs = 50;

export class BatchDocument {
  readonly id: string;
  readonly owner: string;
  readonly #documents: Documents;
  readonly #node: string;
  #last: KeptDocument;

  constructor(documents: Documents, node: string, document: KeptDocument) {
    this.id = document.id;
    this.owner = document.owner;
    this.#documents = documents;
    this.#node = node;
    this.#last = document;
  }

  get facts(): BatchFacts {
    return batchFacts(this.#last);
  }

  get isOpen(): boolean {
    return this.#last.open;
  }

  async refresh(): Promise<BatchFacts> {
    const found = await this.#documents.find(this.id);
    if (found === undefined || batchFacts(found).lease?.node !== this.#node) throw new BatchLost();
    this.#last = found;
    return this.facts;
  }

  /** `ended`: nothing is to be done any more, and from when on it goes by itself. */
  async change(next: (facts: BatchFacts) => BatchFacts, ended?: { readonly expiresMs: number }): Promise<void> {
    for (;;) {
      await this.refresh();
      const { id, revision } = this.#last;
      const state = { open: ended === undefined, expiresMs: ended?.expiresMs };
      if (await this.#documents.change(id, revision, { facts: asFacts(next(this.facts)), ...state })) break;
      await delay(retryMs);
    }
    await this.refresh();
  }
}
