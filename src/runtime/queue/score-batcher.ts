// Steps on their way to the verifier. What a program waits for goes at once. A step that nobody has asked for waits until the
// verifier has nothing to do, since a pass cannot be interrupted, and then for company: it fills up the next pass that is asked
// for, or goes after a while with others like it. Or it goes along with the step before it, where one pass scores both and each would
// have the whole path computed anew (look-ahead verification, P4 §4.1.3). Where a search gathers its scores, a step that is asked for
// waits a while for its siblings too: a pass costs about as much for one as for four, and slows a generator on the same GPU.

import type { RequestId } from '../../engine/engine.ts';
import type { NodeKey } from '../../tree/keys.ts';
import type { ScoreRequest, VerifierCapabilities } from '../../verifier/verifier.ts';
import { PassMeter } from './pass-meter.ts';

/** What waits for company waits no longer than so many of the shortest passes, from the beginning of the latest pass on. */
const patience = 6;
/** Tokens that are worth a pass: twice as many as a GPU computes while it reads the weights. */
const passTokens = 300;

/** A request, and the node that its step will be. */
interface WantedScore {
  readonly request: ScoreRequest;
  readonly key: NodeKey;
}

export class ScoreBatcher {
  readonly #joinsSteps: boolean;
  #ready: ScoreRequest[] = [];
  readonly #sent = new Map<RequestId, WantedScore>();
  /** What nobody has asked for. */
  readonly #spare = new Map<RequestId, WantedScore>();
  /** What is asked for, and waits for its siblings. */
  readonly #gathering = new Map<RequestId, WantedScore>();
  readonly #passes = new PassMeter();
  #dueMs: number | undefined;

  constructor(capabilities: VerifierCapabilities | undefined) {
    const { looksAhead = false, reusesPrefix = true } = capabilities ?? {};
    this.#joinsSteps = looksAhead && !reusesPrefix;
  }

  /** `gathers`: it may wait for its siblings though it is asked for. */
  add(request: ScoreRequest, key: NodeKey, gathers = false): void {
    const score = { request, key };
    const goes = request.lane === 'primary' || (this.#joinsSteps && this.#isUnderWay(request));
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

  /** Somebody has asked for it; true where it waited here, and goes now. */
  adopt(id: RequestId): boolean {
    const score = this.#spare.get(id);
    if (score === undefined) return false;
    this.#send({ ...score, request: { ...score.request, lane: 'primary' } });
    return true;
  }

  /** Nobody wants it; true where nobody but this line has seen it. */
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

  /** Nothing is there but what waits for company, and nobody is held up by that. */
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

  #isUnderWay({ search, parent }: ScoreRequest): boolean {
    for (const { key, request } of this.#sent.values()) if (key === parent && request.search === search) return true;
    return false;
  }

  #send(score: WantedScore): void {
    const { request, key } = score;
    this.#spare.delete(request.id);
    this.#gathering.delete(request.id);
    this.#sent.set(request.id, score);
    this.#ready.push(request);
    const next = this.#joinsSteps ? this.#oneBelow(request.search, key) : undefined;
    if (next !== undefined) this.#send(next);
  }

  #oneBelow(search: string, key: NodeKey): WantedScore | undefined {
    for (const score of this.#spare.values()) {
      if (score.request.parent === key && score.request.search === search) return score;
    }
    return undefined;
  }

  /** With what nobody has asked for, in the order in which it came. */
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
