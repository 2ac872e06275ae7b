// Sends spans to an OTLP collector in batches, every few seconds. A batch that fails for a passing reason is tried again a few times; spans
// that cannot be sent, or come while too many wait, are dropped and counted. It must never slow an answer.

import { every, liveTimers, type Timers } from '@coppice/core/base';
import type { Log } from '../log.ts';
import { encodeSpans, type Span } from './otlp.ts';

interface SpanSenderOptions {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly log: Log;
  readonly timers?: Timers;
}

export interface SpanCounts {
  readonly sent: number;
  readonly dropped: number;
}

const mostWaiting = 4096;
const batchSize = 512;
const flushMs = 5000;
const sendMs = 10_000;
const mostAttempts = 6;
/** Retryable by the OTLP specification. */
const retryable: ReadonlySet<number> = new Set([429, 502, 503, 504]);

interface FailedSend {
  readonly why: string;
  readonly mayPass: boolean;
}

export class SpanSender {
  readonly #options: SpanSenderOptions;
  readonly #stop: () => void;
  #waiting: Span[] = [];
  #attempts = 0;
  #sent = 0;
  #dropped = 0;
  #sending: Promise<void> | undefined;
  #closed = false;

  constructor(options: SpanSenderOptions) {
    this.#options = options;
    this.#stop = every(options.timers ?? liveTimers, flushMs, () => void this.#flush());
  }

  get counts(): SpanCounts {
    return { sent: this.#sent, dropped: this.#dropped };
  }

  add(span: Span): void {
    if (this.#waiting.length >= mostWaiting) this.#dropped += 1;
    else this.#waiting.push(span);
    if (this.#waiting.length >= batchSize && this.#attempts === 0) void this.#flush();
  }

  /** Tries each waiting batch once more; failed ones are dropped and counted. */
  async close(): Promise<void> {
    this.#stop();
    await this.#sending;
    this.#closed = true;
    await this.#flush();
  }

  #flush(): Promise<void> {
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = undefined;
    });
    return this.#sending;
  }

  async #sendAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.slice(0, batchSize);
      const failed = await this.#post(batch);
      this.#attempts += 1;
      if (failed?.mayPass && this.#attempts < mostAttempts && !this.#closed) return;
      this.#attempts = 0;
      this.#waiting = this.#waiting.slice(batch.length);
      if (failed === undefined) this.#sent += batch.length;
      else this.#drop(batch.length, failed.why);
    }
  }

  #drop(spans: number, message: string): void {
    this.#dropped += spans;
    this.#options.log.warn('telemetry', { message, spans, dropped: this.#dropped });
  }

  async #post(spans: readonly Span[]): Promise<FailedSend | undefined> {
    try {
      const { status, ok, body } = await fetch(this.#options.url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...this.#options.headers },
        body: JSON.stringify(encodeSpans(spans)),
        signal: AbortSignal.timeout(sendMs),
        redirect: 'error',
      });
      await body?.cancel();
      const why = `the collector answered ${status} (telemetry.endpoint)`;
      return ok ? undefined : { why, mayPass: retryable.has(status) };
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      return { why: `the collector cannot be reached: ${reason} (telemetry.endpoint)`, mayPass: true };
    }
  }
}
