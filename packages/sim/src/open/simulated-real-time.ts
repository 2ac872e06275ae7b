// A simulated world on the real clock: what happens in it happens when it would have happened. For trying out a gateway
// and for loading it without a GPU. Several engines and verifiers may live in one world.

import { type Engine, type EngineMessage, isAnswer } from '@coppice/core/engine';
import type { Verifier, VerifierMessage } from '@coppice/core/verifier';
import { World } from '../engine/world.ts';

/** How late an event may be noticed. Finer than people and most clients can see. */
const tickMs = 2;

export class RealTimeWorld {
  readonly world = new World();
  readonly #speed: number;
  readonly #startMs = performance.now();
  #unanswered = 0;
  #timer: NodeJS.Timeout | undefined;

  /** `speed`: how many simulated seconds pass in a real one. */
  constructor(speed = 1) {
    this.#speed = speed;
  }

  engine(engine: Engine): Engine {
    return {
      capabilities: engine.capabilities,
      connect: (post) => engine.connect((message: EngineMessage) => this.#answered(message, post)),
      generate: (requests) => this.#act(requests.length, () => engine.generate(requests)),
      cancel: (requests) => this.#act(0, () => engine.cancel(requests)),
      update: (request, urgency) => this.#act(0, () => engine.update?.(request, urgency)),
      release: (search) => engine.release(search),
      load: () => engine.load(),
      close: () => this.#close(engine),
    };
  }

  verifier(verifier: Verifier): Verifier {
    return {
      capabilities: verifier.capabilities,
      connect: (post) => verifier.connect((message: VerifierMessage) => this.#answered(message, post)),
      score: (requests) => this.#act(requests.length, () => verifier.score(requests)),
      cancel: (requests) => this.#act(0, () => verifier.cancel(requests)),
      update: (request, urgency) => this.#act(0, () => verifier.update?.(request, urgency)),
      release: (search) => verifier.release(search),
      load: () => verifier.load(),
      close: () => this.#close(verifier),
    };
  }

  #answered<Message extends { readonly type: string }>(message: Message, post: (message: Message) => void): void {
    if (isAnswer(message)) this.#unanswered -= 1;
    post(message);
  }

  #act(requests: number, action: () => void): void {
    this.#catchUp();
    this.#unanswered += requests;
    action();
    this.#timer ??= setTimeout(() => this.#tick(), tickMs);
  }

  #tick(): void {
    this.#timer = undefined;
    this.#catchUp();
    if (this.#unanswered > 0) this.#timer = setTimeout(() => this.#tick(), tickMs);
  }

  #catchUp(): void {
    const nowMs = (performance.now() - this.#startMs) * this.#speed;
    this.world.run(() => {}, { untilMs: nowMs });
    this.world.clock.moveTo(nowMs);
  }

  async #close(part: { close(): Promise<void> }): Promise<void> {
    await part.close();
    this.#catchUp();
    clearTimeout(this.#timer);
  }
}
