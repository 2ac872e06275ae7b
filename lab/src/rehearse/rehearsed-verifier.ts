// The verifier of a rehearsal: the reward model scores the generator's real text, and when that score arrives the runtime gets the source's reward.

import type { Clock } from '@coppice/core/base';
import type { RequestId, Urgency } from '@coppice/core/engine';
import { nodeKey } from '@coppice/core/tree';
import type {
  ScoreRequest,
  Verifier,
  VerifierCapabilities,
  VerifierLoad,
  VerifierMessage,
} from '@coppice/core/verifier';
import type { RewardSource } from '@coppice/sim/engine';
import { Meter } from './meter.ts';
import type { RealSteps } from './real-steps.ts';

interface RehearsedVerifierOptions {
  readonly verifier: Verifier;
  readonly source: RewardSource;
  readonly steps: RealSteps;
  readonly clock: Clock;
}

export class RehearsedVerifier implements Verifier {
  readonly capabilities: VerifierCapabilities;
  readonly meter: Meter;
  readonly #options: RehearsedVerifierOptions;
  readonly #asked = new Map<RequestId, ScoreRequest>();
  #post: (message: VerifierMessage) => void = () => {};

  constructor(options: RehearsedVerifierOptions) {
    this.#options = options;
    this.meter = new Meter(options.clock);
    const { capabilities } = options.verifier;
    // Rewards of the question model are made to be multiplied.
    this.capabilities = { ...capabilities, name: `rehearsal on ${capabilities.name}`, aggregation: 'product' };
  }

  connect(post: (message: VerifierMessage) => void): void {
    this.#post = post;
    this.#options.verifier.connect((message) => this.#receive(message));
  }

  score(requests: readonly ScoreRequest[]): void {
    this.#options.verifier.score(requests.map((request) => this.#real(request)));
  }

  cancel(requests: readonly RequestId[]): void {
    this.#options.verifier.cancel(requests);
  }

  update(request: RequestId, urgency: Urgency): void {
    this.#options.verifier.update?.(request, urgency);
  }

  release(search: string): void {
    this.#options.verifier.release(search);
  }

  load(): VerifierLoad {
    return this.#options.verifier.load();
  }

  /** The command that opened the servers closes them. */
  async close(): Promise<void> {
    this.cancel([...this.#asked.keys()]);
  }

  #real(request: ScoreRequest): ScoreRequest {
    const { steps } = this.#options;
    const { id, search, prompt, parent, path, step } = request;
    this.#asked.set(id, request);
    this.meter.begin(id);
    return {
      ...request,
      prompt: steps.prompt(search, () => prompt),
      path: steps.path(search, path),
      step: steps.step(search, nodeKey(parent, step), step),
    };
  }

  #receive(message: VerifierMessage): void {
    if (message.type !== 'score' && message.type !== 'fault') return this.#post(message);
    const asked = this.#asked.get(message.request);
    this.#asked.delete(message.request);
    this.meter.end(message.request, message.type === 'score');
    if (message.type === 'fault' || asked === undefined) return this.#post(message);
    const { prompt, path, step } = asked;
    this.#post({ ...message, reward: this.#options.source.reward(prompt, path, step) });
  }
}
