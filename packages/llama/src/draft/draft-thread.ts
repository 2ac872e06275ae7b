// Links to a draft model: in a thread of its own, which drafts while the target computes, or in the target's thread between decodes.

import { once } from 'node:events';
import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads';
import { type Fault, FaultError, fault } from '@coppice/core/base';
import type { Binding } from '../native/binding.ts';
import { type Draft, DraftModel, type DraftModelSize } from './draft-model.ts';
import { DraftQueue } from './draft-queue.ts';
import type { DraftLink, ToDrafter } from './drafts.ts';

export interface DraftThreadData {
  readonly port: MessagePort;
  readonly path: string;
  readonly size: DraftModelSize;
}

export type FromDrafter =
  | { readonly type: 'ready'; readonly vocabularyHash: number }
  | { readonly type: 'failed'; readonly fault: Fault }
  | { readonly type: 'draft'; readonly draft: Draft };

export class DraftThreadLink implements DraftLink {
  readonly vocabularyHash: number;
  readonly #port: MessagePort;
  readonly #arrived: Draft[] = [];
  #alive = true;

  /** `wake` is called when a draft arrives, and when the thread has died. */
  private constructor(worker: Worker, port: MessagePort, vocabularyHash: number, wake: () => void) {
    this.vocabularyHash = vocabularyHash;
    this.#port = port;
    port.on('message', (message: FromDrafter) => {
      if (message.type === 'draft') this.#arrived.push(message.draft);
      wake();
    });
    const die = (): void => {
      this.#alive = false;
      wake();
    };
    worker.on('error', die); // the engine goes on without drafts
    worker.on('exit', die);
  }

  static async start(path: string, size: DraftModelSize, wake: () => void): Promise<DraftThreadLink> {
    const file = import.meta.url.endsWith('.ts') ? './draft-thread-main.ts' : './draft-thread-main.js';
    const { port1, port2 } = new MessageChannel();
    const workerData: DraftThreadData = { port: port2, path, size };
    const worker = new Worker(new URL(file, import.meta.url), { workerData, transferList: [port2] });
    const broke = (cause?: unknown): FromDrafter => {
      return {
        type: 'failed',
        fault: fault('internal', `the draft thread broke while it loaded its model: ${cause}`),
      };
    };
    const first = once(port1, 'message').then(([message]) => message as FromDrafter);
    const message = await Promise.race([first, once(worker, 'exit').then(() => broke(), broke)]);
    if (message.type === 'ready') return new DraftThreadLink(worker, port1, message.vocabularyHash, wake);
    port1.close();
    if (message.type === 'failed') throw new FaultError(message.fault);
    throw new FaultError(fault('protocol', 'the draft thread sent an unexpected first message'));
  }

  get alive(): boolean {
    return this.#alive;
  }

  post(message: ToDrafter): void {
    this.#port.postMessage(message);
  }

  receive(): Draft | undefined {
    const early = this.#arrived.shift();
    if (early !== undefined) return early;
    const message = receiveMessageOnPort(this.#port)?.message as FromDrafter | undefined;
    return message?.type === 'draft' ? message.draft : undefined;
  }
}

/** Drafts when results are received: all sequences in the same decodes, while the target waits. */
export class InlineDraftLink implements DraftLink {
  readonly vocabularyHash: number;
  readonly alive = true;
  readonly #queue: DraftQueue;
  readonly #drafts: Draft[] = [];

  constructor(binding: Binding, path: string, size: DraftModelSize) {
    const model = new DraftModel(binding, path, size);
    this.vocabularyHash = model.vocabularyHash;
    this.#queue = new DraftQueue(model);
  }

  post(message: ToDrafter): void {
    this.#queue.take(message);
  }

  receive(): Draft | undefined {
    this.#drafts.push(...this.#queue.draft());
    return this.#drafts.shift();
  }
}
