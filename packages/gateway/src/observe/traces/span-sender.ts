// Sends spans to an OTLP collector in batches. A batch that fails for a passing reason is retried a few times at growing intervals; spans
// that cannot be sent, or come while too many wait, are dropped and counted. It must never slow an answer.

import type { Log } from '../log.ts';
import { encodeSpans, type Span } from './otlp.ts';

interface SpanSenderOptions {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly log: Log;
  /** Returns a function that calls it off. Tests move time by hand. */
  readonly after?: (delayMs: number, callback: () => void) => () => void;
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
const firstRetryMs = 1000;
const longestRetryMs = 30_000;
/** Retryable by the OTLP specification. */
const retryable: ReadonlySet<number> = new Set([429, 502, 503, 504]);

type CollectorReply =
  | { readonly ok: true }
  | { readonly ok: false; readonly why: string; readonly retryAfterMs?: number };

export class SpanSender {
  readonly #options: SpanSenderOptions;
  readonly #after: NonNullable<SpanSenderOptions['after']>;
  #waiting: Span[] = [];
  #attempts = 0;
  #nextMs = flushMs;
  #sent = 0;
  #dropped = 0;
  #sending: Promise<void> | undefined;
  #callOff: (() => void) | undefined;
  #closed = false;

  constructor(options: SpanSenderOptions) {
    this.#options = options;
    this.#after = options.after ?? laterLive;
  }

  get counts(): SpanCounts {
    return { sent: this.#sent, dropped: this.#dropped };
  }

  add(span: Span): void {
    if (this.#waiting.length >= mostWaiting) {
      this.#dropped += 1;
      return;
    }
    this.#waiting.push(span);
    const isFull = this.#waiting.length >= batchSize && this.#attempts === 0;
    if (isFull) this.#disarm();
    this.#arm(isFull ? 0 : flushMs);
  }

  /** Tries each waiting batch once more; failed ones are dropped and counted. */
  async close(): Promise<void> {
    await this.#sending;
    this.#closed = true;
    this.#disarm();
    while (this.#waiting.length > 0) await this.#send();
  }

  #arm(delayMs: number): void {
    if (this.#closed || this.#sending !== undefined || this.#callOff !== undefined) return;
    this.#callOff = this.#after(delayMs, () => {
      this.#callOff = undefined;
      this.#sending = this.#send().finally(() => {
        this.#sending = undefined;
        if (this.#waiting.length > 0) this.#arm(this.#nextMs);
      });
    });
  }

  #disarm(): void {
    this.#callOff?.();
    this.#callOff = undefined;
  }

  async #send(): Promise<void> {
    const batch = this.#waiting.slice(0, batchSize);
    const reply = await this.#post(batch);
    if (reply.ok) {
      this.#sent += batch.length;
      return this.#done(batch);
    }
    this.#attempts += 1;
    const { why, retryAfterMs } = reply;
    if (retryAfterMs === undefined || this.#attempts >= mostAttempts || this.#closed) {
      this.#dropped += batch.length;
      this.#options.log.warn('telemetry', { message: why, spans: batch.length, dropped: this.#dropped });
      return this.#done(batch);
    }
    this.#nextMs = Math.max(retryAfterMs, Math.min(longestRetryMs, firstRetryMs * 2 ** (this.#attempts - 1)));
  }

  #done(batch: readonly Span[]): void {
    this.#waiting = this.#waiting.slice(batch.length);
    this.#attempts = 0;
    this.#nextMs = this.#waiting.length >= batchSize ? 0 : flushMs;
  }

  async #post(spans: readonly Span[]): Promise<CollectorReply> {
    try {
      const response = await fetch(this.#options.url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...this.#options.headers },
        body: JSON.stringify(encodeSpans(spans)),
        signal: AbortSignal.timeout(sendMs),
        redirect: 'error',
      });
      await response.body?.cancel();
      if (response.ok) return { ok: true };
      const why = `the collector answered ${response.status} (telemetry.endpoint)`;
      if (!retryable.has(response.status)) return { ok: false, why };
      return { ok: false, why, retryAfterMs: secondsOf(response.headers.get('retry-after')) * 1000 };
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      return { ok: false, why: `the collector cannot be reached: ${reason} (telemetry.endpoint)`, retryAfterMs: 0 };
    }
  }
}

/** Capped at our own longest pause; dates and nonsense count as 0. */
function secondsOf(retryAfter: string | null): number {
  const seconds = Number(retryAfter ?? 0);
  return Number.isFinite(seconds) ? Math.min(longestRetryMs / 1000, Math.max(0, seconds)) : 0;
}

function laterLive(delayMs: number, callback: () => void): () => void {
  const timer = setTimeout(callback, delayMs).unref();
  return () => clearTimeout(timer);
}
