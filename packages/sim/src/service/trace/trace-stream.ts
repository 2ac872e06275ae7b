// A stream of requests out of a trace: the trace itself, in order, or one resampled from it in blocks of neighbours (a block
// bootstrap with replacement), so that bursts stay bursts. Another seed is another hour of the same kind. At a rate, all gaps are scaled alike: the
// trace's mean rate becomes the rate asked for, its peaks go along. Pure: same trace and seed, same stream.

import { Random, raise } from '@coppice/core/base';
import type { TracedRequest } from './formats.ts';
import { perSecondOf, type RequestTrace } from './request-trace.ts';

/** Plain data, as a trial and a rehearsal name it. */
export interface TraceUse {
  readonly file: string;
  /** Prompt and four answers have to fit into so many tokens; those that do not are left out. Unless given, all fit. */
  readonly roomTokens?: number;
  /** Unless given, the trace as it came. */
  readonly resampled?: Resampling;
}

export interface Resampling {
  readonly seed: number;
  readonly blockRequests: number;
}

/** One request of a stream. */
interface Streamed {
  readonly request: TracedRequest;
  /** Since the one before it, in the trace's own time. */
  readonly gapMs: number;
  /** Prompts of a block that comes again share nothing with its first time: 0, then 1, 2. */
  readonly again: number;
}

export class TraceStream {
  readonly trace: RequestTrace;
  readonly #resampled: Resampling | undefined;
  /** Which block comes at each place, and how often it has come before. */
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
   * When each of the first so many comes, at a mean rate: of these, where the trace is replayed as it came, for it may begin slowly; of the whole
   * trace where it is resampled, for some streams are heavier than others.
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

  /** Before the first request of a trace lies a mean gap. */
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
