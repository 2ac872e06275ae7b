// The children that searches wait for. Each is answered exactly once, by its step, fault or cancellation; nothing is told after that.

import type { Fault } from '../../../base/fault.ts';
import type { Step } from '../../../tree/step.ts';
import { allNeeds, type Custody, type EngineMessage, type GenerationUsage, type RequestId } from '../../engine.ts';
import { type Child, isLive, type Job, liveChildren } from './queue.ts';

const progressTokens = 64;

export class Awaited {
  readonly #children = new Map<RequestId, Child>();
  #post: (message: EngineMessage) => void = () => {};

  connect(post: (message: EngineMessage) => void): void {
    this.#post = post;
  }

  get ids(): RequestId[] {
    return [...this.#children.keys()];
  }

  get(id: RequestId): Child | undefined {
    return this.#children.get(id);
  }

  add(child: Child): void {
    this.#children.set(child.request.id, child);
  }

  refuse(id: RequestId, reason: Fault): void {
    this.#post({ type: 'fault', request: id, fault: reason });
  }

  tellCustody(type: Custody['type'], job: Job): void {
    for (const { request } of liveChildren(job)) this.#post({ type, request: request.id });
  }

  /** Without a reader only the length is told, and rarely: every message wakes the loop. */
  token(child: Child, text: string, tokens: number): void {
    if (!isLive(child) || child.streamed) return;
    const isRead = (child.request.needs ?? allNeeds).tokens;
    if (!isRead && tokens - child.toldTokens < progressTokens) return;
    child.toldTokens = tokens;
    this.#post({ type: 'token', request: child.request.id, text: isRead ? text : '', tokens });
  }

  step(child: Child, step: Step, usage: GenerationUsage, ids?: readonly number[]): void {
    const { id, needs } = child.request;
    const read = needs?.record === true && ids !== undefined ? { read: { ids } } : {};
    this.#answer(child, { type: 'step', request: id, step, usage, ...read });
  }

  fault(child: Child, reason: Fault, usage?: GenerationUsage): void {
    this.#answer(child, { type: 'fault', request: child.request.id, fault: reason, ...(usage && { usage }) });
  }

  #answer(child: Child, message: EngineMessage): void {
    if (child.answered) return;
    child.answered = true;
    this.#children.delete(child.request.id);
    this.#post(message);
  }
}
