// A simulated world on the real clock, to try and load a gateway without a GPU. Several engines and verifiers may share it.

import { type Engine, isAnswer } from '@coppice/core/engine';
import type { Verifier } from '@coppice/core/verifier';
import { World } from '../engine/world.ts';

/** Longest delay of an event; clients cannot notice it. */
const tickMs = 2;

export class RealTimeWorld {
  readonly world = new World();
  readonly #speed: number;
  readonly #startMs = performance.now();
  #unanswered = 0;
  #timer: NodeJS.Timeout | undefined;

  /** `speed`: simulated seconds per real second. */
  constructor(speed = 1) {
    this.#speed = speed;
  }

  engine(engine: Engine): Engine {
    return {
      capabilities: engine.capabilities,
      connect: (post) => engine.connect((message) => this.#answered(message, post)),
      generate: (requests) => this.#act(requests.length, () => engine.generate(requests)),
      load: () => engine.load(),
      ...this.#timedCalls(engine),
    };
  }

  verifier(verifier: Verifier): Verifier {
    return {
      capabilities: verifier.capabilities,
      connect: (post) => verifier.connect((message) => this.#answered(message, post)),
      score: (requests) => this.#act(requests.length, () => verifier.score(requests)),
      load: () => verifier.load(),
      ...this.#timedCalls(verifier),
    };
  }

  #timedCalls(part: Engine | Verifier): Pick<Engine & Verifier, 'cancel' | 'update' | 'release' | 'close'> {
    return {
      cancel: (requests) => this.#act(0, () => part.cancel(requests)),
      update: (request, urgency) => this.#act(0, () => part.update?.(request, urgency)),
      release: (search) => part.release(search),
      close: () => this.#close(part),
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
