import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { generateRequest } from '../../../../tests/support/requests.ts';
import { byteToken, VOCABULARY_SIZE, writeTinyModel } from '../../../../tests/support/tiny-gguf.ts';
import { Random } from '../../../core/src/base/random.ts';
import type { GenerateRequest } from '../../../core/src/engine/engine.ts';
import { leastGain, tryDraft } from '../engine/draft-trial.ts';
import { LlamaEngine } from '../engine/llama-engine.ts';
import { type Binding, loadBinding } from '../native/binding.ts';
import { findLibrary } from '../native/platform.ts';
import type { CoreMessage } from '../thread/answers.ts';
import { Core } from '../thread/core.ts';
import type { CoreOptions } from '../thread/core-options.ts';
import { type Draft, DraftModel } from './draft-model.ts';
import { DraftQueue } from './draft-queue.ts';
import { InlineDraftLink } from './draft-thread.ts';
import { type DraftLink, Drafts, type ToDrafter } from './drafts.ts';

const LETTERS = [...'abcd'].map(byteToken);
let folder: string;
let binding: Binding;
const path = (name: string) => join(folder, `${name}.gguf`);

/** A chain with a known distribution: random logits for four letters, none for other tokens. */
function chain(seed: string): number[][] {
  const random = new Random('chain', seed);
  return LETTERS.map(() => LETTERS.map(() => random.normal(0, 1.5)));
}

function logitOf(table: readonly number[][]): (token: number, next: number) => number {
  return (token, next) => {
    const from = Math.max(0, LETTERS.indexOf(token));
    const to = LETTERS.indexOf(next);
    return to < 0 ? -60 : table[from]![to]!;
  };
}

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'coppice-draft-'));
  binding = loadBinding(findLibrary());
  writeTinyModel(path('target'), { kind: 'bigram', logit: logitOf(chain('target')) });
  writeTinyModel(path('draft'), { kind: 'bigram', logit: logitOf(chain('draft')) });
  writeTinyModel(path('random'), { kind: 'random', seed: 4 });
  writeTinyModel(path('other'), { kind: 'random', seed: 4, vocabulary: 'other' });
});

afterAll(() => rmSync(folder, { recursive: true }));

const SIZE = { kvTokens: 2048, threads: 1, rowLimit: 63, flashAttention: true } as const;

/**
 * A draft model whose answers come late and out of order, like those of another thread, but drawn from a seed: each look finds
 * a draft for one of the sequences, or nothing. It dies after `lifetime` looks.
 */
class WaywardLink implements DraftLink {
  readonly model: DraftModel;
  readonly #queue: DraftQueue;
  readonly #random: Random;
  readonly #made: Draft[] = [];
  readonly #lifetime: number;
  #looks = 0;

  constructor(draft: string, seed: number, lifetime = Number.POSITIVE_INFINITY) {
    this.model = new DraftModel(binding, path(draft), SIZE);
    this.#queue = new DraftQueue(this.model);
    this.#random = new Random('wayward', seed);
    this.#lifetime = lifetime;
  }

  get vocabularyHash(): number {
    return this.model.vocabularyHash;
  }

  get alive(): boolean {
    return this.#looks < this.#lifetime;
  }

  /** Drafts that were requested and have not arrived. */
  get waiting(): number {
    return this.#queue.waiting + this.#made.length;
  }

  post(message: ToDrafter): void {
    if (this.#random.chance(1 / 8)) this.#work(); // the forgotten sequence may have been drafted just before
    this.#queue.take(message);
  }

  receive(): Draft | undefined {
    this.#looks += 1;
    if (this.#random.chance(1 / 3)) this.#work();
    if (this.#made.length === 0 || this.#random.chance(1 / 4)) return undefined;
    return this.#made.splice(this.#random.integer(this.#made.length), 1)[0];
  }

  #work(): void {
    this.#made.push(...this.#queue.draft(1 + this.#random.integer(this.#queue.waiting)));
  }
}

function open(
  model: string,
  link: DraftLink | undefined,
  messages: CoreMessage[],
  changes: Partial<CoreOptions> = {},
  mostSequences = 60,
): Core {
  const options: CoreOptions = {
    model: path(model),
    ...SIZE,
    sequences: 16,
    bulkRows: 512,
    tokenIdsOf: 'own',
    ...changes,
  };
  const drafting = { model: 'draft', tokens: 3, mostSequences, where: 'inline' } as const;
  return new Core(binding, options, (message) => messages.push(message), link && new Drafts(drafting, link));
}

const inline = (draft: string) => new InlineDraftLink(binding, path(draft), SIZE);

function request(id: number, changes: Partial<GenerateRequest> = {}): GenerateRequest {
  return generateRequest(id, { prompt: { kind: 'text', text: 'b' }, delimiters: [], maxTokens: 4, ...changes });
}

function run(core: Core, requests: readonly GenerateRequest[]): void {
  core.generate(requests);
  for (let step = 0; core.hasWork; step++) {
    if (step > 100_000) throw new Error('the core waits for ever');
    core.step();
  }
}

function textsOf(messages: readonly CoreMessage[]): Map<number, string> {
  return new Map(
    messages.flatMap((message) => (message.type === 'step' ? [[message.request, message.step.text]] : [])),
  );
}

/** The exact probability of a text of four letters after "b". */
function probabilityOf(text: string, sampling: { temperature: number }): number {
  const table = chain('target');
  let from = 1;
  let product = 1;
  for (const character of text) {
    const to = LETTERS.indexOf(byteToken(character));
    const weights = table[from]!.map((logit) => Math.exp(logit / sampling.temperature));
    product *= weights[to]! / weights.reduce((sum, weight) => sum + weight, 0);
    from = to;
  }
  return product;
}

describe('a draft model', () => {
  it.each([
    ['in step with the target', () => inline('draft')],
    ['late and out of order', () => new WaywardLink('draft', 1)],
  ])('leaves the distribution of what is generated unchanged, %s', (_, linkOf) => {
    const samples = 1500;
    for (const sampling of [{ temperature: 1 }, { temperature: 0.6 }]) {
      const messages: CoreMessage[] = [];
      const core = open('target', linkOf(), messages, { sequences: 60, rowLimit: 250 });
      for (let from = 0; from < samples; from += 500) {
        run(
          core,
          Array.from({ length: 500 }, (_, at) => request(from + at, { sampling })),
        );
      }
      const { draftedTokens, acceptedTokens, judgedAt, acceptedAt } = core.counts;
      core.close();
      // A token is judged at one place only if the one before it was accepted; an accepted token may also end its step.
      for (const [at, judged] of judgedAt.slice(1).entries()) expect(judged).toBeLessThanOrEqual(acceptedAt[at]!);
      expect(judgedAt[0]).toBeGreaterThan(judgedAt[1]!);
      expect(draftedTokens).toBeGreaterThan(samples);
      expect(acceptedTokens).toBeGreaterThan(0.2 * draftedTokens);
      expect(acceptedTokens).toBeLessThan(0.9 * draftedTokens); // the rule both accepted and rejected
      const counts = new Map<string, number>();
      for (const text of textsOf(messages).values()) counts.set(text, (counts.get(text) ?? 0) + 1);
      // Pearson's statistic over the 256 texts; those expected less than five times are pooled. Its mean is the number of
      // classes less one, its variance twice that. The seeds are fixed: the same figure on every machine.
      let [statistic, classes, pooledExpected, pooledCount] = [0, 0, 0, 0];
      for (const a of 'abcd')
        for (const b of 'abcd')
          for (const c of 'abcd')
            for (const d of 'abcd') {
              const expected = samples * probabilityOf(a + b + c + d, sampling);
              const count = counts.get(a + b + c + d) ?? 0;
              if (expected < 5) {
                pooledExpected += expected;
                pooledCount += count;
              } else {
                statistic += (count - expected) ** 2 / expected;
                classes += 1;
              }
            }
      statistic += (pooledCount - pooledExpected) ** 2 / pooledExpected;
      expect(statistic).toBeLessThan(classes + 3.3 * Math.sqrt(2 * classes));
    }
  });

  it('changes nothing at temperature 0, whatever it drafts, in company and with hardly any cells', () => {
    const requests = [...Array(12).keys()].map((id) =>
      request(id, { prompt: { kind: 'text', text: `prompt ${id % 4}` }, sampling: { temperature: 0 }, maxTokens: 20 }),
    );
    const [plain, drafted]: [CoreMessage[], CoreMessage[]] = [[], []];
    const options = { flashAttention: false } as const;
    const without = open('random', undefined, plain, options);
    run(without, requests);
    const link = new WaywardLink('draft', 2);
    const with_ = open('random', link, drafted, { ...options, kvTokens: 96 });
    run(with_, requests);
    expect([...textsOf(drafted)].sort()).toEqual([...textsOf(plain)].sort());
    expect(with_.counts.draftedTokens).toBeGreaterThan(0);
    with_.release('search');
    expect(with_.counts).toMatchObject({ usedCells: 0, branches: 0 });
    expect(link.model.counts).toEqual({ sequences: 0, usedCells: 0, branches: 0 });
    without.close();
    with_.close();
  });

  it('saves decodes when it agrees with the target', () => {
    const [plain, drafted]: [CoreMessage[], CoreMessage[]] = [[], []];
    const without = open('random', undefined, plain);
    run(without, [request(1, { maxTokens: 60, sampling: { temperature: 0 } })]);
    const twin = open('random', inline('random'), drafted);
    run(twin, [request(1, { maxTokens: 60, sampling: { temperature: 0 } })]);
    expect(textsOf(drafted)).toEqual(textsOf(plain));
    expect(twin.counts.decodes).toBeLessThan(0.5 * without.counts.decodes);
    without.close();
    twin.close();
  });

  it('gives the same steps whenever the drafts come', () => {
    const requests = [...Array(6).keys()].map((id) => request(id, { maxTokens: 40 }));
    const textsWith = (link: DraftLink) => {
      const messages: CoreMessage[] = [];
      const core = open('target', link, messages);
      run(core, requests);
      core.close();
      return [...textsOf(messages)].sort();
    };
    const inStep = textsWith(inline('draft'));
    expect(inStep).toHaveLength(6);
    for (const seed of [1, 2, 3]) expect(textsWith(new WaywardLink('draft', seed))).toEqual(inStep);
  });

  it('verifies what has come while the rest is still being drafted', () => {
    const messages: CoreMessage[] = [];
    const link = new WaywardLink('draft', 3);
    const core = open('target', link, messages);
    core.generate([1, 2, 3, 4].map((id) => request(id, { maxTokens: 60 })));
    let decodesBesideDrafts = 0;
    for (let step = 0; core.hasWork && step < 100_000; step++) {
      const { decodes } = core.counts;
      core.step();
      if (core.counts.decodes > decodes && link.waiting > 0) decodesBesideDrafts += 1;
    }
    expect(decodesBesideDrafts).toBeGreaterThan(10);
    core.close();
  });

  it('reads a path once for all the steps below it', () => {
    const messages: CoreMessage[] = [];
    const link = new WaywardLink('draft', 6);
    const core = open('target', link, messages);
    const prompt = { kind: 'text', text: 'b'.repeat(200) } as const;
    run(core, [request(1, { prompt })]);
    const first = link.model.computedRows;
    expect(first).toBeGreaterThan(200);
    run(core, [request(2, { prompt, seed: 7 })]);
    expect(link.model.computedRows - first).toBeLessThan(40);
    core.release('search');
    expect(link.model.counts).toEqual({ sequences: 0, usedCells: 0, branches: 0 });
    core.close();
  });

  it('can be cancelled with drafts in flight, and leaves nothing behind', () => {
    const messages: CoreMessage[] = [];
    const link = new WaywardLink('draft', 4);
    const core = open('target', link, messages);
    for (let round = 0; round < 20; round++) {
      core.generate([1, 2, 3].map((id) => request(id, { maxTokens: 500, seed: round })));
      for (let step = 0; step < 5 + round; step++) core.step();
      core.cancel([1, 3]);
      core.cancel([2]);
      core.release('search');
      expect(core.counts).toMatchObject({ usedCells: 0, branches: 0, running: 0 });
      expect(link.model.counts).toEqual({ sequences: 0, usedCells: 0, branches: 0 });
    }
    expect(messages.filter(({ type }) => type === 'fault')).toHaveLength(60);
    core.close();
  });

  it('takes no draft of a cancelled request for one of the next with its number', () => {
    const again = [1, 2, 3].map((id) => request(id, { maxTokens: 30, seed: 100 + id }));
    const stepsOf = (link: DraftLink, rounds: number) => {
      const messages: CoreMessage[] = [];
      const core = open('target', link, messages);
      const texts = [];
      for (let round = 0; round < rounds; round++) {
        core.generate([1, 2, 3].map((id) => request(id, { maxTokens: 500, seed: round })));
        for (let step = 0; step < 5; step++) core.step();
        core.cancel([1, 2, 3]);
        messages.length = 0;
        run(core, again);
        texts.push([...textsOf(messages)].sort());
      }
      core.close();
      return texts;
    };
    const [expected] = stepsOf(inline('draft'), 1);
    for (const steps of stepsOf(new WaywardLink('draft', 7), 20)) expect(steps).toEqual(expected);
  });

  it('pauses while too many run, and goes on afterwards', () => {
    const messages: CoreMessage[] = [];
    const link = new WaywardLink('draft', 6);
    const core = open('target', link, messages, {}, 2);
    core.generate([1, 2].map((id) => request(id, { maxTokens: 200 })));
    for (let crowd = 3; crowd < 40; crowd++) {
      for (let step = 0; step < 3; step++) core.step();
      core.generate([request(crowd, { maxTokens: 2 })]);
    }
    run(core, []);
    expect(textsOf(messages).size).toBe(39);
    expect(core.counts.acceptedTokens).toBeGreaterThan(10);
    core.release('search');
    expect(core.counts).toMatchObject({ usedCells: 0, branches: 0 });
    expect(link.model.counts).toEqual({ sequences: 0, usedCells: 0, branches: 0 });
    core.close();
  });

  it('goes on without drafts when the draft model has died', () => {
    const messages: CoreMessage[] = [];
    const core = open('target', new WaywardLink('draft', 5, 20), messages);
    run(
      core,
      [1, 2, 3].map((id) => request(id, { maxTokens: 50 })),
    );
    expect(textsOf(messages).size).toBe(3);
    core.close();
  });

  it('is refused when its vocabulary is another', () => {
    expect(() => open('random', inline('other'), [])).toThrow(/has another vocabulary/);
    expect(VOCABULARY_SIZE).toBeGreaterThan(256);
  });
});

describe('a draft model in its own thread', () => {
  const options = { tokens: 3, mostSequences: 16 } as const;

  /** Steps of an engine by request. */
  async function steps(engine: LlamaEngine, requests: readonly GenerateRequest[]): Promise<[number, string][]> {
    const texts: [number, string][] = [];
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    engine.connect((message) => {
      if (message.type === 'fault') reject(new Error(message.fault.message));
      if (message.type === 'step') texts.push([message.request, message.step.text]);
      if (texts.length === requests.length) resolve();
    });
    engine.generate(requests);
    await promise;
    return texts.sort(([left], [right]) => left - right);
  }

  it('gives the same steps as one in the thread of the target', async () => {
    const requests = [...Array(8).keys()].map((id) => request(id, { maxTokens: 60 }));
    const texts = [];
    for (const where of ['inline', 'thread'] as const) {
      const draft = { ...options, model: path('draft'), where };
      const engine = await LlamaEngine.open({ model: path('target'), draft });
      texts.push(await steps(engine, requests));
      expect(engine.counts.acceptedTokens).toBeGreaterThan(50);
      await engine.close();
    }
    expect(texts[1]).toEqual(texts[0]);
  });

  it('ends with the engine, even with drafts in flight', async () => {
    const draft = { ...options, model: path('draft'), where: 'thread' } as const;
    for (let round = 0; round < 5; round++) {
      const engine = await LlamaEngine.open({ model: path('target'), draft });
      const faults: number[] = [];
      engine.connect((message) => {
        if (message.type === 'fault') faults.push(message.request);
      });
      engine.generate([1, 2, 3].map((id) => request(id, { maxTokens: 1500 })));
      if (round > 0) await new Promise(setImmediate);
      await engine.close();
      expect(faults.sort()).toEqual([1, 2, 3]);
    }
  });

  it('is refused, with its thread ended, when it cannot be used', async () => {
    const opening = (model: string, draft: string) =>
      LlamaEngine.open({ model: path(model), draft: { ...options, model: path(draft), where: 'thread' } });
    await expect(opening('random', 'other')).rejects.toThrow(/has another vocabulary/);
    await expect(opening('random', 'absent')).rejects.toThrow(/there is no model file/);
    await expect(opening('absent', 'random')).rejects.toThrow(/there is no model file/);
  });
});

describe('a trial of drafts', () => {
  it('gives an engine that answers its next connection, drafting only where that was the faster', async () => {
    const { engine, gain } = await tryDraft({ model: path('target') }, path('draft'));
    try {
      expect(gain).toBeGreaterThan(0);
      const before = engine.counts.draftedTokens;
      expect(before > 0).toBe(gain >= leastGain);
      expect(engine.load().drafting).toMatchObject({ gain, isUsed: gain >= leastGain, draftedTokens: before });
      const { promise, resolve } = Promise.withResolvers<CoreMessage>();
      engine.connect((message) => message.type !== 'token' && resolve(message));
      engine.generate([generateRequest(1, { maxTokens: 8 })]);
      expect(await promise).toMatchObject({ type: 'step', step: { tokens: 8 } });
    } finally {
      await engine.close();
    }
  });

  it('is refused with a model that cannot be used', async () => {
    await expect(tryDraft({ model: path('random') }, path('other'))).rejects.toThrow(/has another vocabulary/);
    await expect(tryDraft({ model: path('random') }, path('absent'))).rejects.toThrow(/there is no model file/);
  });
});
