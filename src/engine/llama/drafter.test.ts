import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { generateRequest } from '../../../tests/support/requests.ts';
import { byteToken, VOCABULARY_SIZE, writeTinyModel } from '../../../tests/support/tiny-gguf.ts';
import { Random } from '../../base/random.ts';
import type { GenerateRequest } from '../engine.ts';
import { type Binding, loadBinding } from './binding.ts';
import { Core, type CoreMessage, type CoreOptions } from './core.ts';
import { findLibrary } from './platform.ts';

const LETTERS = [...'abcd'].map(byteToken);
let folder: string;
let binding: Binding;
const path = (name: string) => join(folder, `${name}.gguf`);

/** Random logits among four letters, none for anything else: a chain whose distribution is known. */
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

function open(
  model: string,
  draft: string | undefined,
  messages: CoreMessage[],
  changes: Partial<CoreOptions> = {},
): Core {
  const options: CoreOptions = {
    model: path(model),
    kvTokens: 2048,
    threads: 1,
    sequences: 16,
    rowLimit: 63,
    bulkRows: 512,
    flashAttention: true,
    tokenIdsOf: 'own',
    ...(draft === undefined ? {} : { draft: { model: path(draft), tokens: 3, mostSequences: 16 } }),
    ...changes,
  };
  return new Core(binding, options, (message) => messages.push(message));
}

function request(id: number, changes: Partial<GenerateRequest> = {}): GenerateRequest {
  return generateRequest(id, { prompt: { kind: 'text', text: 'b' }, delimiters: [], maxTokens: 4, ...changes });
}

function run(core: Core, requests: readonly GenerateRequest[]): void {
  core.generate(requests);
  while (core.hasWork) core.step();
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
  it('leaves the distribution of what is generated unchanged', () => {
    const samples = 1500;
    for (const sampling of [{ temperature: 1 }, { temperature: 0.6 }]) {
      const messages: CoreMessage[] = [];
      const draft = { model: path('draft'), tokens: 3, mostSequences: 60 };
      const core = open('target', undefined, messages, { sequences: 60, rowLimit: 250, draft });
      for (let from = 0; from < samples; from += 500) {
        run(
          core,
          Array.from({ length: 500 }, (_, at) => request(from + at, { sampling })),
        );
      }
      const { draftedTokens, acceptedTokens } = core.counts;
      core.close();
      expect(draftedTokens).toBeGreaterThan(samples);
      expect(acceptedTokens).toBeGreaterThan(0.2 * draftedTokens);
      expect(acceptedTokens).toBeLessThan(0.9 * draftedTokens); // both sides of the rule were used
      const counts = new Map<string, number>();
      for (const text of textsOf(messages).values()) counts.set(text, (counts.get(text) ?? 0) + 1);
      // Pearson's statistic over the 256 texts, those expected less than five times pooled; its mean is the number of
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
    const draft = { model: path('draft'), tokens: 3, mostSequences: 16 };
    const with_ = open('random', undefined, drafted, { ...options, kvTokens: 96, draft });
    run(with_, requests);
    expect([...textsOf(drafted)].sort()).toEqual([...textsOf(plain)].sort());
    expect(with_.counts.draftedTokens).toBeGreaterThan(0);
    with_.release('search');
    expect(with_.counts).toMatchObject({ usedCells: 0, branches: 0 });
    without.close();
    with_.close();
  });

  it('saves decodes when it agrees with the target', () => {
    const [plain, drafted]: [CoreMessage[], CoreMessage[]] = [[], []];
    const without = open('random', undefined, plain);
    run(without, [request(1, { maxTokens: 60, sampling: { temperature: 0 } })]);
    const twin = open('random', 'random', drafted);
    run(twin, [request(1, { maxTokens: 60, sampling: { temperature: 0 } })]);
    expect(textsOf(drafted)).toEqual(textsOf(plain));
    expect(twin.counts.decodes).toBeLessThan(0.5 * without.counts.decodes);
    without.close();
    twin.close();
  });

  it('can be cancelled in the middle', () => {
    const messages: CoreMessage[] = [];
    const core = open('target', 'draft', messages);
    core.generate([1, 2, 3].map((id) => request(id, { maxTokens: 500 })));
    for (let step = 0; step < 5; step++) core.step();
    core.cancel([1, 3]);
    core.cancel([2]);
    core.release('search');
    expect(core.counts).toMatchObject({ usedCells: 0, branches: 0, running: 0 });
    core.close();
  });

  it('is refused when its vocabulary is another', () => {
    expect(() => open('random', 'other', [])).toThrow(/has another vocabulary/);
    expect(VOCABULARY_SIZE).toBeGreaterThan(256);
  });
});
