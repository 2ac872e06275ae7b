import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tableCost } from '../../../core/src/cost/table.ts';
import { type KvSplitProblem, splitKv } from './kv-split.ts';

/** Milliseconds that grow with the batch by the given slopes. */
function cost(name: string, decodeBase: number, decodeSlope: number, prefillSlope: number) {
  const decode = [1, 64].map((batch) => [batch, decodeBase + decodeSlope * batch] as const);
  const prefill = [1, 10_000].map((tokens) => [tokens, prefillSlope * tokens] as const);
  return tableCost({ name, contexts: [1], decode, prefill });
}

const problem: KvSplitProblem = {
  generator: cost('generator', 1, 0.2, 0.1),
  verifier: cost('verifier', 1, 0.2, 0.1),
  generatorTokenBytes: 2,
  verifierTokenBytes: 2,
  memoryBytes: 40_000,
  leastGeneratorTokens: 512,
  leastVerifierTokens: 512,
  pathTokens: 96,
  stepTokens: 24,
  siblings: 4,
  verifierReusesPrefix: true,
  mostDecode: 32,
};

describe('splitKv', () => {
  it('gives equal models about as much, the generator a little more for the steps that it is writing', () => {
    const { generatorTokens, verifierTokens } = splitKv(problem)!;
    expect(generatorTokens).toBeGreaterThan(verifierTokens);
    expect(generatorTokens).toBeLessThan(1.2 * verifierTokens);
  });

  it('gives the side whose paths cost more to compute again the larger share', () => {
    const dearVerifier = splitKv({ ...problem, verifier: cost('v', 1, 0.2, 0.5) })!;
    expect(dearVerifier.verifierTokens).toBeGreaterThan(1.5 * dearVerifier.generatorTokens);
    const dearGenerator = splitKv({ ...problem, generator: cost('g', 1, 0.2, 0.5) })!;
    expect(dearGenerator.generatorTokens).toBeGreaterThan(1.5 * dearGenerator.verifierTokens);
  });

  it('leaves a verifier that keeps no path the least it can do with', () => {
    expect(splitKv({ ...problem, verifierReusesPrefix: false })!.verifierTokens).toBe(512);
  });

  it('gives a verifier more where each child of a path may find it gone', () => {
    const together = splitKv(problem)!;
    const apart = splitKv({ ...problem, scoredApart: true })!;
    expect(apart.verifierTokens).toBeGreaterThan(1.3 * together.verifierTokens);
    expect(apart.totalMs).toBeGreaterThan(together.totalMs);
  });

  it('makes room for the batch in which the generator is fastest, where that saves more than paths do', () => {
    const generator = cost('g', 50, 0.1, 0.1); // a batch costs little more than one sequence
    const indifferent = cost('g', 0, 1, 0.1); // a batch costs as much as its sequences one by one
    const scarce = { ...problem, generator: indifferent, memoryBytes: 6000 };
    expect(splitKv({ ...scarce, generator })!.decodeBatch).toBe(32);
    expect(splitKv({ ...scarce, generator })!.generatorTokens).toBeGreaterThan(splitKv(scarce)!.generatorTokens);
  });

  it('keeps to the memory and to what each side needs', () => {
    const sizes = fc.record({
      memoryBytes: fc.integer({ min: 100, max: 100_000 }),
      pathTokens: fc.integer({ min: 1, max: 800 }),
      stepTokens: fc.integer({ min: 1, max: 400 }),
      siblings: fc.integer({ min: 1, max: 64 }),
      generatorTokenBytes: fc.integer({ min: 1, max: 30 }),
      verifierTokenBytes: fc.integer({ min: 1, max: 30 }),
      verifierReusesPrefix: fc.boolean(),
    });
    const property = fc.property(sizes, (given) => {
      const all = { ...problem, ...given };
      const leastBytes = 512 * (all.generatorTokenBytes + all.verifierTokenBytes);
      const split = splitKv(all);
      expect(split === undefined).toBe(all.memoryBytes < leastBytes);
      if (split === undefined) return;
      const used = split.generatorTokens * all.generatorTokenBytes + split.verifierTokens * all.verifierTokenBytes;
      expect(used).toBeLessThanOrEqual(all.memoryBytes);
      expect(used).toBeGreaterThan(all.memoryBytes - all.generatorTokenBytes); // no memory is left over
      expect(Math.min(split.generatorTokens, split.verifierTokens)).toBeGreaterThanOrEqual(512);
      expect(split.decodeBatch).toBeGreaterThanOrEqual(1);
      expect(split.totalMs).toBeGreaterThan(0);
    });
    fc.assert(property, { numRuns: 300 });
  });
});
