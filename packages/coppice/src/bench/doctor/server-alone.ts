// Measures a server's own step-time curve without coppice, by single requests in parallel; says how much of that speed reaches a search,
// and which flags of the server would change it.

import { type Dialect, dialects, render, type ServerFacts } from '@coppice/core/engine';
import type { Connection } from '@coppice/core/remote';
import { type Finding, good, note, warning } from './findings.ts';
import { type CurvePoint, type Wave, type WaveSource, waveDelimiters, wavePrompt } from './step-time.ts';

export class ServerAlone implements WaveSource {
  readonly limit: number | undefined;
  readonly #connection: Connection;
  readonly #facts: ServerFacts;
  readonly #dialect: Dialect;
  #tokenIds: readonly number[] | undefined;

  /** Only servers that give whole answers can be asked plainly. */
  static suits({ dialect }: ServerFacts): boolean {
    return dialects[dialect].givesWhole;
  }

  constructor(connection: Connection, facts: ServerFacts) {
    this.#connection = connection;
    this.#facts = facts;
    this.#dialect = dialects[facts.dialect];
    this.limit = facts.sequenceLimit;
  }

  async wave(sequences: number, tokens: number): Promise<Wave> {
    const [connection, dialect, facts] = [this.#connection, this.#dialect, this.#facts];
    this.#tokenIds ??= await render(wavePrompt, { connection, dialect, facts });
    const startMs = performance.now();
    const written = await Promise.all(Array.from({ length: sequences }, (_, at) => this.#one(at, tokens)));
    const elapsedMs = performance.now() - startMs;
    return { tokens: written.reduce((sum, each) => sum + each, 0), elapsedMs, fault: undefined };
  }

  async #one(at: number, maxTokens: number): Promise<number> {
    const call = {
      name: `doctor-${String(at).padStart(6, '0')}-${performance.now().toFixed(3)}`,
      prompt: wavePrompt,
      tokenIds: this.#tokenIds,
      pathText: '',
      siblings: 1,
      sampling: { temperature: 1 },
      seed: undefined,
      logprobs: false,
      delivery: 'whole',
      stops: waveDelimiters,
      maxTokens,
      lane: 'primary',
      priority: 0,
    } as const;
    const { path, body } = this.#dialect.encode(call, this.#facts);
    const answer = await this.#connection.json('POST', path, body, { timeoutMs: 120_000 });
    return this.#dialect.decode(answer, call).reduce((sum, { tokenIds = [] }) => sum + tokenIds.length, 0);
  }
}

/** Least acceptable share of the server's own speed. */
const goodShare = 0.85;
/** vLLM's default `max_num_seqs` on most GPUs. */
const usualLimit = 256;

/** The share of the server's own speed at the largest number of sequences that both curves have. */
export function shareOf(curve: readonly CurvePoint[], alone: readonly CurvePoint[]): number | undefined {
  const pairs = curve.flatMap((point) => {
    const own = alone.find(({ sequences }) => sequences === point.sequences);
    return own === undefined ? [] : [point.tokensPerSecond / own.tokensPerSecond];
  });
  return pairs.at(-1);
}

export function throughputFindings(
  { dialect }: ServerFacts,
  knee: CurvePoint,
  share: number | undefined,
  lastTried: boolean,
): Finding[] {
  const told: Finding[] = [];
  if (share !== undefined) {
    const text = `${share.toFixed(2)} of the server's own speed reaches coppice`;
    told.push(share >= goodShare ? good(text) : warning(`${text}${remedy(dialect)}`));
  }
  if (dialect !== 'vllm') return told;
  if (lastTried && knee.sequences >= usualLimit) {
    told.push(note(`it still gains at ${knee.sequences} sequences: --max-num-seqs above that lets it run more`));
  }
  return [
    ...told,
    note('where clients watch tokens or a program reads log probabilities: --api-server-count 4 --stream-interval 8'),
    note('--async-scheduling, where this version does not schedule so by itself, hides the work between two steps'),
  ];
}

function remedy(dialect: ServerFacts['dialect']): string {
  return dialect === 'vllm' ? ': its front end may be one busy process, which --api-server-count 4 shares out' : '';
}
