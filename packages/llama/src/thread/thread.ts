// The owner's end of an engine thread: sends requests, passes messages on. Every request is answered exactly once, by the thread or, if it
// dies, by this file.

import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { type Fault, FaultError, fault } from '@coppice/core/base';
import type { MeasuredPoints } from '@coppice/core/cost';
import type { GenerateRequest, RequestId, Urgency } from '@coppice/core/engine';
import type { ReadRequest } from '../batch/reading.ts';
import type { SharedWeights } from '../native/model.ts';
import type { CoreMessage } from './answers.ts';
import type { FromThread, ThreadInfo, ThreadLoad, ThreadOptions, ToThread } from './thread-messages.ts';

const idleLoad: ThreadLoad = {
  running: 0,
  squeezed: false,
  usedCells: 0,
  branches: 0,
  decodes: 0,
  rows: 0,
  draftedTokens: 0,
  acceptedTokens: 0,
  judgedAt: [],
  acceptedAt: [],
  stepMs: undefined,
};

export class LlamaThread {
  readonly info: ThreadInfo;
  readonly weights: SharedWeights;
  readonly #worker: Worker;
  readonly #outstanding = new Set<RequestId>();
  #post: (message: CoreMessage) => void = () => {};
  #measured: (points: MeasuredPoints | Fault) => void = () => {};
  #load = idleLoad;
  #dead: Fault | undefined;

  private constructor(worker: Worker, info: ThreadInfo, weights: SharedWeights) {
    this.#worker = worker;
    this.info = info;
    this.weights = weights;
    worker.on('message', (message: FromThread) => this.#hear(message));
    worker.on('error', (error) => this.#die(fault('internal', `the engine thread broke: ${error.message}`)));
    worker.on('exit', (code) => this.#die(fault('internal', `the engine thread ended with status ${code}`)));
  }

  static async start(options: ThreadOptions): Promise<LlamaThread> {
    const file = import.meta.url.endsWith('.ts') ? './thread-main.ts' : './thread-main.js';
    const worker = new Worker(new URL(file, import.meta.url), { workerData: options });
    const message = await firstMessage(worker);
    if (message.type === 'ready') return new LlamaThread(worker, message.info, message.weights);
    if (message.type === 'failed') throw new FaultError(message.fault);
    throw new FaultError(fault('protocol', 'the engine thread sent an unexpected first message'));
  }

  get load(): ThreadLoad {
    return this.#load;
  }

  get outstanding(): number {
    return this.#outstanding.size;
  }

  get healthy(): boolean {
    return this.#dead === undefined;
  }

  connect(post: (message: CoreMessage) => void): void {
    this.#post = post;
  }

  generate(requests: readonly GenerateRequest[]): void {
    this.#ask(requests, { type: 'generate', requests });
  }

  read(requests: readonly ReadRequest[]): void {
    this.#ask(requests, { type: 'read', requests });
  }

  cancel(requests: readonly RequestId[]): void {
    if (this.#dead === undefined) this.#send({ type: 'cancel', requests });
  }

  update(request: RequestId, urgency: Urgency): void {
    if (this.#dead === undefined) this.#send({ type: 'update', request, urgency });
  }

  release(search: string): void {
    if (this.#dead === undefined) this.#send({ type: 'release', search });
  }

  measure(budgetMs: number): Promise<MeasuredPoints> {
    if (this.#dead !== undefined) return Promise.reject(new FaultError(this.#dead));
    return new Promise((resolve, reject) => {
      this.#measured = (points) => ('code' in points ? reject(new FaultError(points)) : resolve(points));
      this.#send({ type: 'measure', budgetMs });
    });
  }

  async close(): Promise<void> {
    if (this.#dead !== undefined) return;
    this.#die(fault('cancelled', 'the engine was closed'));
    const ended = once(this.#worker, 'exit');
    this.#send({ type: 'close' });
    await ended;
  }

  #ask(requests: readonly { readonly id: RequestId }[], message: ToThread): void {
    for (const { id } of requests) this.#outstanding.add(id);
    if (this.#dead === undefined) this.#send(message);
    else this.#answerAll(this.#dead);
  }

  #send(message: ToThread): void {
    this.#worker.postMessage(message);
  }

  #hear(message: FromThread): void {
    if (message.type === 'measured') this.#measured(message.points);
    if (message.type !== 'messages' || this.#dead !== undefined) return;
    this.#load = message.load;
    for (const each of message.messages) {
      if (each.type !== 'token') this.#outstanding.delete(each.request);
      this.#post(each);
    }
  }

  #die(reason: Fault): void {
    if (this.#dead !== undefined) return;
    this.#dead = reason;
    this.#measured(reason);
    this.#answerAll(reason);
  }

  #answerAll(reason: Fault): void {
    for (const request of [...this.#outstanding]) {
      this.#outstanding.delete(request);
      this.#post({ type: 'fault', request, fault: reason });
    }
  }
}

/** The thread's first message, or a fault if it dies first. */
async function firstMessage(worker: Worker): Promise<FromThread> {
  try {
    const [message] = (await once(worker, 'message')) as [FromThread];
    return message;
  } catch (error) {
    return { type: 'failed', fault: fault('internal', `the engine thread broke while it loaded the model: ${error}`) };
  }
}
