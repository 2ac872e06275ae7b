// Queues steps for the verifier. Primary steps go at once. Speculative steps are scored only while the verifier is idle, since a pass
// cannot be interrupted: they fill up the next pass, form a batch of up to 300 tokens, or go with the step before them.

import type { RequestId } from '../../engine/engine.ts';
import type { NodeKey } from '../../tree/keys.ts';
import type { ScoreRequest, VerifierCapabilities } from '../../verifier/verifier.ts';
import { isParentSent, looksAhead, nextStep, type WantedScore } from './look-ahead-verification.ts';

/** Longest batching delay, in shortest verifier passes since the latest pass began. */
const patience = 6;
/** Tokens that fill a pass: twice as many as a GPU computes while it reads the weights. */
const passTokens = 300;

export class ScoreBatcher {
  readonly #looksAhead: boolean;
  readonly #ready: ScoreRequest[] = [];
  readonly #sent = new Map<RequestId, WantedScore>();
  readonly #spare = new Map<RequestId, WantedScore>();
  readonly #passes = new PassMeter();
  dueMs: number | undefined;

  constructor(capabilities: VerifierCapabilities | undefined) {
    this.#looksAhead = looksAhead(capabilities ?? {});
  }

  add(request: ScoreRequest, key: NodeKey): void {
    const score = { request, key };
    const goes = request.lane === 'primary' || (this.#looksAhead && isParentSent(request, this.#sent.values()));
    if (goes) this.#send(score);
    else this.#spare.set(request.id, score);
  }

  holds(id: RequestId): boolean {
    return this.#spare.has(id);
  }

  adopt(id: RequestId): boolean {
    const score = this.#spare.get(id);
    if (score === undefined) return false;
    this.#send({ ...score, request: { ...score.request, lane: 'primary' } });
    return true;
  }

  drop(id: RequestId): boolean {
    return this.#spare.delete(id);
  }

  scored(nowMs: number): void {
    this.#passes.answered(nowMs);
  }

  answered(id: RequestId): void {
    this.#sent.delete(id);
  }

  take(nowMs: number): ScoreRequest[] {
    const wasIdle = this.#sent.size <= this.#ready.length;
    this.dueMs = undefined;
    if (this.#mayWait(nowMs)) return [];
    if (wasIdle) this.#fillUp();
    const ready = this.#ready.splice(0);
    if (ready.length > 0) this.#passes.began(nowMs, wasIdle);
    return ready;
  }

  #mayWait(nowMs: number): boolean {
    if (this.#ready.length > 0) return false;
    if (this.#sent.size > 0) return true;
    if (this.#spare.size === 0) return false;
    const dueMs = this.#passes.beganMs + patience * this.#passes.shortestMs;
    if (nowMs >= dueMs || tokensOf([...this.#spare.values()]) >= passTokens) return false;
    this.dueMs = dueMs;
    return true;
  }

  #send(score: WantedScore): void {
    const { request } = score;
    this.#spare.delete(request.id);
    this.#sent.set(request.id, score);
    this.#ready.push(request);
    const next = this.#looksAhead ? nextStep(score, this.#spare.values()) : undefined;
    if (next !== undefined) this.#send(next);
  }

  #fillUp(): void {
    let tokens = tokensOf([...this.#sent.values()]);
    for (const score of [...this.#spare.values()]) {
      if (tokens >= passTokens) return;
      tokens += score.request.step.tokens;
      this.#send(score);
    }
  }
}

function tokensOf(scores: readonly WantedScore[]): number {
  return scores.reduce((sum, { request }) => sum + request.step.tokens, 0);
}

/** Passes of which the shortest counts: one of so many hardly ever had to wait. */
const remembered = 32;

/** Times passes from a request to the idle verifier to its first answer. */
class PassMeter {
  readonly #passesMs: number[] = [];
  #next = 0;
  #sinceMs: number | undefined;
  beganMs = Number.NEGATIVE_INFINITY;

  get shortestMs(): number {
    return this.#passesMs.length === 0 ? 0 : Math.min(...this.#passesMs);
  }

  began(nowMs: number, wasIdle: boolean): void {
    this.beganMs = nowMs;
    this.#sinceMs = wasIdle ? nowMs : undefined;
  }

  answered(nowMs: number): void {
    if (this.#sinceMs === undefined) return;
    this.#passesMs[this.#next] = nowMs - this.#sinceMs;
    this.#next = (this.#next + 1) % remembered;
    this.#sinceMs = undefined;
  }
}
