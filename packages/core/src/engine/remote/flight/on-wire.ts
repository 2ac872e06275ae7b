// Which attempt writes a child now. A sibling that is drawn again has moved to another attempt.

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

  isForsaken(attempt: Attempt): boolean {
    return attempt.running > 0 && !this.writtenBy(attempt).some(isLive);
  }
}
