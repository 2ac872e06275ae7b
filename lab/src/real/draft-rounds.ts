// One block of questions on the embedded engine, with or without a draft model, as one line: its text, its time, and the accepted drafted tokens by
// place in the draft. The target has read the prompts before the clock starts; the draft model reads them on the clock.

import { LlamaEngine } from '@coppice/llama/engine';

export interface DraftContender {
  /** `none`, or where and how many tokens: `inline:4`. */
  readonly name: string;
  readonly tokens: number;
  readonly where: 'inline' | 'thread';
}

export interface DraftBlock {
  readonly block: number;
  readonly temperature: number;
  /** The prompts' systems and questions; as many sequences run side by side. */
  readonly questions: readonly string[];
}

export interface RankedAnswer {
  /** For each token written, how many others the draft model finds likelier. */
  readonly ranks: readonly number[];
  /** For each, the probability of the draft model's own best. */
  readonly sure: readonly number[];
}

export interface DraftLine {
  readonly kind: 'round';
  readonly block: number;
  readonly temperature: number;
  readonly sequences: number;
  readonly drafts: string;
  readonly tokens: number;
  readonly ms: number;
  readonly processorMs: number;
  readonly decodes: number;
  readonly judgedAt: readonly number[];
  readonly acceptedAt: readonly number[];
  /** Token ids of each answer. */
  readonly written: readonly (readonly number[])[];
  /** Of greedy answers without drafts. */
  readonly ranked?: readonly RankedAnswer[];
}

export interface DraftPair {
  readonly model: string;
  readonly draft: string;
  readonly threads: number;
  readonly system: string;
  readonly answerTokens: number;
}

const kvTokens = 4096;
/** Never paused: the measurement is to show where it does not pay. */
const mostSequences = 64;

export class DraftRunner {
  readonly #engine: LlamaEngine;
  readonly #pair: DraftPair;
  readonly #name: string;
  #requests = 0;

  private constructor(engine: LlamaEngine, pair: DraftPair, name: string) {
    this.#engine = engine;
    this.#pair = pair;
    this.#name = name;
  }

  /** Two threads that compute side by side share the cores; one that drafts in between has them all. */
  static async open(pair: DraftPair, { name, tokens, where }: DraftContender): Promise<DraftRunner> {
    const threads = where === 'thread' ? Math.max(1, Math.floor(pair.threads / 2)) : pair.threads;
    const options = { model: pair.model, kvTokens, threads, sequences: 8 };
    const draft = { model: pair.draft, tokens, mostSequences, where };
    return new DraftRunner(await LlamaEngine.open(tokens === 0 ? options : { ...options, draft }), pair, name);
  }

  async run(block: DraftBlock): Promise<DraftLine> {
    const search = `block ${block.block}`;
    await this.#write(block, search, 1);
    const before = this.#engine.counts;
    const processor = process.cpuUsage();
    const startMs = performance.now();
    const written = await this.#write(block, search, this.#pair.answerTokens);
    const ms = performance.now() - startMs;
    const { user, system } = process.cpuUsage(processor);
    const { decodes, judgedAt, acceptedAt } = this.#engine.counts;
    this.#engine.release(search);
    return {
      kind: 'round',
      block: block.block,
      temperature: block.temperature,
      sequences: block.questions.length,
      drafts: this.#name,
      tokens: written.reduce((sum, { length }) => sum + length, 0),
      ms: Math.round(ms),
      processorMs: Math.round((user + system) / 1000),
      decodes: decodes - before.decodes,
      judgedAt: judgedAt.map((count, at) => count - (before.judgedAt[at] ?? 0)),
      acceptedAt: acceptedAt.map((count, at) => count - (before.acceptedAt[at] ?? 0)),
      written,
    };
  }

  close(): Promise<void> {
    return this.#engine.close();
  }

  #write({ block, temperature, questions }: DraftBlock, search: string, maxTokens: number): Promise<number[][]> {
    const written: number[][] = questions.map(() => []);
    const first = this.#requests;
    let open = questions.length;
    const { promise, resolve, reject } = Promise.withResolvers<number[][]>();
    this.#engine.connect((message) => {
      if (message.type === 'fault') reject(new Error(message.fault.message));
      if (message.type !== 'step') return;
      written[message.request - first] = [...(message.step.tokenIds ?? [])];
      open -= 1;
      if (open === 0) resolve(written);
    });
    this.#requests += questions.length;
    this.#engine.generate(
      questions.map((question, index) => ({
        id: first + index,
        search,
        prompt: promptOf(this.#pair.system, question),
        parent: 0,
        path: [],
        index,
        sampling: { temperature },
        seed: 1000 * block + index,
        delimiters: [],
        maxTokens,
        lane: 'primary' as const,
        priority: 0,
      })),
    );
    return promise;
  }
}

export function promptOf(system: string, question: string) {
  const messages = [
    { role: 'system', content: system },
    { role: 'user', content: question },
  ] as const;
  return { kind: 'chat', messages } as const;
}
