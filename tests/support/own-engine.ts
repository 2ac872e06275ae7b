// coppice's engine on the user's server: requests are sent, cancelled and awaited one by one.

import { type EngineMessage, type GenerateRequest, isAnswer } from '../../packages/core/src/engine/engine.ts';
import type { DialectName } from '../../packages/core/src/engine/remote/dialect/dialect.ts';
import { readGauges } from '../../packages/core/src/engine/remote/dialect/gauges.ts';
import { openRemoteEngine } from '../../packages/core/src/engine/remote/open-engine.ts';
import type { RemoteEngine } from '../../packages/core/src/engine/remote/remote-engine.ts';
import type { Connection } from '../../packages/core/src/remote/connection.ts';
import { rootKey } from '../../packages/core/src/tree/keys.ts';

/** The last word of the prompt is new in every run, so no cache has it. */
const prompt = {
  kind: 'text',
  text: `${'Count the stars of every constellation. '.repeat(8)}${process.pid}-${Date.now()}`,
} as const;

/** Asks for exactly its number of tokens. */
export function requestOf(id: number, changes: Partial<GenerateRequest> = {}): GenerateRequest {
  return {
    id,
    search: 'own',
    prompt,
    parent: rootKey,
    path: [],
    index: id,
    sampling: { temperature: 1 },
    seed: id,
    delimiters: [],
    maxTokens: 32,
    lane: 'primary',
    priority: 0,
    needs: { logprobs: true, tokens: false, seed: false },
    ...changes,
  };
}

type Grown = Extract<EngineMessage, { type: 'step' }>;

export class OwnEngine {
  readonly #engine: RemoteEngine;
  readonly #inbox: EngineMessage[] = [];
  #heard: () => void = () => {};

  private constructor(engine: RemoteEngine) {
    this.#engine = engine;
    engine.connect((message) => {
      if (!isAnswer(message)) return;
      this.#inbox.push(message);
      this.#heard();
    });
  }

  static async open(url: string, inFlight?: number): Promise<OwnEngine> {
    return new OwnEngine(
      await openRemoteEngine({ servers: [{ url }], ...(inFlight === undefined ? {} : { inFlight }) }),
    );
  }

  send(requests: readonly GenerateRequest[]): void {
    this.#engine.generate(requests);
  }

  cancel(requests: readonly GenerateRequest[]): void {
    this.#engine.cancel(requests.map(({ id }) => id));
  }

  /** Ids in the order of the answers, once all have come. */
  async orderOf(requests: readonly GenerateRequest[]): Promise<number[]> {
    const ids = new Set(requests.map(({ id }) => id));
    const answered = (): number[] => this.#inbox.map(({ request }) => request).filter((id) => ids.has(id));
    while (answered().length < ids.size) {
      await new Promise<void>((resolve) => {
        this.#heard = resolve;
      });
    }
    return answered();
  }

  async answers(requests: readonly GenerateRequest[]): Promise<Grown[]> {
    this.send(requests);
    const order = new Set(await this.orderOf(requests));
    return this.#inbox
      .filter(({ request }) => order.has(request))
      .map((message) => {
        if (message.type !== 'step') throw new Error(`it answered ${JSON.stringify(message)}`);
        return message;
      });
  }

  close(): Promise<void> {
    return this.#engine.close();
  }
}

/** Sequences that the server reports as running now. */
export async function runningOn(connection: Connection, dialect: DialectName): Promise<number> {
  if (dialect === 'sglang') {
    // SGLang writes its gauges every 40 decode steps, but not when it becomes idle.
    const page = await connection.json('GET', '/v1/loads?include=core');
    const { loads } = page as { loads: { num_running_reqs: number; num_waiting_reqs: number }[] };
    return loads.reduce((sum, each) => sum + each.num_running_reqs, 0);
  }
  const { body } = await connection.call('GET', '/metrics');
  return readGauges(dialect, body).running ?? 0;
}
