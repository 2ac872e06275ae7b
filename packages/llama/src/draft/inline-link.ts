// The link to a draft model in the target's own thread: it drafts when results are read, all sequences in the same decodes, while the target
// waits.

import type { Binding } from '../native/binding.ts';
import { DraftDesk } from './draft-desk.ts';
import { type Draft, DraftModel, type DraftModelSize } from './draft-model.ts';
import type { DraftLink, ToDrafter } from './drafts.ts';

export class InlineDraftLink implements DraftLink {
  readonly vocabularyHash: number;
  readonly #desk: DraftDesk;
  readonly #drafts: Draft[] = [];

  constructor(binding: Binding, path: string, size: DraftModelSize) {
    const model = new DraftModel(binding, path, size);
    this.vocabularyHash = model.vocabularyHash;
    this.#desk = new DraftDesk(model);
  }

  post(message: ToDrafter): void {
    this.#desk.take(message);
  }

  receive(): Draft | undefined {
    this.#drafts.push(...this.#desk.draft());
    return this.#drafts.shift();
  }
}
