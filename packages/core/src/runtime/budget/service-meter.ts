// The time that engine and verifier take for one child, over how many they had meanwhile, for the scheduler. Measured from request to
// answer, the server's queue included.

import type { ServerCost, Servers } from '../../cost/closed-loop.ts';
import { type CostLine, LiveFit } from '../../cost/live-fit.ts';

export type ServerKind = 'engine' | 'verifier';

interface TimedPiece {
  readonly startMs: number;
  readonly among: number;
}

const newest = 1 / 64;
/** Observations of the steady line: under even load the latest few hundred show no slope. */
const steadyMemory = 4096;
const memoryMs = 30_000;
/** Tokens of both servers from which on their times are compared, and which a slow one remembers; the most that one may be dearer than the other. */
const enoughTokens = 2000;
const dearest = 20;
/** Tokens from which on the engine's speed is known: those of a first wave. */
const fewTokens = 100;

export class ServiceMeter {
  readonly #engine = new Server();
  readonly #verifier = new Server();
  /** Times are fitted per token, so that long steps do not look like a slow server. */
  #stepTokens: number | undefined;
  #perStrand: number | undefined;
  /** Integrals over time of children on their way and of open strands; old times fade. */
  readonly #spent = { childMs: 0, strandMs: 0, untilMs: 0, strands: 0 };

  /** Time in which each server had something to do, and the tokens that it wrote or read in it; old ones fade. */
  readonly #busy = { engine: { ms: 0, tokens: 0 }, verifier: { ms: 0, tokens: 0 } };

  /** Time that one stream takes for a token, the latest; 0 before it is known. */
  streamMs = 0;

  /** Answers of the engine whose consequences were sent, and the time from their arrival to that. */
  readonly ours = { answers: 0, ms: 0 };
  #arrivedMs: number[] = [];

  arrived(nowMs: number): void {
    this.#arrivedMs.push(nowMs);
  }

  dispatched(nowMs: number): void {
    this.ours.answers += this.#arrivedMs.length;
    for (const arrivedMs of this.#arrivedMs.splice(0)) this.ours.ms += nowMs - arrivedMs;
  }

  started(kind: ServerKind, id: number, nowMs: number): void {
    this.#pass(nowMs);
    this.#of(kind).add(id, nowMs);
  }

  ended(kind: ServerKind, id: number, nowMs: number, tokens: number | undefined): void {
    this.#pass(nowMs);
    const units = kind === 'engine' && tokens !== undefined ? Math.max(1, tokens) : 1;
    const tookMs = this.#of(kind).take(id, tokens === undefined ? undefined : nowMs, units);
    if (kind !== 'engine' || tokens === undefined) return;
    this.#stepTokens = smoothed(this.#stepTokens, units);
    this.streamMs = smoothed(this.streamMs || undefined, tookMs ?? 0);
    this.#busy.engine.tokens += tokens;
  }

  /** Tokens of the paths that the verifier has read, those in its cache too: what it found there makes it cheaper. */
  read(tokens: number): void {
    this.#busy.verifier.tokens += tokens;
  }

  /** Time of the engine that a written token takes, over all that it writes meanwhile; 0 before that is known. */
  get tokenMs(): number {
    const { ms, tokens } = this.#busy.engine;
    return tokens < fewTokens ? 0 : ms / tokens;
  }

  /** Time that a token takes that the verifier reads, in that of one that the engine writes; undefined before both have done enough. */
  get readingCost(): number | undefined {
    const { engine, verifier } = this.#busy;
    if (engine.tokens < enoughTokens || verifier.tokens < enoughTokens) return undefined;
    const cost = verifier.ms / verifier.tokens / (engine.ms / engine.tokens);
    return Number(Math.min(dearest, Math.max(1 / dearest, cost)).toPrecision(2));
  }

  servers(openStrands: number): Servers | undefined {
    const onTheWay = this.#engine.size + this.#verifier.size;
    this.#spent.strands = openStrands;
    if (openStrands > 0) this.#perStrand = smoothed(this.#perStrand, onTheWay / openStrands);
    const engine = this.#engine.cost(this.#stepTokens ?? 1);
    if (engine === undefined || this.#perStrand === undefined) return undefined;
    const verifier = this.#verifier.cost(1);
    const { childMs, strandMs } = this.#spent;
    const perStrand = this.#perStrand;
    const overTime = strandMs === 0 ? perStrand : childMs / strandMs;
    return { engine, verifier, perStrand, overTime };
  }

  #pass(nowMs: number): void {
    const spent = this.#spent;
    const forMs = nowMs - spent.untilMs;
    if (forMs <= 0) return;
    const kept = Math.exp(-forMs / memoryMs);
    spent.childMs = kept * spent.childMs + (this.#engine.size + this.#verifier.size) * forMs;
    spent.strandMs = kept * spent.strandMs + spent.strands * forMs;
    spent.untilMs = nowMs;
    for (const kind of ['engine', 'verifier'] as const) {
      const busy = this.#busy[kind];
      const fading = busy.tokens > 2 * enoughTokens ? kept : 1;
      busy.ms = fading * busy.ms + (this.#of(kind).size > 0 ? forMs : 0);
      busy.tokens *= fading;
    }
  }

  #of(kind: ServerKind): Server {
    return kind === 'engine' ? this.#engine : this.#verifier;
  }
}

class Server {
  readonly #pieces = new Map<number, TimedPiece>();
  readonly #latest = new LiveFit();
  readonly #steady = new LiveFit(steadyMemory);

  get size(): number {
    return this.#pieces.size;
  }

  cost(units: number): ServerCost | undefined {
    const [line, steady] = [this.#latest.line, this.#steady.line];
    if (line === undefined || steady === undefined) return undefined;
    return { line: times(line, units), steady: times(steady, units) };
  }

  add(id: number, startMs: number): void {
    this.#pieces.set(id, { startMs, among: this.#pieces.size + 1 });
  }

  /** Time of one unit of a piece that ended. */
  take(id: number, endMs: number | undefined, units: number): number | undefined {
    const piece = this.#pieces.get(id);
    if (piece === undefined) return undefined;
    const among = (piece.among + this.#pieces.size) / 2;
    this.#pieces.delete(id);
    if (endMs === undefined) return undefined;
    const tookMs = (endMs - piece.startMs) / units;
    for (const fit of [this.#latest, this.#steady]) fit.observe(among, tookMs);
    return tookMs;
  }
}

function times({ baseMs, slopeMs }: CostLine, units: number): CostLine {
  return { baseMs: baseMs * units, slopeMs: slopeMs * units };
}

function smoothed(before: number | undefined, value: number): number {
  return before === undefined ? value : before + newest * (value - before);
}
