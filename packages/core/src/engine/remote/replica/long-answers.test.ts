// The limit in flight in front of servers that write whole answers of many seconds, in virtual time: one decode step after the other,
// with a front end that takes requests one by one, a prefill, a KV cache that throws sequences out, and more strands than fit.

import { describe, expect, it } from 'vitest';
import { Random } from '../../../base/random.ts';
import { InFlightLimit } from './in-flight-limit.ts';

interface ServerShape {
  readonly strands: number;
  /** Sequences that it runs at a time. */
  readonly places: number;
  readonly kvTokens?: number;
  readonly promptTokens?: number;
  /** Time of its front end for one request. */
  readonly frontMs?: number;
  /** What it shows of its load: a metrics page, tokens as they are written, or whole answers alone. */
  readonly sign: 'gauges' | 'streams' | 'answers';
  readonly seconds?: number;
  readonly seed?: number;
}

interface Sequence {
  readonly beganMs: number;
  readonly seenMs: number;
  readonly length: number;
  prefilled: number;
  written: number;
}

/** A small model on a large GPU: 10 ms a step for 256 sequences, 25 ms for 768. */
const stepMs = (running: number): number => 3.5 + 0.0265 * running;
const stepTokens = 8192;

class ModelServer {
  readonly limit = new InFlightLimit(undefined);
  readonly #shape: ServerShape;
  readonly #random: Random;
  readonly #waiting: Sequence[] = [];
  readonly #running: Sequence[] = [];
  #preemptions = 0;
  #frontFreeMs = 0;
  #nowMs = 0;
  #readMs = 0;
  /** Tokens written by the end of each second, and the limit then. */
  readonly seconds: { tokens: number; room: number; running: number }[] = [];
  #tokens = 0;

  constructor(shape: ServerShape) {
    this.#shape = shape;
    this.#random = new Random(shape.seed ?? 1, 'long-answers');
    for (this.#send(); this.#nowMs < (shape.seconds ?? 60) * 1000; ) this.#step();
  }

  /** Tokens a second from then on. */
  rate(fromSecond: number): number {
    const [first, last] = [this.seconds[fromSecond]!, this.seconds.at(-1)!];
    return (last.tokens - first.tokens) / (this.seconds.length - 1 - fromSecond);
  }

  reached(running: number): number {
    return this.seconds.findIndex((each) => each.running >= running);
  }

  get #inFlight(): number {
    return this.#waiting.length + this.#running.length;
  }

  get #kvUse(): number {
    const held = this.#running.reduce((sum, each) => sum + each.prefilled + each.written, 0);
    return held / (this.#shape.kvTokens ?? Number.POSITIVE_INFINITY);
  }

  #send(): void {
    while (this.#inFlight < Math.min(this.#shape.strands, this.limit.room)) {
      this.#frontFreeMs = Math.max(this.#nowMs, this.#frontFreeMs) + (this.#shape.frontMs ?? 0);
      const length = Math.min(1500, Math.ceil(250 * Math.exp(0.7 * this.#normal())));
      const seenMs = this.#frontFreeMs;
      this.#waiting.push({ beganMs: this.#nowMs, seenMs, length, prefilled: 0, written: 0 });
    }
  }

  #normal(): number {
    const [a, b] = [this.#random.uniform(), this.#random.uniform()];
    return Math.sqrt(-2 * Math.log(1 - a)) * Math.cos(2 * Math.PI * b);
  }

  #step(): void {
    const { places, promptTokens = 150 } = this.#shape;
    let room = stepTokens - this.#running.length;
    while (this.#running.length < places && room >= promptTokens && this.#kvUse < 0.98) {
      const at = this.#waiting.findIndex(({ seenMs }) => seenMs <= this.#nowMs);
      if (at < 0) break;
      const [next] = this.#waiting.splice(at, 1);
      next!.prefilled = promptTokens;
      room -= promptTokens;
      this.#running.push(next!);
    }
    const read = stepTokens - this.#running.length - room;
    this.#pass(this.#running.length === 0 ? 5 : stepMs(this.#running.length) + read / 100);
    for (const each of this.#running) {
      each.written += 1;
      if (each.written === 1 && this.#shape.sign === 'streams')
        this.limit.firstToken(this.#nowMs - each.beganMs, this.#inFlight, this.#nowMs);
    }
    this.#tokens += this.#running.length;
    while (this.#kvUse > 1) {
      this.#preemptions += 1;
      this.#tokens -= this.#running.at(-1)!.written;
      this.#waiting.unshift({ ...this.#running.pop()!, prefilled: 0, written: 0 });
    }
    for (let at = this.#running.length - 1; at >= 0; at -= 1)
      if (this.#ends(this.#running[at]!)) this.#running.splice(at, 1);
    this.#read();
    this.#send();
  }

  #pass(ms: number): void {
    this.#nowMs += ms;
    while (this.seconds.length * 1000 <= this.#nowMs)
      this.seconds.push({ tokens: this.#tokens, room: this.limit.room, running: this.#running.length });
  }

  #ends({ beganMs, length, written }: Sequence): boolean {
    if (written < length) return false;
    this.limit.answered(beganMs, length, this.#shape.strands, this.#nowMs);
    return true;
  }

  get #queued(): number {
    return this.#shape.strands - this.#inFlight;
  }

  #read(): void {
    if (this.#shape.sign !== 'gauges' || this.#nowMs < this.#readMs) return;
    const seen = this.#waiting.filter(({ seenMs }) => seenMs <= this.#nowMs).length;
    const reading = {
      running: this.#running.length,
      waiting: seen,
      preemptions: this.#preemptions,
      kvUse: this.#kvUse,
    };
    this.limit.read(reading, this.#inFlight, this.#queued, this.#nowMs);
    this.#readMs = this.#nowMs + this.limit.readMs;
  }
}

const shapes = {
  'with room for all': { places: 1024, sign: 'gauges' },
  'with a front end of 4 ms a request': { places: 1024, sign: 'gauges', frontMs: 4 },
  'with 256 places': { places: 256, sign: 'gauges' },
  'that reads long prompts': { places: 1024, sign: 'gauges', promptTokens: 1500 },
  'with a small KV cache': { places: 1024, sign: 'gauges', kvTokens: 120_000 },
  'without gauges': { places: 1024, sign: 'answers' },
  'without gauges, with 64 places': { places: 64, sign: 'answers' },
  'without gauges, with streams': { places: 1024, sign: 'streams' },
  'without gauges, with streams and long prompts': { places: 1024, sign: 'streams', promptTokens: 1500 },
} as const satisfies Record<string, Omit<ServerShape, 'strands'>>;

describe('answers of many seconds', () => {
  it.each(Object.entries(shapes))('at a server %s: 768 strands are not slower than 256', (_, shape) => {
    const [few, many] = [256, 768].map((strands) => new ModelServer({ ...shape, strands }).rate(20));
    expect(many! / few!).toBeGreaterThan(0.98);
  });

  it('run at the server within a few readings of its gauges', () => {
    expect(new ModelServer({ ...shapes['with room for all'], strands: 256, seconds: 5 }).reached(250)).toBe(1);
    expect(new ModelServer({ ...shapes['with room for all'], strands: 768, seconds: 5 }).reached(750)).toBe(2);
    const behind = new ModelServer({ ...shapes['with a front end of 4 ms a request'], strands: 768, seconds: 9 });
    expect(behind.reached(750)).toBeLessThan(5);
  });

  it('cut the limit once to what runs, and not again while those beyond it drain', () => {
    const { seconds } = new ModelServer({ ...shapes['with 256 places'], strands: 768 });
    expect(Math.min(...seconds.slice(2).map(({ running }) => running))).toBeGreaterThan(240);
    expect(Math.max(...seconds.slice(2).map(({ room }) => room))).toBeLessThan(320);
  });

  it('do not hold the limit at what runs before the prompts are read', () => {
    const { seconds } = new ModelServer({ ...shapes['that reads long prompts'], strands: 768, seconds: 20 });
    expect(seconds.at(-1)!.running).toBeGreaterThan(700);
  });

  it('fill a server without gauges in seconds, and find one that runs few', () => {
    for (const sign of ['answers', 'streams'] as const) {
      expect(new ModelServer({ strands: 768, places: 1024, sign }).reached(250)).toBeLessThan(10);
      const few = new ModelServer({ strands: 768, places: 64, sign });
      expect(few.reached(64)).toBeLessThan(4);
      expect(few.seconds.filter(({ room }) => room > 64).length).toBeLessThan(15);
    }
  });
});
