// Collects what a part posts, and waits until it has answered.

import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';

/** How long a part may be silent before a case gives it up; long, since a machine may be busy. */
const silenceMs = 120_000;

export class Mailbox<Message extends { readonly type: string; readonly request: number }> {
  readonly messages: Message[] = [];
  readonly #isAnswer: (message: Message) => boolean;

  constructor(isAnswer: (message: Message) => boolean) {
    this.#isAnswer = isAnswer;
  }

  readonly post = (message: Message): void => {
    this.messages.push(message);
  };

  answers(id: number): Message[] {
    return this.messages.filter((each) => each.request === id && this.#isAnswer(each));
  }

  /** Lets the part `work` until each request has an answer. */
  async answered(requests: readonly { readonly id: number }[], work = async () => {}): Promise<void> {
    let heard = this.messages.length;
    let sinceMs = performance.now();
    for (;;) {
      const missing = requests.filter(({ id }) => this.answers(id).length === 0).map(({ id }) => id);
      if (missing.length === 0) return;
      await work();
      // Timers and sockets of the part get their turn, whatever `work` does.
      await setImmediate();
      if (this.messages.length > heard) {
        heard = this.messages.length;
        sinceMs = performance.now();
      }
      const silent = performance.now() - sinceMs > silenceMs;
      assert.ok(!silent, `requests ${missing.join(', ')} have no answer after ${silenceMs / 1000} s of silence`);
    }
  }

  /** Each request has one answer, and only one. */
  answeredOnce(requests: readonly { readonly id: number }[]): void {
    for (const { id } of requests) {
      const { length } = this.answers(id);
      assert.equal(length, 1, `request ${id} was answered ${length} times, not once`);
    }
  }
}
