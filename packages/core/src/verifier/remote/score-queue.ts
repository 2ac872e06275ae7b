// Steps that wait to be scored, each once: requests for the same step below the same parent are one piece of work. Primary first, then by
// priority, then by arrival. Decides what goes into one call; sends nothing.

import type { Urgency } from '../../engine/engine.ts';
import { UrgencyQueue } from '../../engine/urgency-queue.ts';
import { nodeKey } from '../../tree/keys.ts';
import type { ScoreRequest } from '../verifier.ts';

export interface ScoreEntry {
  readonly request: ScoreRequest;
  /** Where it waits. */
  queue: ScoreQueue;
  urgency: Urgency;
  readonly sinceMs: number;
  answered: boolean;
}

export interface ScoringCall {
  readonly abort: AbortController;
  readonly works: readonly Work[];
}

export interface Work {
  readonly key: string;
  readonly parent: string;
  readonly request: ScoreRequest;
  readonly entries: Set<ScoreEntry>;
  readonly queue: ScoreQueue;
  readonly sinceMs: number;
  readonly order: number;
  attempts: number;
  waits: boolean;
  /** Shares no call: one that it shared was refused, perhaps for another's sake. */
  alone: boolean;
  call: ScoringCall | undefined;
}

export interface BatchLimits {
  readonly mixes: boolean;
  /** A step takes one of those that wait below it along. */
  readonly joins: boolean;
  readonly paths: number;
  readonly tokens: number;
}

export class ScoreQueue {
  readonly #waiting = new UrgencyQueue<ScoreEntry, Work>();
  readonly #works = new Map<string, Work>();
  readonly #siblings = new Map<string, Set<Work>>();
  #order = 0;

  add(entry: ScoreEntry, before?: Pick<Work, 'attempts' | 'alone' | 'order'>): void {
    const { request, sinceMs } = entry;
    const parent = `${request.search}\n${request.parent}`;
    const key = `${parent}\n${request.step.text}`;
    const known = this.#works.get(key);
    if (known !== undefined) {
      known.entries.add(entry);
      if (known.waits) this.#line(known, entry);
      return;
    }
    this.#order += 1;
    const { attempts, alone, order } = before ?? { attempts: 0, alone: false, order: this.#order };
    const common = { sinceMs, order, attempts, waits: true, alone, call: undefined };
    const work: Work = { key, parent, request, entries: new Set([entry]), queue: this, ...common };
    this.#works.set(key, work);
    this.#siblings.set(parent, (this.#siblings.get(parent) ?? new Set()).add(work));
    this.#line(work, entry);
  }

  /** Work that a server failed waits again: here, wherever it waited before. */
  adopt(work: Work): void {
    work.queue.finish(work);
    for (const entry of work.entries) {
      entry.queue = this;
      this.add(entry, work);
    }
  }

  update(entry: ScoreEntry): void {
    const work = this.workOf(entry);
    if (work?.waits) this.#line(work, entry);
  }

  #line(work: Work, entry: ScoreEntry): void {
    this.#waiting.set(entry, work, entry.urgency, work.order);
  }

  finish(work: Work): void {
    if (work.waits) this.#leave(work);
    if (this.#works.get(work.key) === work) this.#works.delete(work.key);
  }

  forget(entry: ScoreEntry): Work | undefined {
    const work = this.workOf(entry);
    this.#waiting.delete(entry);
    if (work === undefined || !work.entries.delete(entry) || work.entries.size > 0) return undefined;
    this.finish(work);
    return work;
  }

  workOf(entry: ScoreEntry): Work | undefined {
    const { search, parent, step } = entry.request;
    return this.#works.get(`${search}\n${parent}\n${step.text}`);
  }

  get isEmpty(): boolean {
    return this.#waiting.size === 0;
  }

  take(limits: BatchLimits, sizeOf: (request: ScoreRequest) => number): Work[][] {
    const first = this.#waiting.peek();
    if (first === undefined) return [];
    const batch: Work[][] = [];
    let tokens = 0;
    for (let next: Work | undefined = first; next !== undefined; next = this.#next(first, limits.mixes)) {
      const path = limits.joins && !next.alone ? this.#pathFrom(next) : [next];
      tokens += sizeOf(path.at(-1)!.request);
      const isFull = tokens > limits.tokens || batch.length >= limits.paths;
      if (batch.length > 0 && (isFull || first.alone || next.alone)) break;
      for (const work of path) this.#leave(work);
      batch.push(path);
    }
    return batch;
  }

  #pathFrom(first: Work): Work[] {
    const path: Work[] = [];
    for (let next: Work | undefined = first; next !== undefined; next = this.#below(next)) path.push(next);
    return path;
  }

  #below({ request: { search, parent, step } }: Work): Work | undefined {
    const [below] = this.#siblings.get(`${search}\n${nodeKey(parent, step)}`) ?? [];
    return below?.alone ? undefined : below;
  }

  #next(first: Work, mixes: boolean): Work | undefined {
    return mixes ? this.#waiting.peek() : this.#siblings.get(first.parent)?.values().next().value;
  }

  #leave(work: Work): void {
    work.waits = false;
    for (const entry of work.entries) this.#waiting.delete(entry);
    const siblings = this.#siblings.get(work.parent)!;
    siblings.delete(work);
    if (siblings.size === 0) this.#siblings.delete(work.parent);
  }
}
