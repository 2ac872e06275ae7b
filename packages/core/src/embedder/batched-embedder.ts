// An embedder on any function from texts to vectors: batches, a second try after a broken connection, and a time limit over both. While it
// is down texts are refused at once; after a pause one call finds out whether it is back.

import { liveTimers, type Timers } from '../base/clock.ts';
import { type Fault, FaultError, fault } from '../base/fault.ts';
import { backOffMs } from '../remote/circuit-breaker.ts';
import type { Embedder, EmbedderLoad, EmbedderMessage, EmbedRequest } from './embedder.ts';

export interface EmbeddedTexts {
  readonly vectors: readonly (readonly number[])[];
  readonly tokens: number;
}

export type EmbedTexts = (texts: readonly string[], signal: AbortSignal) => Promise<EmbeddedTexts>;

export interface BatchedEmbedderOptions {
  readonly name: string;
  readonly timeoutMs: number;
  readonly observe?: (event: 'down' | 'up', reason: string) => void;
  readonly timers?: Timers;
  readonly onClose?: () => void;
}

/** Texts of one call: what an endpoint of 512 tokens a text answers within a second. */
const batchTexts = 32;
const firstPauseMs = 250;
const longestPauseMs = 60_000;

export class BatchedEmbedder implements Embedder {
  readonly name: string;
  readonly #embed: EmbedTexts;
  readonly #options: BatchedEmbedderOptions;
  readonly #timers: Timers;
  readonly #calls = new Set<AbortController>();
  #post: (message: EmbedderMessage) => void = () => {};
  #counts = { waiting: 0, texts: 0, failed: 0 };
  #strikes = 0;
  #pausedUntilMs = 0;
  #reason: Fault | undefined;

  constructor(embed: EmbedTexts, options: BatchedEmbedderOptions) {
    this.#embed = embed;
    this.#options = options;
    this.name = options.name;
    this.#timers = options.timers ?? liveTimers;
  }

  connect(post: (message: EmbedderMessage) => void): void {
    this.#post = post;
  }

  embed(requests: readonly EmbedRequest[]): void {
    this.#counts.texts += requests.length;
    if (this.#reason !== undefined && this.#timers.nowMs() < this.#pausedUntilMs)
      return this.#refuse(requests, this.#reason);
    for (let at = 0; at < requests.length; at += batchTexts) void this.#ask(requests.slice(at, at + batchTexts));
  }

  load(): EmbedderLoad {
    return { healthy: this.#reason === undefined, ...this.#counts };
  }

  async close(): Promise<void> {
    for (const call of this.#calls) call.abort();
    this.#options.onClose?.();
  }

  async #ask(requests: readonly EmbedRequest[]): Promise<void> {
    this.#counts.waiting += requests.length;
    try {
      const embedded = await this.#within(requests.map(({ text }) => text));
      this.#succeeded();
      this.#answer(requests, embedded);
    } catch (error) {
      const reason = faultOf(error);
      if (reason.code !== 'cancelled') this.#failed(reason);
      this.#refuse(requests, reason);
    } finally {
      this.#counts.waiting -= requests.length;
    }
  }

  #answer(requests: readonly EmbedRequest[], { vectors, tokens }: EmbeddedTexts): void {
    const each = tokens / requests.length;
    requests.forEach(({ id }, at) => {
      this.#post({ type: 'vector', request: id, vector: vectors[at]!, tokens: each });
    });
  }

  async #within(texts: readonly string[]): Promise<EmbeddedTexts> {
    const { timeoutMs, name } = this.#options;
    const call = new AbortController();
    this.#calls.add(call);
    const forget = this.#timers.after(timeoutMs, () => call.abort('late'));
    const ended = new Promise<never>((_, reject) => {
      call.signal.addEventListener('abort', () => {
        const isLate = call.signal.reason === 'late';
        const reason = isLate
          ? fault('timeout', `${name} gave no vectors in ${timeoutMs} ms (timeoutMs)`)
          : fault('cancelled', `${name} was closed`);
        reject(new FaultError(reason));
      });
    });
    try {
      return await Promise.race([this.#tried(texts, call.signal), ended]);
    } finally {
      forget();
      this.#calls.delete(call);
    }
  }

  async #tried(texts: readonly string[], signal: AbortSignal): Promise<EmbeddedTexts> {
    try {
      return this.#checked(await this.#embed(texts, signal), texts.length);
    } catch (error) {
      if (signal.aborted || faultOf(error).code !== 'unavailable') throw error;
      return this.#checked(await this.#embed(texts, signal), texts.length);
    }
  }

  #checked(embedded: EmbeddedTexts, count: number): EmbeddedTexts {
    const { vectors } = embedded;
    const length = vectors[0]?.length ?? 0;
    const isWhole = vectors.length === count && length > 0;
    if (isWhole && vectors.every((vector) => vector.length === length && vector.every(Number.isFinite)))
      return embedded;
    const what = `${this.name} gave ${vectors.length} vectors for ${count} texts, or some that are no numbers`;
    throw new FaultError(fault('protocol', what));
  }

  #succeeded(): void {
    if (this.#reason !== undefined) this.#options.observe?.('up', this.name);
    this.#strikes = 0;
    this.#reason = undefined;
  }

  #failed(reason: Fault): void {
    if (this.#reason === undefined) this.#options.observe?.('down', reason.message);
    this.#reason = reason;
    this.#pausedUntilMs = this.#timers.nowMs() + backOffMs(this.#strikes, firstPauseMs, longestPauseMs, 1);
    this.#strikes += 1;
  }

  #refuse(requests: readonly EmbedRequest[], reason: Fault): void {
    this.#counts.failed += requests.length;
    // The caller has not noted yet what it waits for.
    queueMicrotask(() => {
      for (const { id } of requests) this.#post({ type: 'fault', request: id, fault: reason });
    });
  }
}

function faultOf(error: unknown): Fault {
  if (error instanceof FaultError) return error.fault;
  return fault('internal', error instanceof Error ? error.message : String(error));
}
