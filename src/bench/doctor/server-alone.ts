// The step-time curve of a server asked without coppice: as many single requests at a time as there are sequences, whole
// answers, nothing asked for that slows a server down. What coppice gets of it is read off beside its own curve.

import type { Dialect, ServerFacts } from '../../engine/remote/dialect/dialect.ts';
import { dialects } from '../../engine/remote/dialect/dialects.ts';
import { render } from '../../engine/remote/dialect/render.ts';
import type { Connection } from '../../remote/connection.ts';
import { type Wave, type WaveSource, waveDelimiters, wavePrompt } from './step-time.ts';

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
