// How a verifier of one's own makes itself known: by name, with options, and with what it is made of. Most need no queue and no
// servers: a function that scores one step is enough, at once or later, and is made a verifier here.

import { FaultError, fault } from '../base/fault.ts';
import type { Knobs } from '../base/knob.ts';
import { definedPart, type NamedPart, type NoOptions, type PartInput, type PlugIn } from '../base/part.ts';
import type { RequestId } from '../engine/engine.ts';
import type { Aggregation } from '../tree/aggregate.ts';
import { noUsage, type ScoreRequest, type Verifier, type VerifierLoad, type VerifierMessage } from './verifier.ts';

/** The reward of the last step of a path, from 0 to 1. */
export type ScoreStep = (request: ScoreRequest) => number | Promise<number>;

export type VerifierPart = PlugIn<Verifier | ScoreStep> & {
  /** The aggregation that its rewards were made for; `product` unless said. A whole verifier says it itself. */
  readonly aggregation?: Aggregation;
};

export function defineVerifier<const Name extends string, const Options extends Knobs = NoOptions>(
  part: PartInput<Verifier | ScoreStep, Name, Options> & { readonly aggregation?: Aggregation },
): NamedPart<Verifier | ScoreStep, Name, Options> & { readonly aggregation?: Aggregation } {
  return definedPart(part);
}

export function verifierOf({ name, aggregation = 'product' }: VerifierPart, made: Verifier | ScoreStep): Verifier {
  return typeof made === 'function' ? new ScoringFunction(name, aggregation, made) : made;
}

class ScoringFunction implements Verifier {
  readonly capabilities;
  readonly #score: ScoreStep;
  readonly #waiting = new Set<RequestId>();
  #post: (message: VerifierMessage) => void = () => {};

  constructor(name: string, aggregation: Aggregation, score: ScoreStep) {
    this.capabilities = { name, aggregation, reusesPrefix: true };
    this.#score = score;
  }

  connect(post: (message: VerifierMessage) => void): void {
    this.#post = post;
  }

  score(requests: readonly ScoreRequest[]): void {
    for (const request of requests) {
      this.#waiting.add(request.id);
      void this.#answer(request);
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

  async #answer(request: ScoreRequest): Promise<void> {
    const message = await this.#scored(request);
    if (this.#waiting.delete(request.id)) this.#post(message);
  }

  async #scored(request: ScoreRequest): Promise<VerifierMessage> {
    const { id } = request;
    try {
      const reward = await this.#score(request);
      if (reward >= 0 && reward <= 1) return { type: 'score', request: id, reward, usage: noUsage };
      const what = `verifier '${this.capabilities.name}' gave ${String(reward)}; a reward is a number from 0 to 1`;
      return { type: 'fault', request: id, fault: fault('bad-reward', what) };
    } catch (error) {
      return { type: 'fault', request: id, fault: faultOf(this.capabilities.name, error) };
    }
  }
}

/** The same step would throw again. */
function faultOf(name: string, error: unknown) {
  if (error instanceof FaultError) return error.fault;
  const message = error instanceof Error ? error.message : String(error);
  return fault('internal', `verifier '${name}' threw in score: ${message}`, { retryable: false });
}
