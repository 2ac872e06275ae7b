// A batch as the journal keeps it and as clients read it. It changes only by these facts or by a part of one of its two result files. A
// part has its line's number, so that no line is answered twice.

import { setTimeout as delay } from 'node:timers/promises';
import type { Documents, KeptDocument } from '@coppice/core/journal';
import type { BatchJson, BatchProblem, BatchStatus } from '../wire/document-json.ts';

export interface BatchFacts {
  readonly endpoint: string;
  readonly input: string;
  /** Ids of the result files; clients see them once the batch has ended. */
  readonly output: string;
  readonly errors: string;
  readonly metadata: Readonly<Record<string, string>> | null;
  readonly maxPriority: number;
  readonly expiresMs: number;
  readonly status: BatchStatus;
  readonly problems: readonly BatchProblem[];
  readonly total: number;
  readonly counts: { readonly completed: number; readonly failed: number } | null;
  readonly times: Readonly<Partial<Record<BatchStatus, number>>>;
  readonly lease: { readonly node: string; readonly untilMs: number } | null;
}

export function batchFacts({ facts }: KeptDocument): BatchFacts {
  return facts as unknown as BatchFacts;
}

export function inStatus(facts: BatchFacts, status: BatchStatus, nowMs: number): BatchFacts {
  return { ...facts, status, times: { ...facts.times, [status]: nowMs } };
}

export function viewBatch(document: KeptDocument, counts: NonNullable<BatchFacts['counts']>): BatchJson {
  const facts = batchFacts(document);
  const { status, problems, times, total } = facts;
  const { completed, failed } = facts.counts ?? counts;
  const seconds = (ms: number | undefined) => (ms === undefined ? null : Math.floor(ms / 1000));
  const hasEnded = !document.open && status !== 'failed';
  return {
    id: document.id,
    object: 'batch',
    endpoint: facts.endpoint,
    errors: problems.length === 0 ? null : { object: 'list', data: problems },
    input_file_id: facts.input,
    completion_window: '24h',
    status,
    output_file_id: hasEnded && completed > 0 ? facts.output : null,
    error_file_id: hasEnded && failed > 0 ? facts.errors : null,
    created_at: seconds(document.createdMs),
    in_progress_at: seconds(times.in_progress),
    expires_at: seconds(facts.expiresMs),
    finalizing_at: seconds(times.finalizing),
    completed_at: seconds(times.completed),
    failed_at: seconds(times.failed),
    expired_at: seconds(times.expired),
    cancelling_at: seconds(times.cancelling),
    cancelled_at: seconds(times.cancelled),
    request_counts: { total, completed, failed },
    metadata: facts.metadata,
  };
}

/** Another process has taken the batch, or it was removed. */
export class BatchLost extends Error {}

/** Length of a lease: until it ends, no other process takes the batch. */
export const leaseMs = 30_000;
const retryMs = 50;

/** A batch's document, for the process that works on it. Changes start from the journal's state, so that no cancellation is lost. */
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

  async refresh(): Promise<BatchFacts> {
    const found = await this.#documents.find(this.id);
    if (found === undefined || batchFacts(found).lease?.node !== this.#node) throw new BatchLost();
    this.#last = found;
    return this.facts;
  }

  async change(next: (facts: BatchFacts) => BatchFacts, ended?: { readonly expiresMs: number }): Promise<void> {
    for (;;) {
      await this.refresh();
      const { id, revision } = this.#last;
      const state = { open: ended === undefined, expiresMs: ended?.expiresMs };
      if (await this.#documents.change(id, revision, { facts: { ...next(this.facts) }, ...state })) break;
      await delay(retryMs);
    }
    await this.refresh();
  }
}
