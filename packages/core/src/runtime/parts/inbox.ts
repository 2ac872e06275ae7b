// Messages posted to a runtime since its last step, in order.

import type { EmbedderMessage } from '../../embedder/embedder.ts';
import type { EngineMessage } from '../../engine/engine.ts';
import type { VerifierMessage } from '../../verifier/verifier.ts';
import type { Search } from '../search/search.ts';

export type CancelReason = 'caller' | 'shutdown' | 'key-removed';

export type InboxMessage =
  | { readonly from: 'engine'; readonly message: EngineMessage }
  | { readonly from: 'verifier'; readonly message: VerifierMessage }
  | { readonly from: 'embedder'; readonly message: EmbedderMessage }
  | { readonly from: 'caller'; readonly submit: Search }
  | { readonly from: 'caller'; readonly restored: Search }
  | { readonly from: 'caller'; readonly cancel: string; readonly reason: CancelReason };

export class Inbox {
  readonly #wake: (() => void) | undefined;
  readonly #messages: InboxMessage[] = [];

  constructor(wake: (() => void) | undefined) {
    this.#wake = wake;
  }

  get isEmpty(): boolean {
    return this.#messages.length === 0;
  }

  post(message: InboxMessage): void {
    this.#messages.push(message);
    this.#wake?.();
  }

  takeAll(): InboxMessage[] {
    return this.#messages.splice(0);
  }
}
