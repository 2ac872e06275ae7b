// The definition of a verifier: its name, its options and how it is made. A function that scores one step is enough.

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
import { isRecord } from '../base/record.ts';
import type { RequestId } from '../engine/engine.ts';
import type { Aggregation } from '../tree/aggregate.ts';
import { questionOf } from './scorer.ts';
import {
  noUsage,
  type ScoreRequest,
  type Verifier,
  type VerifierCapabilities,
  type VerifierLoad,
  type VerifierMessage,
} from './verifier.ts';

export interface Judgement {
  readonly reward: number;
  readonly feedback?: string | undefined;
}

export type ScoreStep = (request: ScoreRequest) => number | Judgement | Promise<number | Judgement>;

export type ScoreText = (
  question: string,
  steps: readonly string[],
) => number | Judgement | Promise<number | Judgement>;

export interface ScoringTraits {
  readonly aggregation?: Aggregation;
  readonly readsLogprobs?: boolean;
  /** See VerifierCapabilities. */
  readonly exact?: boolean;
}

export type VerifierPart = PlugIn<Verifier | ScoreStep> & ScoringTraits;

export function defineVerifier(score: ScoreText): VerifierPart;
export function defineVerifier<const Name extends string, const Options extends Knobs = NoOptions>(
  part: PartInput<Verifier | ScoreStep, Name, Options> & ScoringTraits,
): NamedPart<Verifier | ScoreStep, Name, Options> & ScoringTraits;
export function defineVerifier(part: ScoreText | (PartInput<Verifier | ScoreStep, string, Knobs> & ScoringTraits)) {
  return definedPart(typeof part === 'function' ? partOf(part) : part, ['aggregation', 'readsLogprobs', 'exact']);
}

function partOf(score: ScoreText): PartInput<ScoreStep, string, NoOptions> & ScoringTraits {
  const scoreStep: ScoreStep = ({ prompt, path, step }) => {
    const steps = [...path.map((each) => each.step.text), step.text];
    return score(questionOf(prompt), steps);
  };
  return { name: score.name || 'own', summary: 'a function of question and steps', make: () => scoreStep };
}

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

  constructor({ name, aggregation = 'product', readsLogprobs = false, exact = false }: VerifierPart, score: ScoreStep) {
    this.capabilities = { name, aggregation, reusesPrefix: true, readsLogprobs, exact };
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

  #begin(request: ScoreRequest): void {
    const { id } = request;
    try {
      const said = this.#score(request);
      if (!(said instanceof Promise)) return this.#end(id, said);
      said.then(
        (late) => this.#end(id, late),
        (error: unknown) => this.#fail(id, error),
      );
    } catch (error) {
      this.#fail(id, error);
    }
  }

  #end(request: RequestId, said: unknown): void {
    const judgement = judgementOf(said);
    if (judgement === undefined) {
      const rule = 'a reward is a number from 0 to 1, alone or as { reward, feedback } with a text';
      const what = `verifier '${this.capabilities.name}' gave ${shown(said)}; ${rule}`;
      return this.#fail(request, new FaultError(fault('bad-reward', what)));
    }
    if (this.#waiting.delete(request)) this.#post({ type: 'score', request, ...judgement, usage: noUsage });
  }

  #fail(request: RequestId, error: unknown): void {
    if (this.#waiting.delete(request))
      this.#post({ type: 'fault', request, fault: faultOf(this.capabilities.name, error) });
  }
}

export function judgementOf(said: unknown): Judgement | undefined {
  const { reward, feedback = undefined } = isRecord(said) ? said : { reward: said };
  if (typeof reward !== 'number' || !(reward >= 0 && reward <= 1)) return undefined;
  if (feedback === undefined || feedback === null) return { reward };
  return typeof feedback === 'string' ? { reward, feedback } : undefined;
}

export function shown(said: unknown): string {
  if (said === undefined) return 'nothing';
  const text = typeof said === 'number' ? String(said) : (JSON.stringify(said) ?? `a ${typeof said}`);
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}

function faultOf(name: string, error: unknown): Fault {
  if (error instanceof FaultError) return error.fault;
  const message = error instanceof Error ? error.message : String(error);
  return fault('internal', `verifier '${name}' threw in score: ${message}`, { retryable: false });
}
