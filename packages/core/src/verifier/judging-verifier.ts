// A verifier that judges each request by itself: at once, or so many at a time, the most urgent first.

import { type Fault, FaultError, fault } from '../base/fault.ts';
import { isRecord } from '../base/record.ts';
import type { RequestId, Urgency } from '../engine/engine.ts';
import { UrgencyQueue } from '../engine/urgency-queue.ts';
import {
  freeScore,
  type Judgement,
  type ScoreRequest,
  type Verifier,
  type VerifierCapabilities,
  type VerifierLoad,
  type VerifierMessage,
} from './verifier.ts';

export type ScoreStep = (
  request: ScoreRequest,
  signal: AbortSignal,
) => number | Judgement | Promise<number | Judgement>;

export class JudgingVerifier implements Verifier {
  readonly capabilities: VerifierCapabilities;
  readonly #score: ScoreStep;
  readonly #parallel: number;
  readonly #unanswered = new Map<RequestId, AbortController>();
  readonly #waiting = new UrgencyQueue<RequestId, ScoreRequest>();
  protected post: (message: VerifierMessage) => void = () => {};
  #running = 0;

  constructor(capabilities: VerifierCapabilities, score: ScoreStep, parallel = Number.POSITIVE_INFINITY) {
    this.capabilities = capabilities;
    this.#score = score;
    this.#parallel = parallel;
  }

  connect(post: (message: VerifierMessage) => void): void {
    this.post = post;
  }

  score(requests: readonly ScoreRequest[]): void {
    for (const request of requests) {
      this.#unanswered.set(request.id, new AbortController());
      this.#waiting.set(request.id, request, request);
      if (this.#parallel < Number.POSITIVE_INFINITY) this.post({ type: 'held', request: request.id });
    }
    this.#pump();
  }

  cancel(requests: readonly RequestId[]): void {
    for (const id of requests) {
      this.#waiting.delete(id);
      this.#unanswered.get(id)?.abort();
      this.#fault(id, fault('cancelled', 'the request was cancelled'));
    }
  }

  update(request: RequestId, urgency: Urgency): void {
    const waiting = this.#waiting.get(request);
    if (waiting !== undefined) this.#waiting.set(request, waiting, urgency);
  }

  release(_search: string): void {}

  load(): VerifierLoad {
    return { waiting: this.#waiting.size, running: this.#running, healthy: true };
  }

  async close(): Promise<void> {
    this.cancel([...this.#unanswered.keys()]);
  }

  #pump(): void {
    while (this.#running < this.#parallel) {
      const next = this.#waiting.pop();
      if (next === undefined) return;
      this.#running += 1;
      if (this.#parallel < Number.POSITIVE_INFINITY) this.post({ type: 'taken', request: next.id });
      this.#begin(next);
    }
  }

  #begin(request: ScoreRequest): void {
    const { id } = request;
    try {
      const said = this.#score(request, this.#unanswered.get(id)!.signal);
      if (!(said instanceof Promise)) return this.#end(id, said);
      said
        .then(
          (late) => this.#end(id, late),
          (error: unknown) => this.#fail(id, error),
        )
        .finally(() => this.#pump());
    } catch (error) {
      this.#fail(id, error);
    }
  }

  #end(request: RequestId, said: unknown): void {
    const judgement = judgementOf(said);
    if (judgement === undefined) {
      const rule = 'a reward is a number from 0 to 1, alone or as { reward, feedback } with a text';
      return this.#fail(
        request,
        new FaultError(fault('bad-reward', `verifier '${this.capabilities.name}' gave ${shown(said)}; ${rule}`)),
      );
    }
    this.#running -= 1;
    if (this.#unanswered.delete(request)) this.post(freeScore(request, judgement));
  }

  #fail(request: RequestId, error: unknown): void {
    this.#running -= 1;
    const said = `verifier '${this.capabilities.name}' threw in score: ${error instanceof Error ? error.message : error}`;
    this.#fault(request, error instanceof FaultError ? error.fault : fault('internal', said, false));
  }

  #fault(request: RequestId, reason: Fault): void {
    if (this.#unanswered.delete(request)) this.post({ type: 'fault', request, fault: reason });
  }
}

export function judgementOf(said: unknown): Judgement | undefined {
  const { reward, feedback = undefined } = isRecord(said) ? said : { reward: said };
  if (typeof reward !== 'number' || !(reward >= 0 && reward <= 1)) return undefined;
  if (feedback === undefined || feedback === null) return { reward };
  return typeof feedback === 'string' ? { reward, feedback } : undefined;
}

export function shown(said: unknown): string {
  if (said === undefined) return 'nothing';
  const text = typeof said === 'number' ? String(said) : (JSON.stringify(said) ?? `a ${typeof said}`);
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
