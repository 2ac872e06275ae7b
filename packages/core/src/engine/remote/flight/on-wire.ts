// Which attempt a child is being written by. A sibling that is drawn again belongs to another attempt by then: what ends or fails is told only
// of those that an attempt still writes.

import type { Attempt } from './attempt.ts';
import { type Child, isLive } from './queue.ts';

export class OnWire {
  readonly #attempts = new WeakMap<Child, Attempt>();

  add(attempt: Attempt): void {
    for (const child of attempt.children) this.#attempts.set(child, attempt);
  }

  forget(children: readonly Child[]): void {
    for (const child of children) this.#attempts.delete(child);
  }

  attemptOf(child: Child): Attempt | undefined {
    return this.#attempts.get(child);
  }

  writtenBy(attempt: Attempt): Child[] {
    return attempt.children.filter((child) => this.#attempts.get(child) === attempt);
  }

  /** It goes on at the server, and none of its children is waited for. */
  isForsaken(attempt: Attempt): boolean {
    return attempt.running > 0 && !this.writtenBy(attempt).some(isLive);
  }
}
