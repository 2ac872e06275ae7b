// The draft model's thread. It drafts for half of the sequences at a time, so that the target verifies one half while the other is drafted (P2 §4.1).

import { type MessagePort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { FaultError } from '@coppice/core/base';
import { loadBinding } from '../native/binding.ts';
import { findLibrary } from '../native/platform.ts';
import { DraftModel, type DraftModelSize } from './draft-model.ts';
import { DraftQueue } from './draft-queue.ts';
import type { DraftThreadData, FromDrafter } from './draft-thread.ts';
import type { ToDrafter } from './drafts.ts';

class DraftThread {
  readonly #port: MessagePort;
  readonly #queue: DraftQueue;

  constructor(port: MessagePort, path: string, size: DraftModelSize) {
    this.#port = port;
    const model = new DraftModel(loadBinding(findLibrary()), path, size);
    this.#queue = new DraftQueue(model);
    this.#post({ type: 'ready', vocabularyHash: model.vocabularyHash });
    port.on('message', (message: ToDrafter) => {
      this.#queue.take(message);
      this.#run();
    });
  }

  #run(): void {
    for (;;) {
      for (let next = receiveMessageOnPort(this.#port); next !== undefined; next = receiveMessageOnPort(this.#port)) {
        this.#queue.take(next.message as ToDrafter);
      }
      if (this.#queue.closed) return this.#port.close();
      if (this.#queue.waiting === 0) return;
      for (const draft of this.#queue.draft(Math.ceil(this.#queue.sequences / 2))) this.#post({ type: 'draft', draft });
    }
  }

  /** Transfers the distributions without a copy: each has one number per token of the vocabulary. */
  #post(message: FromDrafter): void {
    const distributions = message.type === 'draft' ? message.draft.distributions : [];
    this.#port.postMessage(
      message,
      distributions.map(({ buffer }) => buffer as ArrayBuffer),
    );
  }
}

const { port, path, size } = workerData as DraftThreadData;
try {
  new DraftThread(port, path, size);
} catch (error) {
  if (!(error instanceof FaultError)) throw error;
  port.postMessage({ type: 'failed', fault: error.fault } satisfies FromDrafter);
  port.close();
}
