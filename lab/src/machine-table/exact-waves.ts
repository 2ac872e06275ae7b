// Waves of exact steps on an engine: a number of sequences at once, each below a prompt of its own, each with an exact number of
// tokens. Two lengths give the time per token and the time per request.

import { type Engine, FaultError } from 'coppice';
import { EngineProbe } from 'coppice/bench';
import { fillerPrompt } from '../rehearse/filler.ts';

type WaveRequest = ReturnType<Parameters<EngineProbe['keep']>[1]>;

interface WaveSize {
  readonly sequences: number;
  readonly promptTokens: number;
  readonly tokens: number;
  /** Prompts of another name are new to the server. */
  readonly name: string;
}

/** Time of a decode step, and the further time of a request. */
export interface DecodeReading {
  readonly sequences: number;
  readonly contextTokens: number;
  readonly stepMs: number;
  readonly requestMs: number;
}

/** Successive requests: answers per millisecond, and the time that each joining one adds. */
export interface JoinReading {
  readonly sequences: number;
  readonly perMs: number;
  readonly joinMs: number;
}

const shortTokens = 16;
const longTokens = 80;
const repetitions = 2;
/** About a step of a solution. */
const loopTokens = 48;
const loopSpread = 24;

/** A request waits for its own steps and for all that join meanwhile: each of the other successive ones joins once. */
export function joinMsOf({ sequences, stepMs, requestMs }: DecodeReading, wholeMs: number): number {
  return Math.max(0, (wholeMs - requestMs - loopTokens * stepMs) / sequences);
}

export class ExactWaves {
  readonly #engine: Engine;
  readonly #probe: EngineProbe;
  readonly #tokensPerWord: number;
  readonly #searches = new Set<string>();

  constructor(engine: Engine, tokensPerWord: number) {
    this.#engine = engine;
    this.#probe = new EngineProbe(engine);
    this.#tokensPerWord = tokensPerWord;
  }

  /** Milliseconds from the first request to the last answer. */
  async wave(size: WaveSize): Promise<number> {
    const requests = Array.from({ length: size.sequences }, (_, at) => this.#request(size, at));
    const { elapsedMs, fault } = await this.#probe.ask(requests);
    if (fault !== undefined) throw new FaultError(fault);
    return elapsedMs;
  }

  /** The fastest of a few waves of either length: what slows one down is other work. */
  async decode(sequences: number, promptTokens: number, name: string): Promise<DecodeReading> {
    const fastest = async (tokens: number): Promise<number> => {
      const size = { sequences, promptTokens, tokens, name };
      let best = Number.POSITIVE_INFINITY;
      for (let at = 0; at < repetitions; at += 1) best = Math.min(best, await this.wave(size));
      return best;
    };
    const [shortMs, longMs] = [await fastest(shortTokens), await fastest(longTokens)];
    const stepMs = Math.max(leastStepMs, (longMs - shortMs) / (longTokens - shortTokens));
    const contextTokens = promptTokens + Math.round((shortTokens + longTokens) / 2);
    return { sequences, contextTokens, stepMs, requestMs: Math.max(0, shortMs - shortTokens * stepMs) };
  }

  /** What each sequence that joins costs the others: from as many as `alone` had, each followed by another as soon as it ends. */
  async joins(alone: DecodeReading, promptTokens: number, ms: number): Promise<JoinReading> {
    const { sequences } = alone;
    let at = 0;
    const next = (): WaveRequest => {
      at += 1;
      // Of different lengths: equal ones would go on joining together.
      const tokens = loopTokens - loopSpread + ((at * 29) % (2 * loopSpread + 1));
      return this.#request({ promptTokens, tokens, name: 'decode', sequences }, at % sequences);
    };
    const perMs = await this.#probe.keep(sequences, next, ms);
    return { sequences, perMs, joinMs: joinMsOf(alone, sequences / perMs) };
  }

  release(): void {
    for (const search of this.#searches) this.#engine.release(search);
    this.#searches.clear();
  }

  /** As MCTS asks with its usual prior: log probabilities, whole answers, no seed. */
  #request({ promptTokens, tokens, name }: WaveSize, at: number): WaveRequest {
    const search = `${name} ${promptTokens} ${at}`;
    this.#searches.add(search);
    const prompt = fillerPrompt(search, Math.max(1, Math.round(promptTokens / this.#tokensPerWord)));
    return { search, prompt, maxTokens: tokens, exact: true, logprobs: true };
  }
}

/** A clock that cannot tell two waves apart must not give a step that takes no time. */
const leastStepMs = 0.001;
