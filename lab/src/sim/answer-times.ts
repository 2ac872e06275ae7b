// Times of a simulated generator and reward model for the steps that a program requested (P3 §6.6). Speculated steps are left out: they wait on purpose.

import { SimEngine, type World } from '@coppice/sim/engine';
import { SimVerifier } from '@coppice/sim/verifier';
import type { SimulatedQuestions } from '../service/index.ts';

export interface AnswerTimes {
  steps: number;
  /** Of those steps. */
  tokens: number;
  stepMs: number;
  scores: number;
  scoreMs: number;
}

export function noTimes(): AnswerTimes {
  return { steps: 0, tokens: 0, stepMs: 0, scores: 0, scoreMs: 0 };
}

type Handed<Requests> = Requests extends readonly (infer Request)[] ? Request : never;

/** When each request of the primary lane came, until it is answered. */
class RequestTimes {
  readonly #sinceMs = new Map<unknown, number>();

  came({ id, lane }: { readonly id: unknown; readonly lane?: string }, nowMs: number): void {
    if (lane !== 'speculative') this.#sinceMs.set(id, nowMs);
  }

  /** How long it took; undefined where it was not wanted when it came. */
  left(id: unknown, nowMs: number): number | undefined {
    const since = this.#sinceMs.get(id);
    this.#sinceMs.delete(id);
    return since === undefined ? undefined : nowMs - since;
  }
}

export class TimedEngine extends SimEngine {
  readonly #arrivals = new RequestTimes();
  readonly #world: World;
  readonly #times: AnswerTimes;

  constructor(
    world: World,
    source: SimulatedQuestions,
    options: ConstructorParameters<typeof SimEngine>[2],
    times: AnswerTimes,
  ) {
    super(world, source, options);
    this.#world = world;
    this.#times = times;
  }

  override connect(post: Parameters<SimEngine['connect']>[0]): void {
    super.connect((message) => {
      const ms = this.#arrivals.left(message.request, this.#world.nowMs);
      if (ms !== undefined && message.type === 'step') {
        this.#times.steps += 1;
        this.#times.tokens += message.step.tokens;
        this.#times.stepMs += ms;
      }
      post(message);
    });
  }

  override generate(requests: readonly Handed<Parameters<SimEngine['generate']>[0]>[]): void {
    for (const request of requests) this.#arrivals.came(request, this.#world.nowMs);
    super.generate(requests);
  }
}

export class TimedVerifier extends SimVerifier {
  readonly #arrivals = new RequestTimes();
  readonly #world: World;
  readonly #times: AnswerTimes;

  constructor(
    world: World,
    source: SimulatedQuestions,
    options: ConstructorParameters<typeof SimVerifier>[2],
    times: AnswerTimes,
  ) {
    super(world, source, options);
    this.#world = world;
    this.#times = times;
  }

  override connect(post: Parameters<SimVerifier['connect']>[0]): void {
    super.connect((message) => {
      const ms = this.#arrivals.left(message.request, this.#world.nowMs);
      if (ms !== undefined && message.type === 'score') {
        this.#times.scores += 1;
        this.#times.scoreMs += ms;
      }
      post(message);
    });
  }

  override score(requests: readonly Handed<Parameters<SimVerifier['score']>[0]>[]): void {
    for (const request of requests) this.#arrivals.came(request, this.#world.nowMs);
    super.score(requests);
  }
}
