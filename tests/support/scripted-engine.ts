// An engine and a verifier that follow a test's script, on the real event loop: the text is a function of the request, and is given at once,
// or on release, word by word. Tokens are words.

import { type FaultCode, fault } from '../../packages/core/src/base/fault.ts';
import type {
  Engine,
  EngineMessage,
  GenerateRequest,
  JsonSchema,
  RequestId,
} from '../../packages/core/src/engine/engine.ts';
import type { Prompt, Step, StepEnd } from '../../packages/core/src/tree/step.ts';
import type { ScoreRequest, Verifier, VerifierMessage } from '../../packages/core/src/verifier/verifier.ts';

export interface Reply {
  readonly text: string;
  readonly end: StepEnd;
}

/** A code becomes a fault with that code; `fault` is a fault of the engine itself. */
export type Script = (request: GenerateRequest) => Reply | 'fault' | FaultCode;

/** Two steps, then an answer that depends only on the seed. */
export const threeSteps: Script = ({ path, index, seed }) => {
  if (path.length < 2) return { text: `step ${path.length + 1} way ${index}\n\n`, end: 'delimiter' };
  return { text: `The answer is ${seed % 3}.`, end: 'eos' };
};

export interface ScriptedOptions {
  readonly script?: Script;
  /** Answers wait for `release`. */
  readonly held?: boolean;
  readonly streams?: boolean;
  /** Time between a request and its answer; 0 is the next turn of the loop. */
  readonly delayMs?: number;
  /** Gives each word with its log probability on request. */
  readonly pieces?: boolean;
  /** Accepts schemas; the steps fit them as far as the script does. */
  readonly shapes?: boolean;
}

export class ScriptedEngine implements Engine {
  readonly capabilities;
  readonly cancelled: RequestId[] = [];
  readonly asked: GenerateRequest[] = [];
  readonly shapeTrouble?: (schema: JsonSchema) => string | undefined;
  healthy = true;
  closed = false;
  reloads = 0;
  /** Its steps have token ids, which are the words' lengths; every prompt's ids are 7, 8, 9. */
  tellsTokens = false;
  #held: boolean;
  readonly #script: Script;
  readonly #delayMs: number;
  readonly #open = new Map<RequestId, GenerateRequest>();
  #post: (message: EngineMessage) => void = () => {};

  constructor({
    script = threeSteps,
    held = false,
    streams = true,
    delayMs = 0,
    pieces = false,
    shapes = false,
  }: ScriptedOptions = {}) {
    if (shapes) this.shapeTrouble = ({ type }) => (type === 'nonsense' ? 'there is no such type' : undefined);
    this.#script = script;
    this.#held = held;
    this.#delayMs = delayMs;
    const can = { seeded: true, logprobs: true, streams, priorities: true, countsCache: true };
    this.capabilities = { name: 'scripted', ...can, pieces, contextTokens: 100_000 };
  }

  get open(): number {
    return this.#open.size;
  }

  connect(post: (message: EngineMessage) => void): void {
    this.#post = post;
  }

  generate(requests: readonly GenerateRequest[]): void {
    for (const request of requests) {
      this.asked.push(request);
      this.#open.set(request.id, request);
      if (!this.#held) this.#later(request);
    }
  }

  /** Answers all waiting requests, and later ones at once. */
  release(search?: string): void {
    if (search !== undefined) return;
    this.#held = false;
    for (const request of this.#open.values()) this.#later(request);
  }

  hold(): void {
    this.#held = true;
  }

  cancel(requests: readonly RequestId[]): void {
    for (const request of requests) {
      this.cancelled.push(request);
      if (!this.#open.delete(request)) continue;
      this.#post({ type: 'fault', request, fault: fault('cancelled', 'cancelled') });
    }
  }

  async reload(): Promise<void> {
    this.reloads += 1;
  }

  load() {
    const { size: runningSequences } = this.#open;
    return { runningSequences, waitingSequences: 0, sequenceLimit: undefined, stepMs: 1, healthy: this.healthy };
  }

  async close(): Promise<void> {
    this.closed = true;
    this.#open.clear();
  }

  #later(request: GenerateRequest): void {
    if (this.#delayMs > 0) setTimeout(() => this.#answer(request), this.#delayMs).unref();
    else setImmediate(() => this.#answer(request));
  }

  #answer(request: GenerateRequest): void {
    if (!this.#open.delete(request.id) || this.closed) return;
    const reply = this.#script(request);
    if (typeof reply === 'string') {
      const code = reply === 'fault' ? 'internal' : reply;
      this.#post({ type: 'fault', request: request.id, fault: fault(code, 'scripted') });
      return;
    }
    const all = reply.text.match(/\s*\S+\s*/g) ?? [reply.text];
    const words = all.slice(0, request.maxTokens);
    if (this.capabilities.streams) {
      for (const text of words) this.#post({ type: 'token', request: request.id, text, tokens: 1 });
    }
    const pathTokens = request.path.reduce((sum, { step }) => sum + step.tokens, 0);
    const said = words.length === all.length ? reply : { text: words.join(''), end: 'length' as const };
    const logprobs = words.map((_, at) => -0.1 - at / 10);
    const tokens = request.needs?.pieces === true ? { pieces: words, logprobs } : {};
    const isRecorded = this.tellsTokens && request.needs?.record === true;
    const tokenIds = words.map(({ length }) => length);
    const read = { ids: [7, 8, 9, ...request.path.flatMap(({ step }) => step.tokenIds ?? [])] };
    const ids = isRecorded ? { tokenIds, logprobs } : {};
    const step: Step = { ...said, ...tokens, ...ids, tokens: words.length, meanLogprob: -0.1 - request.index / 10 };
    const usage = {
      computedTokens: promptWords(request.prompt),
      cachedTokens: pathTokens,
      generatedTokens: words.length,
    };
    this.#post({ type: 'step', request: request.id, step, usage, ...(isRecorded && { read }) });
  }
}

export function promptWords(prompt: Prompt): number {
  const text = prompt.kind === 'text' ? prompt.text : prompt.messages.map(({ content }) => content).join(' ');
  return text.split(/\s+/).filter((word) => word !== '').length;
}

export class ScriptedVerifier implements Verifier {
  readonly capabilities = { name: 'scripted', aggregation: 'product', reusesPrefix: true } as const;
  readonly #reward: (request: ScoreRequest) => number;
  #post: (message: VerifierMessage) => void = () => {};

  constructor(reward: (request: ScoreRequest) => number = ({ index }) => 0.9 - index / 10) {
    this.#reward = reward;
  }

  connect(post: (message: VerifierMessage) => void): void {
    this.#post = post;
  }

  score(requests: readonly ScoreRequest[]): void {
    for (const request of requests) {
      const usage = { computedTokens: request.step.tokens, cachedTokens: 0 };
      this.#post({ type: 'score', request: request.id, reward: this.#reward(request), usage });
    }
  }

  cancel(): void {}

  release(): void {}

  load() {
    return { waiting: 0, healthy: true };
  }

  async close(): Promise<void> {}
}
