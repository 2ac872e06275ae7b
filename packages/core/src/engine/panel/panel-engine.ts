// An engine made of several: a request goes to the model that its draw names, else to the search's own. Each other model has at most its
// budget of requests; the rest wait here, most urgent first. Requests for a model that is out are given back while another is up.

import { fault } from '../../base/fault.ts';
import {
  type Engine,
  type EngineLoad,
  type EngineMessage,
  type GenerateRequest,
  isAnswer,
  type RequestId,
  readablePath,
  type Urgency,
} from '../engine.ts';
import { UrgencyQueue } from '../urgency-queue.ts';

export interface PanelMember {
  readonly engine: Engine;
  readonly budget: number;
}

/** `name`: the search's own model. Closing closes the own engine alone. */
export function panelEngine(name: string, own: Engine, members: ReadonlyMap<string, PanelMember>): Engine {
  return members.size === 0 ? own : new PanelEngine(name, own, members);
}

class PanelEngine implements Engine {
  readonly #name: string;
  readonly #own: Engine;
  readonly #queues: ReadonlyMap<string, MemberQueue>;
  readonly #places = new Map<RequestId, MemberQueue>();
  readonly #named = new Map<RequestId, string>();
  readonly #held = new Map<RequestId, string>();
  readonly #takenBack = new Map<RequestId, string>();
  #isToLook = false;
  #post: (message: EngineMessage) => void = () => {};

  constructor(name: string, own: Engine, members: ReadonlyMap<string, PanelMember>) {
    this.#name = name;
    this.#own = own;
    this.#queues = new Map([...members].map(([each, member]) => [each, new MemberQueue(each, member)]));
  }

  get capabilities() {
    return this.#own.capabilities;
  }

  connect(post: (message: EngineMessage) => void): void {
    this.#post = post;
    this.#own.connect((message) => this.#hear(message));
    for (const queue of this.#queues.values()) queue.connect((message) => this.#hear(message));
  }

  #hear(message: EngineMessage): void {
    const { type, request } = message;
    if (type === 'token') return this.#post(message);
    const model = this.#named.get(request);
    if (type === 'held' && model !== undefined) this.#held.set(request, model);
    else this.#held.delete(request);
    this.#lookSoon();
    const trouble = this.#takenBack.get(request);
    if (isAnswer(message)) {
      this.#places.delete(request);
      this.#named.delete(request);
      this.#takenBack.delete(request);
    }
    const isTakenBack = trouble !== undefined && message.type === 'fault' && message.fault.code === 'cancelled';
    this.#post(isTakenBack ? { ...message, fault: fault('unavailable', trouble) } : message);
  }

  /** The engine that posts the message has not finished yet. */
  #lookSoon(): void {
    if (this.#held.size === 0 || this.#isToLook) return;
    this.#isToLook = true;
    queueMicrotask(() => {
      this.#isToLook = false;
      this.#takeBack();
    });
  }

  #takeBack(): void {
    const engines = new Map([
      [this.#name, this.#own],
      ...Array.from(this.#queues, ([name, { engine }]) => [name, engine] as const),
    ]);
    const troubles = new Map(Array.from(engines, ([name, engine]) => [name, engine.load().trouble]));
    if (![...troubles.values()].includes(undefined)) return;
    for (const [id, model] of [...this.#held]) {
      const trouble = troubles.get(model);
      if (trouble === undefined || this.#takenBack.has(id)) continue;
      this.#takenBack.set(id, `model '${model}': ${trouble}`);
      this.cancel([id]);
    }
  }

  generate(requests: readonly GenerateRequest[]): void {
    for (const { id, model } of requests) if (model !== undefined) this.#named.set(id, model);
    for (const [model = this.#name, asked] of Map.groupBy(requests, ({ model }) => model)) {
      const forWriter = asked.map((each) => ({ ...each, path: readablePath(each.path, this.#name, model) }));
      if (model === this.#name) this.#own.generate(forWriter);
      else this.#send(model, forWriter);
    }
  }

  #send(model: string, requests: readonly GenerateRequest[]): void {
    const queue = this.#queues.get(model);
    if (queue === undefined) {
      const known = [this.#name, ...this.#queues.keys()].join(', ');
      const reason = fault(
        'bad-setting',
        `a draw names the model '${model}'; model '${this.#name}' can ask ${known} (panel)`,
      );
      for (const { id } of requests) this.#hear({ type: 'fault', request: id, fault: reason });
      return;
    }
    for (const { id } of requests) this.#places.set(id, queue);
    queue.take(requests);
  }

  cancel(ids: readonly RequestId[]): void {
    for (const [queue, here] of Map.groupBy(ids, (id) => this.#places.get(id))) (queue ?? this.#own).cancel(here);
  }

  update(id: RequestId, urgency: Urgency): void {
    const queue = this.#places.get(id);
    if (queue === undefined) this.#own.update?.(id, urgency);
    else queue.update(id, urgency);
  }

  release(search: string): void {
    this.#own.release(search);
    for (const queue of this.#queues.values()) queue.engine.release(search);
  }

  load(): EngineLoad {
    const load = this.#own.load();
    if (load.trouble === undefined) return load;
    const others = Array.from(this.#queues, ([name, queue]) => ({ name, trouble: queue.engine.load().trouble }));
    const more = others.filter(({ trouble }) => trouble !== undefined);
    return { ...load, trouble: [load.trouble, ...more.map(({ name, trouble }) => `${name}: ${trouble}`)].join('; ') };
  }

  close(): Promise<void> {
    return this.#own.close();
  }
}

class MemberQueue {
  readonly #name: string;
  readonly engine: Engine;
  readonly #budget: number;
  readonly #inside = new Set<RequestId>();
  readonly #waiting = new UrgencyQueue<RequestId, GenerateRequest>();
  #post: (message: EngineMessage) => void = () => {};

  constructor(name: string, { engine, budget }: PanelMember) {
    this.#name = name;
    this.engine = engine;
    this.#budget = budget;
  }

  connect(post: (message: EngineMessage) => void): void {
    this.#post = post;
    this.engine.connect((message) => {
      if (isAnswer(message)) this.#inside.delete(message.request);
      post(named(this.#name, message));
      if (isAnswer(message)) this.#begin();
    });
  }

  take(requests: readonly GenerateRequest[]): void {
    for (const request of requests) this.#waiting.set(request.id, request, request);
    this.#begin();
    for (const { id } of this.#waiting.inOrder()) this.#post({ type: 'held', request: id });
  }

  cancel(ids: readonly RequestId[]): void {
    const [waiting, inside] = [ids.filter((id) => !this.#inside.has(id)), ids.filter((id) => this.#inside.has(id))];
    for (const request of waiting) {
      this.#waiting.delete(request);
      this.#post({ type: 'fault', request, fault: fault('cancelled', 'the request was cancelled') });
    }
    if (inside.length > 0) this.engine.cancel(inside);
  }

  update(id: RequestId, urgency: Urgency): void {
    if (this.#inside.has(id)) this.engine.update?.(id, urgency);
    const request = this.#waiting.get(id);
    if (request !== undefined) this.#waiting.set(id, { ...request, ...urgency }, urgency);
  }

  #begin(): void {
    const next: GenerateRequest[] = [];
    while (this.#inside.size < this.#budget && this.#waiting.size > 0) {
      const request = this.#waiting.pop()!;
      next.push(request);
      this.#inside.add(request.id);
    }
    if (next.length === 0) return;
    for (const { id } of next) this.#post({ type: 'taken', request: id });
    this.engine.generate(next);
  }
}

function named(model: string, message: EngineMessage): EngineMessage {
  if (message.type !== 'fault' || message.fault.code === 'cancelled') return message;
  return { ...message, fault: { ...message.fault, message: `model '${model}': ${message.fault.message}` } };
}
