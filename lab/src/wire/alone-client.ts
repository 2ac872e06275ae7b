// A real server asked without coppice: as many loops as fill so many sequences, each asking anew when its answer has come.

import * as http from 'node:http';
import { type Call, type Dialect, dialects, type ServerFacts } from '@coppice/core/engine';
import { branching, measure, type WireRound } from './search-round.ts';

/** Plainly: single whole answers. Otherwise with the fields that coppice sends for the siblings of an expansion. */
export type AskedAlone = 'plain' | 'least' | 'logprobs';

export interface AloneRound {
  readonly sequences: number;
  readonly asked: AskedAlone;
  readonly stepTokens: number;
  readonly warmMs: number;
  readonly roundMs: number;
}

export class AloneClient {
  readonly #url: string;
  readonly #facts: ServerFacts;
  readonly #dialect: Dialect;

  constructor(url: string, facts: ServerFacts) {
    this.#url = url;
    this.#facts = facts;
    this.#dialect = dialects[facts.dialect];
  }

  /** Counts every answer as whole; the server's own count is better where it has one. */
  async round(options: AloneRound): Promise<WireRound> {
    const agent = new http.Agent({ keepAlive: true });
    // SGLang is asked for siblings one by one.
    const siblings = options.asked === 'plain' || this.#facts.dialect !== 'vllm' ? 1 : branching;
    let tokens = 0;
    let over = false;
    const ask = (loop: number): void => {
      const { path, body } = this.#dialect.encode(this.#call(loop, options, siblings), this.#facts);
      const payload = JSON.stringify(body);
      const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(payload) };
      const request = http.request(`${this.#url}${path}`, { agent, method: 'POST', headers }, (response) => {
        response.on('data', () => {});
        response.on('end', () => {
          tokens += siblings * options.stepTokens;
          if (!over) ask(loop);
        });
      });
      request.on('error', () => {});
      request.end(payload);
    };
    for (let loop = 0; loop < options.sequences / siblings; loop += 1) ask(loop);
    const round = await measure(() => tokens, options);
    over = true;
    agent.destroy();
    return round;
  }

  /** The prompt of a path in its middle, another one in every loop. */
  #call(loop: number, { asked, stepTokens }: AloneRound, siblings: number): Call {
    return {
      name: `alone-${String(loop).padStart(6, '0')}-${performance.now().toFixed(3)}`,
      pathText: '',
      prompt: { kind: 'text', text: '' },
      tokenIds: Array.from({ length: 292 }, (_, at) => 10 + ((loop * 997 + at) % 20_000)),
      siblings,
      sampling: { temperature: 0.8 },
      seed: undefined,
      logprobs: asked === 'logprobs',
      delivery: 'whole',
      stops: ['\n\n'],
      maxTokens: stepTokens,
      exact: true,
      lane: 'primary',
      priority: 0,
    };
  }
}
