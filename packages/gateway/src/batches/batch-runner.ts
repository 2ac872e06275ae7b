// Chooses the batches that this process works on: the oldest, of the keys with the fewest running. One process works on a batch; another
// takes over when its lease ends.

import type { KeptDocument } from '@coppice/core/journal';
import type { GatewayContext } from '../api/context.ts';
import { BatchDocument, batchFacts, leaseMs } from './batch-facts.ts';
import { BatchWork } from './batch-work.ts';
import { LineSlots } from './line-slots.ts';

const lookMs = 5000;

export class BatchRunner {
  readonly #context: GatewayContext;
  readonly #node: string;
  readonly #slots: LineSlots;
  readonly #runs = new Map<string, BatchWork>();
  readonly #ends = new Set<Promise<void>>();
  #timer: NodeJS.Timeout | undefined;
  #isLooking = false;
  #again = false;

  /** `node`: this process's name among those that share the journal, the same after a restart. */
  constructor(context: GatewayContext, node: string) {
    this.#context = context;
    this.#node = node;
    this.#slots = new LineSlots((model) => context.searches.models.get(model)?.strands ?? 1);
  }

  start(): void {
    if (this.#context.journal.texts !== 'keep') return;
    this.#timer = setInterval(() => this.look(), lookMs).unref();
    this.look();
  }

  /** Leaves every batch as it is. Resolves when nothing more is written. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#timer = undefined;
    for (const run of this.#runs.values()) run.leave();
    await Promise.all([...this.#ends]);
  }

  look(): void {
    this.#again = true;
    if (!this.#isLooking) void this.#lookAgain();
  }

  async #lookAgain(): Promise<void> {
    this.#isLooking = true;
    while (this.#again) {
      this.#again = false;
      await this.#takeMore().catch((error: unknown) => this.#context.log.warn('batches', { error }));
    }
    this.#isLooking = false;
  }

  async changed(id: string): Promise<void> {
    await this.#runs.get(id)?.look();
    this.look();
  }

  async #takeMore(): Promise<void> {
    const { journal, limits, clock } = this.#context;
    const opened = await journal.documents.opened('batch');
    const isFree = (document: KeptDocument) => {
      const { lease } = batchFacts(document);
      return lease === null || lease.node === this.#node || lease.untilMs < clock.nowMs();
    };
    const waiting = opened.filter((document) => !this.#runs.has(document.id) && isFree(document));
    while (this.#timer !== undefined && this.#runs.size < limits.activeBatches) {
      const under = (owner: string) => [...this.#runs.values()].filter((run) => run.owner === owner).length;
      const next = waiting.sort((a, b) => under(a.owner) - under(b.owner)).shift();
      if (next === undefined) return;
      await this.#take(next);
    }
  }

  async #take(document: KeptDocument): Promise<void> {
    const { journal, clock } = this.#context;
    const lease = { node: this.#node, untilMs: clock.nowMs() + leaseMs };
    const change = { facts: { ...batchFacts(document), lease }, open: true, expiresMs: undefined };
    const isTaken = await journal.documents.change(document.id, document.revision, change);
    if (!isTaken || this.#timer === undefined) return;
    const revision = document.revision + 1;
    const held = new BatchDocument(journal.documents, this.#node, { ...document, facts: change.facts, revision });
    const run = new BatchWork(this.#context, this.#slots, held);
    this.#runs.set(document.id, run);
    const end = run.run().then((hasEnded) => {
      this.#runs.delete(document.id);
      this.#ends.delete(end);
      if (hasEnded) this.look();
    });
    this.#ends.add(end);
  }
}
