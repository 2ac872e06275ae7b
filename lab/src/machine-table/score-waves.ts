// Times a verifier's scores: a number of paths at once, or a constant number for a while. All paths differ, so none is answered from a
// cache. A reward model that caches prefixes knows the questions: a score then computes only its step.

import { isAnswer } from '@coppice/core/engine';
import { rootKey } from '@coppice/core/tree';
import { FaultError, type ScoreRequest, type Verifier, type VerifierMessage } from 'coppice';
import { fillerPrompt } from '../rehearse/filler.ts';

export interface ScoreReading {
  readonly paths: number;
  readonly ms: number;
}

export interface PathShape {
  readonly questionWords: number;
  readonly stepWords: number;
  /** How many questions there are; each path has its own unless given. */
  readonly questions?: number;
}

const search = 'table';

export class ScoreWaves {
  readonly #verifier: Verifier;
  readonly #shape: PathShape;
  readonly #open = new Set<ScoreRequest['id']>();
  #next = 0;
  #receive: (message: Extract<VerifierMessage, { type: 'score' }>) => void = () => {};
  #failed: (error: FaultError) => void = () => {};

  constructor(verifier: Verifier, shape: PathShape) {
    this.#verifier = verifier;
    this.#shape = shape;
    verifier.connect((message) => {
      if (!isAnswer(message)) return;
      this.#open.delete(message.request);
      if (message.type === 'score') this.#receive(message);
      else if (message.fault.code !== 'cancelled') this.#failed(new FaultError(message.fault));
    });
  }

  wave(paths: number): Promise<ScoreReading> {
    const startMs = performance.now();
    const { promise, resolve, reject } = Promise.withResolvers<ScoreReading>();
    let open = paths;
    this.#failed = reject;
    this.#receive = () => {
      open -= 1;
      if (open === 0) resolve({ paths, ms: performance.now() - startMs });
    };
    this.#ask(paths);
    return promise;
  }

  /** Tokens that the server computes for one path, by its own count: of a call with many it counts what it likes. */
  pathTokens(): Promise<number> {
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    this.#failed = reject;
    this.#receive = ({ usage }) => resolve(usage.computedTokens);
    this.#ask(1);
    return promise;
  }

  /** Keeps so many paths there while `work` goes on, and reads how many came back from when it began until it ended. */
  async during(paths: number, work: () => Promise<void>): Promise<ScoreReading> {
    let [scored, over] = [0, false];
    const { promise: failure, reject } = Promise.withResolvers<never>();
    this.#failed = reject;
    this.#receive = () => {
      scored += 1;
      if (!over) this.#ask(1);
    };
    this.#ask(paths);
    const startMs = performance.now();
    await Promise.race([work(), failure]);
    const reading = { paths: scored, ms: performance.now() - startMs };
    over = true;
    this.#verifier.cancel([...this.#open]);
    return reading;
  }

  release(): void {
    this.#verifier.release(search);
  }

  #ask(paths: number): void {
    this.#verifier.score(Array.from({ length: paths }, () => this.#request()));
  }

  #request(): ScoreRequest {
    const { questionWords, stepWords, questions } = this.#shape;
    const id = this.#next;
    this.#next += 1;
    this.#open.add(id);
    const question = questions === undefined ? id : id % questions;
    const prompt = fillerPrompt(`table question ${question}`, questionWords);
    const filler = fillerPrompt(`table step ${id}`, stepWords);
    const text = filler.kind === 'text' ? filler.text : '';
    return {
      id,
      search,
      prompt,
      parent: rootKey,
      index: id,
      path: [],
      step: { text, tokens: stepWords, meanLogprob: 0, end: 'delimiter' },
      lane: 'primary',
      priority: 0,
    };
  }
}
