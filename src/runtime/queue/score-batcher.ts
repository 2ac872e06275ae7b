// Steps on their way to the verifier. What a program waits for goes at once. A speculative step is scored only while the verifier is
// idle, since a pass cannot be interrupted: it fills up the next pass, or goes after a while with others like it; or it goes along with
// the step before it (look-ahead-verification.ts). Where a search gathers its scores, a step that its program waits for waits a while
// for its siblings too: a pass costs about as much for one as for four, and slows a generator on the same GPU.

import type { RequestId } from '../../engine/engine.ts';
import type { NodeKey } from '../../tree/keys.ts';
import type { ScoreRequest, VerifierCapabilities } from '../../verifier/verifier.ts';
import { isParentSent, looksAhead, nextStep, type WantedScore } from './look-ahead-verification.ts';
import { PassMeter } from './pass-meter.ts';

/** What waits for company waits no longer than so many of the shortest passes, from the beginning of the latest pass on. */
const patience = 6;
/** Tokens that are worth a pass: twice as many as a GPU computes while it reads the weights. */
const passTokens = 300;

export class ScoreBatcher {
  readonly #looksAhead: boolean;
  #ready: ScoreRequest[] = [];
  readonly #sent = new Map<RequestId, WantedScore>();
  /** Speculative steps that wait. */
  readonly #spare = new Map<RequestId, WantedScore>();
  /** Steps that their programs wait for, and that wait for their siblings. */
  readonly #gathering = new Map<RequestId, WantedScore>();
  readonly #passes = new PassMeter();
  #dueMs: number | undefined;

  constructor(capabilities: VerifierCapabilities | undefined) {
    this.#looksAhead = looksAhead(capabilities ?? {});
  }

  /** `gathers`: it may wait for its siblings though its program waits for it. */
  add(request: ScoreRequest, key: NodeKey, gathers = false): void {
    const score = { request, key };
    const goes = request.lane === 'primary' || (this.#looksAhead && isParentSent(request, this.#sent.values()));
    if (!goes) this.#spare.set(request.id, score);
    else if (gathers) this.#gathering.set(request.id, score);
    else this.#send(score);
  }

  holds(id: RequestId): boolean {
    return this.#spare.has(id) || this.#gathering.has(id);
  }

  /** When what waits for company goes though nothing else has come. */
  get dueMs(): number | undefined {
    return this.#dueMs;
  }

  /** Its program has asked for it; true where it waited here, and goes now. */
  adopt(id: RequestId): boolean {
    const score = this.#spare.get(id);
    if (score === undefined) return false;
    this.#send({ ...score, request: { ...score.request, lane: 'primary' } });
    return true;
  }

  /** It is cancelled; true where the verifier has not seen it. */
  drop(id: RequestId): boolean {
    return this.#spare.delete(id) || this.#gathering.delete(id);
  }

  scored(nowMs: number): void {
    this.#passes.answered(nowMs);
  }

  answered(id: RequestId): void {
    this.#sent.delete(id);
  }

  /** What goes now. `isComing`: whether siblings of a step are still being generated. */
  take(nowMs: number, isComing: (id: RequestId) => boolean): ScoreRequest[] {
    const wasIdle = this.#sent.size <= this.#ready.length;
    this.#dueMs = undefined;
    if (this.#mayWait(nowMs, isComing)) return [];
    for (const score of [...this.#gathering.values()]) this.#send(score);
    if (wasIdle) this.#fillUp();
    const ready = this.#ready;
    this.#ready = [];
    if (ready.length > 0) this.#passes.began(nowMs, wasIdle);
    return ready;
  }

  /** Nothing is there but what waits for company, and no program is held up by that. */
  #mayWait(nowMs: number, isComing: (id: RequestId) => boolean): boolean {
    if (this.#ready.length > 0) return false;
    for (const id of this.#gathering.keys()) if (!isComing(id)) return false;
    if (this.#sent.size > 0) return true;
    const all = [...this.#gathering.values(), ...this.#spare.values()];
    if (all.length === 0) return false;
    const dueMs = this.#passes.beganMs + patience * this.#passes.shortestMs;
    if (nowMs >= dueMs || tokensOf(all) >= passTokens) return false;
    this.#dueMs = dueMs;
    return true;
  }

  #send(score: WantedScore): void {
    const { request } = score;
    this.#spare.delete(request.id);
    this.#gathering.delete(request.id);
    this.#sent.set(request.id, score);
    this.#ready.push(request);
    const next = this.#looksAhead ? nextStep(score, this.#spare.values()) : undefined;
    if (next !== undefined) this.#send(next);
  }

  /** With speculative steps, in the order in which they came. */
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
