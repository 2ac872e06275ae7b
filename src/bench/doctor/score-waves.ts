// Scores of a verifier, timed: so many paths at once, or as many as it can be given for a while. No two paths are alike, so
// that none is answered from memory.

import { FaultError } from '../../base/fault.ts';
import { isAnswer, type RequestId } from '../../engine/engine.ts';
import { rootKey } from '../../tree/keys.ts';
import type { ScoreRequest, Verifier, VerifierMessage } from '../../verifier/verifier.ts';
import { fillerPrompt } from '../rehearse/filler.ts';

export interface ScoreReading {
  readonly paths: number;
  /** As the server counted. */
  readonly tokens: number;
  readonly ms: number;
}

const search = 'table';

export class ScoreWaves {
  readonly #verifier: Verifier;
  readonly #open = new Set<RequestId>();
  #next = 0;
  #receive: (message: Extract<VerifierMessage, { type: 'score' }>) => void = () => {};
  #failed: (error: FaultError) => void = () => {};

  constructor(verifier: Verifier) {
    this.#verifier = verifier;
    verifier.connect((message) => {
      if (!isAnswer(message)) return;
      this.#open.delete(message.request);
      if (message.type === 'score') this.#receive(message);
      else if (message.fault.code !== 'cancelled') this.#failed(new FaultError(message.fault));
    });
  }

  wave(paths: number, words: number): Promise<ScoreReading> {
    const startMs = performance.now();
    const { promise, resolve, reject } = Promise.withResolvers<ScoreReading>();
    let open = paths;
    let tokens = 0;
    this.#failed = reject;
    this.#receive = ({ usage }) => {
      open -= 1;
      tokens += usage.computedTokens;
      if (open === 0) resolve({ paths, tokens, ms: performance.now() - startMs });
    };
    this.#ask(paths, words);
    return promise;
  }

  /** Keeps so many paths there while `work` goes on, and reads how many came back from when it began until it ended. */
  async during(paths: number, words: number, work: () => Promise<void>): Promise<ScoreReading> {
    let [scored, tokens, over] = [0, 0, false];
    const { promise: failure, reject } = Promise.withResolvers<never>();
    this.#failed = reject;
    this.#receive = ({ usage }) => {
      scored += 1;
      tokens += usage.computedTokens;
      if (!over) this.#ask(1, words);
    };
    this.#ask(paths, words);
    const startMs = performance.now();
    await Promise.race([work(), failure]);
    const reading = { paths: scored, tokens, ms: performance.now() - startMs };
    over = true;
    this.#verifier.cancel([...this.#open]);
    return reading;
  }

  release(): void {
    this.#verifier.release(search);
  }

  #ask(paths: number, words: number): void {
    this.#verifier.score(Array.from({ length: paths }, () => this.#request(words)));
  }

  #request(words: number): ScoreRequest {
    const id = this.#next;
    this.#next += 1;
    this.#open.add(id);
    const prompt = fillerPrompt(`table question ${id}`, 1);
    const filler = fillerPrompt(`table step ${id}`, words);
    const text = filler.kind === 'text' ? filler.text : '';
    return {
      ...{ id, search, prompt, parent: rootKey, index: id, path: [] },
      step: { text, tokens: words, meanLogprob: 0, end: 'delimiter' },
      ...{ lane: 'primary', priority: 0 },
    };
  }
}
