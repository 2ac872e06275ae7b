import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type KvSplitProblem, splitKv } from './kv-split.ts';
import { tableCost } from './table.ts';

/** Milliseconds that grow with the batch by the given slopes. */
function cost(name: string, decodeBase: number, decodeSlope: number, prefillBase: number, prefillSlope: number) {
  const decode = [1, 64].map((batch) => [batch, decodeBase + decodeSlope * batch] as const);
  const prefill = [1, 10_000].map((tokens) => [tokens, prefillBase + prefillSlope * tokens] as const);
  return tableCost({ name, contexts: [1], decode, prefill });
}

const problem: KvSplitProblem = {
  generator: cost('generator', 30, 0.1, 1, 0.01),
  verifier: cost('verifier', 1, 0.1, 1, 0.05),
  generatorTokenBytes: 1,
  verifierTokenBytes: 1,
  memoryBytes: 1000,
  requests: 16,
  pathTokens: 50,
  stepTokens: 20,
  verifierReusesPrefix: false,
  mostDecode: 64,
  mostPrefill: 64,
};

describe('splitKv', () => {
  it('gives the side whose batches save more time the larger share', () => {
    const decodeBound = splitKv(problem)!;
    expect(decodeBound.generatorTokens).toBeGreaterThan(decodeBound.verifierTokens);
    const prefillBound = splitKv({
      ...problem,
      generator: cost('g', 0.1, 1, 1, 0.01),
      verifier: cost('v', 1, 0.1, 200, 0.05),
    })!;
    expect(prefillBound.prefillBatch).toBeGreaterThan(decodeBound.prefillBatch);
    expect(prefillBound.verifierTokens).toBeGreaterThan(decodeBound.verifierTokens);
  });

  it('gives a verifier that reuses prefixes the room to keep them', () => {
    const verifier = cost('v', 1, 0.1, 0, 1);
    const paper = { ...problem, verifier, memoryBytes: 1500 };
    const reusing = { ...paper, verifierReusesPrefix: true };
    expect(splitKv(reusing)!.verifierTokens).toBeGreaterThan(splitKv(paper)!.verifierTokens);
  });

  it('is as good as trying every pair, and never uses more memory than there is', () => {
    const sizes = fc.record({
      memoryBytes: fc.integer({ min: 100, max: 4000 }),
      requests: fc.integer({ min: 1, max: 40 }),
      pathTokens: fc.integer({ min: 1, max: 80 }),
      stepTokens: fc.integer({ min: 1, max: 40 }),
      generatorTokenBytes: fc.integer({ min: 1, max: 3 }),
      verifierTokenBytes: fc.integer({ min: 1, max: 3 }),
    });
    const property = fc.property(sizes, (given) => {
      const all = { ...problem, ...given };
      const split = splitKv(all);
      const perPath = all.pathTokens * all.verifierTokenBytes;
      const perSequence = (all.pathTokens + all.stepTokens) * all.generatorTokenBytes;
      if (split === undefined) {
        expect(perPath + perSequence).toBeGreaterThan(all.memoryBytes);
        return;
      }
      const used = split.generatorTokens * all.generatorTokenBytes + split.verifierTokens * all.verifierTokenBytes;
      expect(used).toBeLessThanOrEqual(all.memoryBytes);
      expect(split.decodeBatch * perSequence + split.prefillBatch * perPath).toBeLessThanOrEqual(all.memoryBytes);
      for (let prefillBatch = 1; prefillBatch <= all.requests; prefillBatch++) {
        const only = splitKv({ ...all, mostPrefill: prefillBatch });
        if (only !== undefined) expect(split.totalMs).toBeLessThanOrEqual(only.totalMs);
      }
    });
    fc.assert(property, { numRuns: 200 });
  });
});
