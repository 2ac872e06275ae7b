// The sequences that run on a simulated GPU. A decode step adds one token to each, so the batch only counts steps and orders the
// sequences by the step at which they end.

import { assert, Heap } from '@coppice/core/base';
import type { Urgency } from '@coppice/core/engine';
import type { SimSequence } from './sim-sequence.ts';

/** Void once its sequence has stopped or started again. */
interface SequenceEnd {
  readonly at: number;
  readonly sequence: SimSequence;
}

export class SimBatch {
  readonly #ends = new Heap<SequenceEnd>(endsBefore);
  #size = 0;
  #speculative = 0;
  #steps = 0;
  #contextTokens = 0;

  get size(): number {
    return this.#size;
  }

  get speculative(): number {
    return this.#speculative;
  }

  /** Cached tokens that a decode step reads. */
  get contextTokens(): number {
    return this.#contextTokens;
  }

  join(sequence: SimSequence): void {
    sequence.state = 'running';
    sequence.since = this.#steps;
    this.#size += 1;
    this.#speculative += speculativeShare(sequence.urgency);
    this.#contextTokens += sequence.contextTokens;
    this.#ends.push({ at: endOf(sequence), sequence });
  }

  leave(sequence: SimSequence): void {
    const ran = this.#steps - sequence.since;
    sequence.done += ran;
    this.#size -= 1;
    this.#speculative -= speculativeShare(sequence.urgency);
    this.#contextTokens -= sequence.contextTokens + ran;
  }

  update(sequence: SimSequence, urgency: Urgency): void {
    this.#speculative += speculativeShare(urgency) - speculativeShare(sequence.urgency);
    sequence.urgency = urgency;
  }

  grow(steps: number): void {
    this.#steps += steps;
    this.#contextTokens += steps * this.#size;
  }

  /** The next complete sequence; the caller removes it from the batch. */
  takeComplete(): SimSequence | undefined {
    for (let next = this.#ends.peek(); next !== undefined && next.at <= this.#steps; next = this.#ends.peek()) {
      this.#ends.pop();
      if (isCurrent(next)) return next.sequence;
    }
    return undefined;
  }

  stepsToEnd(): number {
    for (let next = this.#ends.peek(); next !== undefined; next = this.#ends.peek()) {
      if (isCurrent(next)) return next.at - this.#steps;
      this.#ends.pop();
    }
    return assert(false, 'a running sequence has an end') as never;
  }
}

function endOf({ since, step, done }: SimSequence): number {
  return since + step.tokens - done;
}

function isCurrent({ at, sequence }: SequenceEnd): boolean {
  return sequence.state === 'running' && at === endOf(sequence);
}

function endsBefore(a: SequenceEnd, b: SequenceEnd): boolean {
  return a.at !== b.at ? a.at < b.at : a.sequence.order < b.sequence.order;
}

function speculativeShare({ lane }: Urgency): number {
  return lane === 'speculative' ? 1 : 0;
}
