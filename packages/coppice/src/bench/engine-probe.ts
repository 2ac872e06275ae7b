// Sends requests straight to an engine, without a search, several at once. It connects the engine, so nothing else may use it meanwhile.

import { type Fault, FaultError } from '@coppice/core/base';
import { type Engine, type EngineMessage, type GenerateRequest, isAnswer } from '@coppice/core/engine';
import { rootKey } from '@coppice/core/tree';

export interface ProbeRequest extends Pick<GenerateRequest, 'search' | 'prompt' | 'maxTokens'> {
  readonly delimiters?: readonly string[];
  readonly exact?: true;
  readonly logprobs?: boolean;
  readonly temperature?: number;
}

interface Probed {
  readonly steps: readonly Extract<EngineMessage, { type: 'step' }>[];
  /** The last fault, if a request failed. */
  readonly fault: Fault | undefined;
  readonly elapsedMs: number;
}

export class EngineProbe {
  readonly #engine: Engine;
  readonly #siblings: number;
  #next = 0;
  #receive: (message: EngineMessage) => void = () => {};

  /** `siblings`: number of requests in one expansion. */
  constructor(engine: Engine, siblings = 1) {
    this.#engine = engine;
    this.#siblings = siblings;
    engine.connect((message) => this.#receive(message));
  }

  /** `limitMs`: time after which unanswered requests are cancelled. */
  ask(wanted: readonly ProbeRequest[], limitMs?: number): Promise<Probed> {
    const requests = wanted.map((each) => this.#request(each));
    const { promise, resolve } = Promise.withResolvers<Probed>();
    const startMs = performance.now();
    const steps: Extract<EngineMessage, { type: 'step' }>[] = [];
    let fault: Fault | undefined;
    let open = requests.length;
    this.#receive = (message) => {
      if (!isAnswer(message)) return;
      if (message.type === 'step') steps.push(message);
      else fault = message.fault;
      open -= 1;
      if (open === 0) resolve({ steps, fault, elapsedMs: performance.now() - startMs });
    };
    this.#engine.generate(requests);
    if (limitMs === undefined) return promise;
    const timer = setTimeout(() => this.#engine.cancel(requests.map(({ id }) => id)), limitMs);
    return promise.finally(() => clearTimeout(timer));
  }

  /** Keeps this many requests in flight for a while; resolves to answers per millisecond in the steady state. */
  async keep(count: number, next: () => ProbeRequest, ms: number): Promise<number> {
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    const startMs = performance.now();
    const [fromMs, untilMs] = [startMs + ms / 3, startMs + ms];
    let [open, answered] = [count, 0];
    this.#receive = (message) => {
      if (!isAnswer(message)) return;
      if (message.type === 'fault') return reject(new FaultError(message.fault));
      const nowMs = performance.now();
      if (nowMs >= fromMs && nowMs < untilMs) answered += 1;
      if (nowMs < untilMs) return this.#engine.generate([this.#request(next())]);
      open -= 1;
      if (open === 0) resolve(answered / (untilMs - fromMs));
    };
    this.#engine.generate(Array.from({ length: count }, () => this.#request(next())));
    return promise;
  }

  #request({ delimiters = [], logprobs = false, temperature = 1, ...wanted }: ProbeRequest): GenerateRequest {
    const id = this.#next;
    this.#next += 1;
    return {
      ...wanted,
      id,
      parent: rootKey,
      path: [],
      index: id,
      sampling: { temperature },
      seed: id,
      expansion: Math.floor(id / this.#siblings),
      needs: { logprobs, tokens: false, seed: false },
      delimiters,
      lane: 'primary',
      priority: 0,
    };
  }
}
