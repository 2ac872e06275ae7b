// Measures the step-time curve of an engine and finds its knee: 1, 2, 4, … sequences at a time until the time is up or the engine's limit
// is reached. Asks for whole steps in expansions, as a search does.

import type { Engine } from '@coppice/core/engine';
import type { Prompt } from '@coppice/core/tree';
import { EngineProbe } from '../engine-probe.ts';

export interface CurvePoint {
  readonly sequences: number;
  /** Mean time between two tokens of one sequence. */
  readonly stepMs: number;
  readonly tokensPerSecond: number;
}

interface CurveOptions {
  readonly seconds: number;
  readonly maxSequences: number;
  readonly tokens: number;
}

export const curveDefaults: CurveOptions = { seconds: 15, maxSequences: 256, tokens: 48 };

interface Wave {
  readonly tokens: number;
  readonly elapsedMs: number;
  readonly fault: string | undefined;
}

const wavePrompt: Prompt = {
  kind: 'chat',
  messages: [{ role: 'user', content: 'Count upwards from 1, one number per line.' }],
};
/** A string that no model writes: every sequence runs to the token limit unless the model ends it. */
const waveDelimiters: readonly string[] = ['\u0001\u0002'];

export async function measureCurve(source: EngineWaves, options: Partial<CurveOptions> = {}): Promise<CurvePoint[]> {
  const { seconds, maxSequences, ...asked } = { ...curveDefaults, ...options };
  const endMs = performance.now() + seconds * 1000;
  const limit = Math.min(maxSequences, source.limit ?? maxSequences);
  const first = await source.wave(1, asked.tokens);
  const tokens = affordable(asked.tokens, first.elapsedMs, (seconds * 1000) / levels);
  const points: CurvePoint[] = [];
  for (let sequences = 1; ; sequences = Math.min(limit, sequences * 2)) {
    const level = await bestWave(source, sequences, tokens, (seconds * 1000) / levels);
    if (level === undefined) break;
    const { elapsedMs, tokens: written } = level;
    const tokensPerSecond = (written / elapsedMs) * 1000;
    points.push({ sequences, stepMs: (sequences * 1000) / tokensPerSecond, tokensPerSecond });
    // The next wave takes about as long for each token, and at most twice as long in all.
    if (sequences === limit || performance.now() + 2 * elapsedMs > endMs) break;
  }
  return points;
}

/** A slow server writes shorter steps, so that the time holds more than one point. */
function affordable(tokens: number, elapsedMs: number, levelMs: number): number {
  return Math.min(tokens, Math.max(leastTokens, Math.floor((tokens * levelMs) / Math.max(1, elapsedMs))));
}

const leastTokens = 8;
/** Levels that share the time: 1, 2, 4, … 256 are nine. */
const levels = 10;
const mostWaves = 5;

/** The fastest of a few waves: only other work on the machine makes one slower. Undefined after a fault. */
async function bestWave(
  source: EngineWaves,
  sequences: number,
  tokens: number,
  budgetMs: number,
): Promise<Wave | undefined> {
  let best: Wave | undefined;
  const endMs = performance.now() + budgetMs;
  for (let at = 0; at < mostWaves && (best === undefined || performance.now() < endMs); at += 1) {
    const wave = await source.wave(sequences, tokens);
    if (wave.fault !== undefined) return undefined;
    if (best === undefined || wave.tokens / wave.elapsedMs > best.tokens / best.elapsedMs) best = wave;
  }
  return best;
}

const siblings = 4;

export class EngineWaves {
  readonly limit: number | undefined;
  readonly #engine: Engine;
  readonly #probe: EngineProbe;

  constructor(engine: Engine) {
    this.#engine = engine;
    this.#probe = new EngineProbe(engine, siblings);
    this.limit = engine.load().sequenceLimit;
  }

  async wave(sequences: number, maxTokens: number): Promise<Wave> {
    const request = { search: 'doctor', prompt: wavePrompt, delimiters: waveDelimiters, maxTokens };
    const { steps, fault, elapsedMs } = await this.#probe.ask(new Array(sequences).fill(request));
    this.#engine.release('doctor');
    return { tokens: steps.reduce((sum, { step }) => sum + step.tokens, 0), elapsedMs, fault: fault?.message };
  }
}

/** Share of the highest throughput at the knee: more sequences slow each other down and give little more. */
const kneeShare = 0.8;

/**
 * The fewest sequences that give most of the highest throughput. Measured from the top: on a slowly rising curve no single doubling
 * seems to pay.
 */
export function kneeOf(points: readonly CurvePoint[]): CurvePoint | undefined {
  const highest = Math.max(...points.map((each) => each.tokensPerSecond));
  return points.find(({ tokensPerSecond }) => tokensPerSecond >= kneeShare * highest);
}

/** Strands that fill the engine to its knee: each expansion has `branching` sequences. */
export function budgetFor(knee: CurvePoint, branching: number): number {
  return Math.max(1, Math.round(knee.sequences / branching));
}
