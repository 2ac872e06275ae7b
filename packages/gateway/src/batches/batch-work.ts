// Works on one batch, from its file to its results. Each line becomes an idle search under its own idempotency key: after a crash the
// same lines find the same searches. A line's answer is written once, as the part of a result file that has the line's number. Every line
// gets one, unless the batch is cancelled.

import { setTimeout as delay } from 'node:timers/promises';
import { type FaultError, isFault } from '@coppice/core/base';
import type { SearchRecord } from '@coppice/core/journal';
import { type GatewayContext, requestCancel } from '../api/context.ts';
import { dialectAt } from '../api/create.ts';
import type { InboundDialect } from '../dialects/dialect.ts';
import { asApiError } from '../http/api-error.ts';
import { batchRetention } from '../http/fixed-limits.ts';
import type { Caller } from '../http/keys.ts';
import { modelNamed } from '../models/served-model.ts';
import { successorIn } from '../result/told-end.ts';
import type { BatchStatus } from '../wire/document-json.ts';
import { type BatchDocument, type BatchFacts, BatchLost, inStatus, leaseMs } from './batch-facts.ts';
import { type BatchLine, problemOf, readBatchLines } from './batch-lines.ts';
import { closeResults, openResults, readWhole } from './batch-results.ts';
import { type EndedChain, errorAnswer, type LineAnswer, lineAnswer, planLine } from './line-answer.ts';
import type { LineSlots } from './line-slots.ts';

type Halt = 'left' | 'cancelled' | 'expired';

const keepMs = leaseMs / 3;
const troubleMs = 1000;

export class BatchWork {
  readonly #context: GatewayContext;
  readonly #slots: LineSlots;
  readonly #document: BatchDocument;
  readonly #halted = new AbortController();
  readonly #left = new AbortController();
  readonly #caller: Caller;
  readonly #dialect: InboundDialect;
  #halt: Halt | undefined;

  constructor(context: GatewayContext, slots: LineSlots, document: BatchDocument) {
    this.#context = context;
    this.#slots = slots;
    this.#document = document;
    const { maxPriority, endpoint } = document.facts;
    this.#dialect = dialectAt(endpoint);
    this.#caller = { name: document.owner, share: 1, maxPriority, queue: 0, admin: false };
  }

  get owner(): string {
    return this.#document.owner;
  }

  /** Resolves to true when the batch has ended, and to false if this process has left it. */
  async run(): Promise<boolean> {
    const keeper = setInterval(() => void this.look(), keepMs).unref();
    try {
      await this.#work();
      return this.#halt !== 'left';
    } catch (error) {
      if (!(error instanceof BatchLost)) this.#context.log.warn('batch', { batch: this.#document.id, error });
      const hasEnded = isFault(error, 'damaged') && (await this.#endDamaged(error));
      this.leave();
      return hasEnded;
    } finally {
      clearInterval(keeper);
    }
  }

  leave(): void {
    this.#stop('left');
  }

  async look(): Promise<void> {
    try {
      const { status, expiresMs } = await this.#document.refresh();
      if (status === 'cancelling') return this.#stop('cancelled');
      if (this.#nowMs() >= expiresMs) return this.#stop('expired');
      const untilMs = this.#nowMs() + leaseMs;
      await this.#document.change((facts) => ({ ...facts, lease: facts.lease && { ...facts.lease, untilMs } }));
    } catch (error) {
      if (error instanceof BatchLost) this.leave();
      else this.#context.log.warn('batch', { batch: this.#document.id, error });
    }
  }

  async #work(): Promise<void> {
    const { endpoint, input } = this.#document.facts;
    const text = await readWhole(this.#context.journal.documents, input);
    const { limits } = this.#context;
    const most = { requests: limits.batchRequests, bodyBytes: limits.bodyBytes };
    const { lines, problems } = await readBatchLines(text ?? '', endpoint, most);
    const wrong = text === undefined ? [problemOf('file_not_found', `there is no file '${input}'`)] : problems;
    if (wrong.length > 0) return this.#end('failed', (facts) => ({ ...facts, problems: wrong }));
    await this.#begin(lines.length);
    await this.#feed(lines);
    if (this.#halt !== 'left') await this.#finish(lines);
  }

  async #begin(total: number): Promise<void> {
    await openResults(this.#context.journal.documents, this.#document);
    const begin = (facts: BatchFacts) => ({ ...inStatus(facts, 'in_progress', this.#nowMs()), total });
    await this.#document.change((facts) => (facts.status === 'validating' ? begin(facts) : { ...facts, total }));
    await this.look();
  }

  async #feed(lines: readonly BatchLine[]): Promise<void> {
    const done = await this.#answered();
    const under = new Set<Promise<void>>();
    const { signal } = this.#halted;
    for (const line of lines) {
      if (done.has(line.at)) continue;
      const give = await this.#slots.take(modelNamed(this.#context, line.body.model)?.name ?? '', signal);
      if (give === undefined) break;
      const task = this.#line(line).finally(() => {
        give();
        under.delete(task);
      });
      under.add(task);
    }
    await Promise.all(under);
  }

  async #answered(): Promise<Set<number>> {
    const { documents } = this.#context.journal;
    const { output, errors } = this.#document.facts;
    return new Set([...(await documents.partNumbers(output)), ...(await documents.partNumbers(errors))]);
  }

  async #line(line: BatchLine): Promise<void> {
    while (this.#halt === undefined) {
      try {
        const answer = await this.#search(line);
        if (answer !== undefined) await this.#write(line, answer);
        return;
      } catch (error) {
        const told = asApiError(error);
        if (told.code === 'internal') this.#context.log.error('batch', { batch: this.#document.id, error });
        // Retries while the journal is unavailable or the key's quota is used up.
        const isTrouble = told.code === 'unavailable' || told.code === 'quota_exceeded';
        if (!isTrouble) return this.#write(line, errorAnswer(told.body, this.#dialect));
        await delay(troubleMs);
      }
    }
  }

  async #search(line: BatchLine): Promise<LineAnswer | undefined> {
    const { expiresMs } = this.#document.facts;
    const leftMs = Math.max(1, expiresMs - this.#nowMs());
    const planned = await planLine(this.#context, this.#dialect, line.body, this.#caller, leftMs);
    for (;;) {
      const chain = await this.#endedChain(await this.#start(line, planned));
      if (this.#halt === 'left' || (this.#halt !== undefined && chain?.last.state === 'cancelled')) return undefined;
      // Starts the search again if its record was swept.
      if (chain !== undefined) return lineAnswer(this.#context, this.#dialect, chain, planned.asked);
    }
  }

  /** Headers cannot hold a line break, so no client's key equals this one. */
  async #start({ at }: BatchLine, { plan, kept: body, chat }: Awaited<ReturnType<typeof planLine>>): Promise<string> {
    const options = { background: true, body, chat, idempotencyKey: `${this.#document.id}\n${at}` };
    const started = await this.#context.searches.start(plan, this.#caller, options);
    return 'known' in started ? started.known : started.id;
  }

  /** The record of an ended search; undefined if it is gone, or this process has left the batch. */
  async #ended(id: string): Promise<SearchRecord | undefined> {
    const { watchers } = this.#context;
    const record = await watchers.ended(id, this.#halted.signal);
    if (record !== undefined || !this.#halted.signal.aborted || this.#left.signal.aborted) return record;
    await requestCancel(this.#context, id);
    return watchers.ended(id, this.#left.signal);
  }

  async #endedChain(id: string): Promise<EndedChain | undefined> {
    const first = await this.#ended(id);
    const next = successorIn(first);
    const last = next === undefined ? first : await this.#ended(next);
    return first && last && { first, last };
  }

  async #write({ at, customId }: BatchLine, { status, body }: LineAnswer): Promise<void> {
    const { output, errors } = this.#document.facts;
    const id = `batch_req_${this.#document.id.replace(/^batch_/, '')}_${at}`;
    const response = { status_code: status, request_id: id, body };
    const text = `${JSON.stringify({ id, custom_id: customId, response, error: null })}\n`;
    await this.#context.journal.documents.addPart(status < 400 ? output : errors, at, text);
  }

  async #finish(lines: readonly BatchLine[]): Promise<void> {
    const { documents } = this.#context.journal;
    if (this.#halt === undefined) await this.#document.change((facts) => inStatus(facts, 'finalizing', this.#nowMs()));
    if (this.#halt === 'expired') await this.#expire(lines);
    const counts = await closeResults(documents, this.#document, this.#nowMs() + this.#retentionMs);
    const status: BatchStatus = this.#halt === undefined || this.#halt === 'left' ? 'completed' : this.#halt;
    await this.#end(status, (facts) => ({ ...facts, counts }));
  }

  async #expire(lines: readonly BatchLine[]): Promise<void> {
    const done = await this.#answered();
    const { errors } = this.#document.facts;
    const message = 'the batch has expired before this request was answered';
    for (const { at, customId } of lines.filter(({ at: place }) => !done.has(place))) {
      const line = { id: null, custom_id: customId, response: null, error: { code: 'batch_expired', message } };
      await this.#context.journal.documents.addPart(errors, at, `${JSON.stringify(line)}\n`);
    }
  }

  /** False if the batch's own document cannot be written either. */
  async #endDamaged({ fault }: FaultError): Promise<boolean> {
    const problem = problemOf('file_damaged', `the journal is damaged: ${fault.message}`);
    return this.#end('failed', (facts) => ({ ...facts, problems: [problem] })).then(
      () => true,
      () => false,
    );
  }

  async #end(status: BatchStatus, more: (facts: BatchFacts) => BatchFacts): Promise<void> {
    const nowMs = this.#nowMs();
    const expiresMs = nowMs + this.#retentionMs;
    await this.#document.change((facts) => inStatus(more(facts), status, nowMs), { expiresMs });
  }

  get #retentionMs(): number {
    return batchRetention * this.#context.config.journal.retentionMs;
  }

  #stop(halt: Halt): void {
    this.#halt ??= halt;
    if (halt === 'left') {
      this.#halt = halt;
      this.#left.abort();
    }
    this.#halted.abort();
  }

  #nowMs(): number {
    return this.#context.clock.nowMs();
  }
}
