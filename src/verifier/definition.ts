// How a verifier makes itself known, ours as a stranger's: by name, with options, and with what it is made of. Most need no queue and
// no servers: a function that scores one step is enough, at once or later, and is made a verifier here.

import { type Fault, FaultError, fault } from '../base/fault.ts';
import type { Knobs } from '../base/knob.ts';
import {
  checkPartOptions,
  definedPart,
  type NamedPart,
  type NoOptions,
  optionsOfPart,
  type PartInput,
  type PartOptions,
  type PlugIn,
} from '../base/part.ts';
import type { RequestId } from '../engine/engine.ts';
import type { Aggregation } from '../tree/aggregate.ts';
import {
  noUsage,
  type ScoreRequest,
  type Verifier,
  type VerifierCapabilities,
  type VerifierLoad,
  type VerifierMessage,
} from './verifier.ts';

/** The reward of the last step of a path, from 0 to 1. */
export type ScoreStep = (request: ScoreRequest) => number | Promise<number>;

/** What is known of a scoring function before it scores; a whole verifier says it itself. */
export interface ScoringTraits {
  /** The aggregation that its rewards were made for; `product` unless said. */
  readonly aggregation?: Aggregation;
  /** It scores by the log probabilities of a step. */
  readonly readsLogprobs?: boolean;
}

export type VerifierPart = PlugIn<Verifier | ScoreStep> & ScoringTraits;

export function defineVerifier<const Name extends string, const Options extends Knobs = NoOptions>(
  part: PartInput<Verifier | ScoreStep, Name, Options> & ScoringTraits,
): NamedPart<Verifier | ScoreStep, Name, Options> & ScoringTraits {
  return definedPart(part, ['aggregation', 'readsLogprobs']);
}

/** One that is made already is taken as it is. */
export function makeVerifier(verifier: Verifier | VerifierPart, options: PartOptions = {}): Verifier {
  if (!('make' in verifier)) return verifier;
  checkPartOptions(`verifier '${verifier.name}'`, [verifier], options, 'verifierOptions');
  const made = verifier.make(optionsOfPart(verifier, options));
  return typeof made === 'function' ? new ScoringFunction(verifier, made) : made;
}

class ScoringFunction implements Verifier {
  readonly capabilities: VerifierCapabilities;
  readonly #score: ScoreStep;
  readonly #waiting = new Set<RequestId>();
  #post: (message: VerifierMessage) => void = () => {};

  constructor({ name, aggregation = 'product', readsLogprobs = false }: VerifierPart, score: ScoreStep) {
    this.capabilities = { name, aggregation, reusesPrefix: true, readsLogprobs };
    this.#score = score;
  }

  connect(post: (message: VerifierMessage) => void): void {
    this.#post = post;
  }

  score(requests: readonly ScoreRequest[]): void {
    for (const request of requests) {
      this.#waiting.add(request.id);
      this.#begin(request);
    }
  }

  cancel(requests: readonly RequestId[]): void {
    for (const request of requests) {
      if (this.#waiting.delete(request))
        this.#post({ type: 'fault', request, fault: fault('cancelled', 'the request was cancelled') });
    }
  }

  release(_search: string): void {}

  load(): VerifierLoad {
    return { waiting: this.#waiting.size, healthy: true };
  }

  async close(): Promise<void> {
    this.cancel([...this.#waiting]);
  }

  /** What is known at once is answered at once. */
  #begin(request: ScoreRequest): void {
    const { id } = request;
    try {
      const reward = this.#score(request);
      if (typeof reward !== 'object') return this.#end(id, reward);
      Promise.resolve(reward).then(
        (late) => this.#end(id, late),
        (error: unknown) => this.#fail(id, error),
      );
    } catch (error) {
      this.#fail(id, error);
    }
  }

  #end(request: RequestId, reward: number): void {
    if (!(reward >= 0 && reward <= 1)) {
      const what = `verifier '${this.capabilities.name}' gave ${String(reward)}; a reward is a number from 0 to 1`;
      return this.#fail(request, new FaultError(fault('bad-reward', what)));
    }
    if (this.#waiting.delete(request)) this.#post({ type: 'score', request, reward, usage: noUsage });
  }

  #fail(request: RequestId, error: unknown): void {
    if (this.#waiting.delete(request))
      this.#post({ type: 'fault', request, fault: faultOf(this.capabilities.name, error) });
  }
}

/** The same step would throw again. */
function faultOf(name: string, error: unknown): Fault {
  if (error instanceof FaultError) return error.fault;
  const message = error instanceof Error ? error.message : String(error);
  return fault('internal', `verifier '${name}' threw in score: ${message}`, { retryable: false });
}
