// A stream of requests from a trace: unchanged, or resampled in blocks of neighbours (a block bootstrap with replacement), so
// that bursts stay bursts. A rate scales all gaps equally. Pure: same trace and seed, same stream.

import { Random, raise } from '@coppice/core/base';
import type { TracedRequest } from './formats.ts';
import { perSecondOf, type RequestTrace } from './request-trace.ts';

export interface TraceUse {
  readonly file: string;
  /** Requests are left out whose prompt and four answers exceed it. Unless given, all fit. */
  readonly roomTokens?: number;
  /** Unless given, the trace as it came. */
  readonly resampled?: Resampling;
}

export interface Resampling {
  readonly seed: number;
  readonly blockRequests: number;
}

interface Streamed {
  readonly request: TracedRequest;
  /** Time since the request before it, in the trace. */
  readonly gapMs: number;
  /** Earlier occurrences of the block: prompts of a repeated block share nothing with its first time. */
  readonly again: number;
}

export class TraceStream {
  readonly trace: RequestTrace;
  readonly #resampled: Resampling | undefined;
  readonly #drawn: { readonly block: number; readonly again: number }[] = [];

  constructor(trace: RequestTrace, resampled?: Resampling) {
    this.trace = trace;
    this.#resampled = resampled && {
      ...resampled,
      blockRequests: Math.min(resampled.blockRequests, trace.requests.length),
    };
  }

  at(place: number): Streamed {
    const { requests, file } = this.trace;
    if (this.#resampled === undefined) {
      if (place >= requests.length)
        raise(
          'bad-setting',
          `--trace ${file} has ${requests.length} requests that fit, and more are asked for (--requests)`,
        );
      return { request: requests[place]!, gapMs: place === 0 ? 0 : this.#gapMs(place), again: 0 };
    }
    const { blockRequests } = this.#resampled;
    const { block, again } = this.#block(Math.floor(place / blockRequests));
    const index = block * blockRequests + (place % blockRequests);
    return { request: requests[index]!, gapMs: this.#gapMs(index), again };
  }

  /**
   * Times of the first `count` requests. A replayed trace is scaled by the mean rate of these, for it may begin slowly; a resampled one by
   * that of the whole trace, for some streams are heavier than others.
   */
  arrivalsMs(count: number, perSecond: number): number[] {
    const came =
      this.#resampled === undefined ? perSecondOf(this.trace.requests.slice(0, count)) : this.trace.perSecond;
    const scale = Number.isFinite(came) ? came / perSecond : 1;
    let atMs = 0;
    return Array.from({ length: count }, (_, place) => {
      atMs += scale * this.at(place).gapMs;
      return atMs;
    });
  }

  /** The first request of a trace has the mean gap. */
  #gapMs(index: number): number {
    const { requests, perSecond } = this.trace;
    return index === 0 ? 1000 / perSecond : requests[index]!.atMs - requests[index - 1]!.atMs;
  }

  #block(number: number) {
    const { seed, blockRequests } = this.#resampled!;
    const blocks = Math.floor(this.trace.requests.length / blockRequests);
    while (this.#drawn.length <= number) {
      const block = new Random('block', seed, this.#drawn.length).integer(blocks);
      this.#drawn.push({ block, again: this.#drawn.filter((each) => each.block === block).length });
    }
    return this.#drawn[number]!;
  }
}
