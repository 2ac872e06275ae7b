// A small world for tests: an event heap on a virtual clock, a generator and a verifier whose every draw is keyed by the
// request, and several misfortunes. Unlike the simulated engine (packages/sim) it has no costs.

import { VirtualClock } from '../../packages/core/src/base/clock.ts';
import { fault } from '../../packages/core/src/base/fault.ts';
import { Heap } from '../../packages/core/src/base/heap.ts';
import { hash, Random } from '../../packages/core/src/base/random.ts';
import type { Embedder, EmbedderMessage, EmbedRequest } from '../../packages/core/src/embedder/embedder.ts';
import type { Engine, EngineMessage, GenerateRequest, Urgency } from '../../packages/core/src/engine/engine.ts';
import type { Runtime } from '../../packages/core/src/runtime/runtime.ts';
import type { Step } from '../../packages/core/src/tree/step.ts';
import type {
  ScoreRequest,
  Verifier,
  VerifierCapabilities,
  VerifierMessage,
} from '../../packages/core/src/verifier/verifier.ts';

/** Probabilities of each misfortune of an answer. They end at the time `until`. */
export interface Misfortune {
  readonly fail: number;
  readonly lose: number;
  readonly double: number;
  /** Mean delay in milliseconds; delays are exponential, so answers are reordered. */
  readonly delayMs: number;
  readonly untilMs: number;
}

export const calm: Misfortune = { fail: 0, lose: 0, double: 0, delayMs: 10, untilMs: 0 };

export class ToyWorld {
  readonly clock = new VirtualClock();
  readonly #events = new Heap<{ atMs: number; order: number; act: () => void }>(
    (a, b) => a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order),
  );
  #order = 0;

  at(atMs: number, act: () => void): void {
    this.#events.push({ atMs, order: this.#order, act });
    this.#order += 1;
  }

  /** Runs until no event is left, or until `stop`; returns the number of steps taken. */
  run(runtime: Runtime, maxSteps = 1_000_000, stop: () => boolean = () => false): number {
    let steps = 0;
    runtime.step();
    while (runtime.hasMail) runtime.step();
    for (; steps < maxSteps; steps += 1) {
      if (stop()) return steps;
      const nextMs = this.#events.peek()?.atMs;
      const wakeMs = runtime.nextWakeMs();
      if (nextMs === undefined && wakeMs === undefined) return steps;
      this.clock.moveTo(Math.min(nextMs ?? Number.POSITIVE_INFINITY, wakeMs ?? Number.POSITIVE_INFINITY));
      while ((this.#events.peek()?.atMs ?? Number.POSITIVE_INFINITY) <= this.clock.nowMs()) this.#events.pop()?.act();
      do runtime.step();
      while (runtime.hasMail);
    }
    throw new Error(`not finished after ${maxSteps} steps`);
  }
}

/** Answers each request once, unless a misfortune prevents it. */
class Postman<Message> {
  readonly world: ToyWorld;
  readonly misfortune: Misfortune;
  readonly seed: number;
  post: (message: Message) => void = () => {};
  readonly open = new Set<number>();
  calls = 0;

  constructor(world: ToyWorld, misfortune: Misfortune, seed: number) {
    this.world = world;
    this.misfortune = misfortune;
    this.seed = seed;
  }

  answer(id: number, key: number, good: Message, bad: Message): void {
    this.open.add(id);
    this.calls += 1;
    const { fail, lose, double, delayMs, untilMs } = this.misfortune;
    const nowMs = this.world.clock.nowMs();
    const random = new Random(this.seed, key, this.calls);
    const stormy = nowMs < untilMs;
    const delay = random.exponential(delayMs);
    if (stormy && random.chance(lose)) return;
    const message = stormy && random.chance(fail) ? bad : good;
    const deliver = () => {
      this.open.delete(id);
      this.post(message);
    };
    this.world.at(nowMs + delay, deliver);
    if (stormy && random.chance(double)) this.world.at(nowMs + delay + random.exponential(delayMs), deliver);
  }
}

export interface ToyQuestion {
  /** Chance that a step ends the answer, from the second step on. */
  readonly ends: number;
  /** Rewards are Beta(shape, 1): higher shapes are easier questions. */
  readonly shape: number;
  /** Chance that a draw is one of two common steps below its node: a twin, if another draw is the same. */
  readonly twins?: number;
  /** Rewards are multiples of a quarter: many steps have equal rewards. */
  readonly ties?: boolean;
}

export const toyQuestion: ToyQuestion = { ends: 0.4, shape: 4 };

export class ToyEngine extends Postman<EngineMessage> implements Engine {
  readonly capabilities = {
    name: 'toy',
    seeded: true,
    logprobs: true,
    streams: false,
    wholes: false,
    priorities: false,
    countsCache: true,
    contextTokens: undefined,
  };
  readonly question: ToyQuestion;
  readonly requests: GenerateRequest[] = [];
  readonly cancelled: number[] = [];
  readonly updated = new Map<number, Urgency>();

  constructor(world: ToyWorld, misfortune: Misfortune = calm, seed = 1, question = toyQuestion) {
    super(world, misfortune, seed);
    this.question = question;
  }

  connect(post: (message: EngineMessage) => void): void {
    this.post = post;
  }

  generate(requests: readonly GenerateRequest[]): void {
    for (const request of requests) {
      this.requests.push(request);
      const step = this.step(request);
      const usage = { computedTokens: 1, cachedTokens: 2, generatedTokens: step.tokens };
      const broken = fault('internal', 'the toy broke');
      this.answer(
        request.id,
        request.seed,
        { type: 'step', request: request.id, step, usage },
        { type: 'fault', request: request.id, fault: broken },
      );
    }
  }

  step(request: GenerateRequest): Step {
    // A prompt that asks for a list.
    if (request.path.at(-1)?.step.text.endsWith('\n1.')) {
      const items = [0, 1, 2].map((at) => hash(request.seed, at).toString(36)).join('\n');
      return { text: items, tokens: 12, meanLogprob: -1, end: 'eos' };
    }
    const drawn = new Random('draw', request.seed);
    const isTwin = drawn.chance(this.question.twins ?? 0);
    const said = isTwin ? hash(request.parent, drawn.integer(2)) : request.seed;
    const random = new Random('step', said);
    const byChance = request.path.length >= 1 && random.chance(this.question.ends);
    // Without delimiters a step goes to the end of the answer.
    const ends = byChance || request.delimiters.length === 0;
    const text = `${said.toString(36)}${ends ? '' : '\n'}`;
    // Twins have the same text, but each draw has its own tokens and likelihood.
    const [tokens, meanLogprob] = [1 + drawn.integer(20), -drawn.exponential(1)];
    return { text, tokens, meanLogprob, end: ends ? 'eos' : 'delimiter' };
  }

  cancel(requests: readonly number[]): void {
    this.cancelled.push(...requests);
  }

  update(request: number, urgency: Urgency): void {
    this.updated.set(request, urgency);
  }

  release(): void {}

  load() {
    const runningSequences = this.open.size;
    return { runningSequences, waitingSequences: 0, sequenceLimit: undefined, stepMs: undefined, healthy: true };
  }

  async close(): Promise<void> {}
}

export class ToyVerifier extends Postman<VerifierMessage> implements Verifier {
  readonly capabilities: VerifierCapabilities;
  readonly question: ToyQuestion;

  constructor(world: ToyWorld, misfortune: Misfortune = calm, seed = 1, question = toyQuestion, reusesPrefix = true) {
    super(world, misfortune, seed);
    this.capabilities = { name: 'toy', aggregation: 'product', reusesPrefix, looksAhead: true };
    this.question = question;
  }

  connect(post: (message: VerifierMessage) => void): void {
    this.post = post;
  }

  score(requests: readonly ScoreRequest[]): void {
    for (const { id, step } of requests) {
      const drawn = new Random('reward', step.text).beta(this.question.shape, 1);
      const reward = this.question.ties ? Math.round(4 * drawn) / 4 : drawn;
      const usage = { computedTokens: step.tokens, cachedTokens: 0 };
      const broken = fault('internal', 'the toy broke');
      this.answer(
        id,
        hash(step.text),
        { type: 'score', request: id, reward, usage },
        { type: 'fault', request: id, fault: broken },
      );
    }
  }

  cancel(): void {}
  release(): void {}

  load() {
    return { waiting: this.open.size, healthy: true };
  }

  async close(): Promise<void> {}
}

/** Answers every request, as its contract demands: the only misfortunes are failure and delay. */
export class ToyEmbedder extends Postman<EmbedderMessage> implements Embedder {
  readonly name = 'toy';
  readonly texts: string[] = [];
  readonly #vectorOf: (text: string) => readonly number[];

  constructor(world: ToyWorld, misfortune: Misfortune, seed: number, vectorOf: (text: string) => readonly number[]) {
    super(world, { ...misfortune, lose: 0 }, seed);
    this.#vectorOf = vectorOf;
  }

  connect(post: (message: EmbedderMessage) => void): void {
    this.post = post;
  }

  embed(requests: readonly EmbedRequest[]): void {
    for (const { id, text } of requests) {
      this.texts.push(text);
      this.answer(
        id,
        hash(text),
        { type: 'vector', request: id, vector: this.#vectorOf(text), tokens: 1 },
        { type: 'fault', request: id, fault: fault('internal', 'the toy broke') },
      );
    }
  }

  load() {
    return { healthy: true, waiting: this.open.size, texts: this.texts.length, failed: 0 };
  }

  async close(): Promise<void> {}
}
