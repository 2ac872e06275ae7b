// Asks a server for whole answers without coppice, by single plain requests, as many in flight as is said.

import { type Dialect, dialects, render, type ServerFacts } from '@coppice/core/engine';
import type { Connection } from '@coppice/core/remote';
import type { Prompt } from '@coppice/core/tree';

interface PlainLoad {
  readonly prompts: readonly Prompt[];
  readonly inFlight: number;
  readonly maxTokens: number;
  /** Ends it: what is in flight is given up. */
  readonly signal: AbortSignal;
  onAnswer(tokens: number): void;
}

export class ServerAlone {
  readonly #connection: Connection;
  readonly #facts: ServerFacts;
  readonly #dialect: Dialect;

  /** Only servers that give whole answers can be asked plainly. */
  static suits({ dialect }: ServerFacts): boolean {
    return dialects[dialect].givesWhole;
  }

  constructor(connection: Connection, facts: ServerFacts) {
    this.#connection = connection;
    this.#facts = facts;
    this.#dialect = dialects[facts.dialect];
  }

  async keep({ prompts, inFlight, maxTokens, signal, onAnswer }: PlainLoad): Promise<void> {
    const place = { connection: this.#connection, dialect: this.#dialect, facts: this.#facts };
    const asks = await Promise.all(
      prompts.map(async (prompt) => ({ prompt, tokenIds: await render(prompt, place), maxTokens })),
    );
    let asked = 0;
    const strand = async (): Promise<void> => {
      while (!signal.aborted) {
        asked += 1;
        onAnswer(await this.#one(asked, asks[asked % asks.length]!, signal));
      }
    };
    const ended = await Promise.allSettled(Array.from({ length: inFlight }, strand));
    const failed = ended.find((each) => each.status === 'rejected');
    if (!signal.aborted && failed !== undefined) throw failed.reason;
  }

  async #one(
    at: number,
    ask: { readonly prompt: Prompt; readonly tokenIds: readonly number[]; readonly maxTokens: number },
    signal: AbortSignal,
  ): Promise<number> {
    const call = {
      name: `doctor-${String(at).padStart(6, '0')}-${performance.now().toFixed(3)}`,
      ...ask,
      pathText: '',
      siblings: 1,
      sampling: { temperature: 1 },
      seed: undefined,
      logprobs: false,
      delivery: 'whole',
      stops: [],
      lane: 'primary',
      priority: 0,
    } as const;
    const { path, body } = this.#dialect.encode(call, this.#facts);
    const answer = await this.#connection.json('POST', path, body, { timeoutMs: 120_000, signal });
    return this.#dialect.decode(answer, call).reduce((sum, { tokenIds: ids = [] }) => sum + ids.length, 0);
  }
}
