// Steps on their way to the verifier. What a program waits for goes at once. A step that nobody has asked for waits until the
// verifier has nothing else to do, since a pass cannot be interrupted, and goes with its siblings alone; or it goes along with the
// step before it, where one pass scores both and each would have the whole path computed anew (look-ahead verification, P4 §4.1.3).

import type { RequestId } from '../../engine/engine.ts';
import type { NodeKey } from '../../tree/keys.ts';
import type { ScoreRequest, VerifierCapabilities } from '../../verifier/verifier.ts';

/** A request, and the node that its step will be. */
interface WantedScore {
  readonly request: ScoreRequest;
  readonly key: NodeKey;
}

export class ScoreLine {
  readonly #joinsSteps: boolean;
  #ready: ScoreRequest[] = [];
  readonly #sent = new Map<RequestId, WantedScore>();
  /** What nobody has asked for. */
  readonly #spare = new Map<RequestId, WantedScore>();

  constructor(capabilities: VerifierCapabilities | undefined) {
    const { looksAhead = false, reusesPrefix = true } = capabilities ?? {};
    this.#joinsSteps = looksAhead && !reusesPrefix;
  }

  add(request: ScoreRequest, key: NodeKey): void {
    const score = { request, key };
    const goes = request.lane === 'primary' || (this.#joinsSteps && this.#isUnderWay(request));
    if (goes) this.#send(score);
    else this.#spare.set(request.id, score);
  }

  holds(id: RequestId): boolean {
    return this.#spare.has(id);
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
    return this.#spare.delete(id);
  }

  answered(id: RequestId): void {
    this.#sent.delete(id);
  }

  /** What goes now. */
  take(): ScoreRequest[] {
    if (this.#sent.size === 0) this.#sendSpare();
    const ready = this.#ready;
    this.#ready = [];
    return ready;
  }

  #isUnderWay({ search, parent }: ScoreRequest): boolean {
    for (const { key, request } of this.#sent.values()) if (key === parent && request.search === search) return true;
    return false;
  }

  #send(score: WantedScore): void {
    const { request, key } = score;
    this.#spare.delete(request.id);
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

  /** One expansion's worth: what the program asks for meanwhile waits no longer than that. */
  #sendSpare(): void {
    const [first] = this.#spare.values();
    if (first === undefined) return;
    const { search, parent } = first.request;
    for (const score of [...this.#spare.values()]) {
      if (score.request.search === search && score.request.parent === parent) this.#send(score);
    }
  }
}
