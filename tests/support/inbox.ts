// Receives the messages that an engine or a verifier posts in a test.

import { isAnswer } from '../../packages/core/src/engine/engine.ts';

/** Collects messages. Resolves when a number of requests is answered or a condition holds. */
export class Inbox<Message extends { readonly type: string; readonly request: number }> {
  readonly messages: Message[] = [];
  #waiting: { readonly holds: () => boolean; readonly resolve: () => void } | undefined;

  readonly post = (message: Message): void => {
    this.messages.push(message);
    if (this.#waiting?.holds()) this.#waiting.resolve();
  };

  get answers() {
    return this.messages.filter((message) => isAnswer(message));
  }

  until(holds: () => boolean): Promise<void> {
    if (holds()) return Promise.resolve();
    return new Promise((resolve) => {
      this.#waiting = { holds, resolve };
    });
  }

  answered(count: number): Promise<void> {
    return this.until(() => this.answers.length >= count);
  }
}
