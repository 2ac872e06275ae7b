import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Random } from '../../../core/src/base/random.ts';
import { entropyOf, logProbabilityOf, Sampler, type TokenSampling } from './sampler.ts';

const plain: TokenSampling = { temperature: 1, topP: 1, topK: 0, minP: 0 };

/** The textbook method: sort all tokens, cut, renormalise. */
function reference(logits: Float32Array, sampling: TokenSampling): number[] {
  const maximum = Math.max(...logits);
  const weights = [...logits].map((logit) => Math.exp((logit - maximum) / sampling.temperature));
  const order = weights.map((_, token) => token).sort((a, b) => weights[b]! - weights[a]! || a - b);
  const allowed = order.filter((token) => weights[token]! >= sampling.minP);
  const top = sampling.topK > 0 ? allowed.slice(0, sampling.topK) : allowed;
  const mass = top.reduce((sum, token) => sum + weights[token]!, 0);
  const kept = new Set<number>();
  let sum = 0;
  for (const token of top) {
    if (sum >= sampling.topP * mass) break;
    kept.add(token);
    sum += weights[token]!;
  }
  return weights.map((weight, token) => (kept.has(token) ? weight / sum : 0));
}

describe('Sampler', () => {
  it('keeps the tokens that sorting everything would keep, with the same probabilities', () => {
    const logits = fc.array(fc.float({ min: -40, max: 10, noNaN: true }), { minLength: 1, maxLength: 60 });
    const sampling = fc.record({
      temperature: fc.constantFrom(0.3, 0.8, 1, 2.5),
      topP: fc.constantFrom(1, 0.99, 0.9, 0.5, 0.01),
      topK: fc.integer({ min: 0, max: 20 }),
      minP: fc.constantFrom(0, 0.01, 0.2),
    });
    const property = fc.property(logits, sampling, (values, settings) => {
      const row = Float32Array.from(values);
      const found = new Sampler(row.length).distribution(row, settings);
      const expected = reference(row, settings);
      const difference = expected.map((probability, token) => Math.abs(probability - found[token]!));
      expect(Math.max(...difference)).toBeLessThan(1e-9);
    });
    fc.assert(property, { numRuns: 500 });
  });

  it('tells the entropy of a row, whatever is masked in it', () => {
    expect(entropyOf(new Float32Array([3, 3, 3, 3]))).toBeCloseTo(Math.log(4), 6);
    expect(entropyOf(new Float32Array([5, Number.NEGATIVE_INFINITY, 5]))).toBeCloseTo(Math.log(2), 6);
    expect(entropyOf(new Float32Array([0, Math.log(3)]))).toBeCloseTo(Math.log(4) - 0.75 * Math.log(3), 6);
    expect(entropyOf(new Float32Array([90, 0]))).toBeCloseTo(0, 6);
  });

  it('draws in proportion to the distribution', () => {
    const row = Float32Array.from([0, 1, 2, -1, 0.5]);
    const sampler = new Sampler(row.length);
    const sampling = { ...plain, temperature: 0.7, topP: 0.95 };
    const expected = sampler.distribution(row, sampling);
    const random = new Random('draws');
    const counts = new Array<number>(row.length).fill(0);
    const draws = 40_000;
    for (let draw = 0; draw < draws; draw++) counts[sampler.draw(row, sampling, random.uniform()).token]! += 1;
    for (const [token, probability] of expected.entries()) {
      const deviation = Math.sqrt((probability * (1 - probability)) / draws);
      expect(Math.abs(counts[token]! / draws - probability)).toBeLessThanOrEqual(5 * deviation);
    }
  });

  it('takes the first of the likeliest tokens at temperature 0', () => {
    const row = Float32Array.from([1, 5, 5, 2]);
    expect(new Sampler(4).draw(row, { ...plain, temperature: 0 }, 0.99).token).toBe(1);
  });

  it('reports the log probability under the model itself, whatever the sampling', () => {
    const row = Float32Array.from([0, Math.log(3)]);
    const drawn = new Sampler(2).draw(row, { temperature: 0.2, topP: 0.5, topK: 1, minP: 0 }, 0.5);
    expect(drawn.token).toBe(1);
    expect(drawn.logProbability).toBeCloseTo(Math.log(0.75), 6);
    expect(logProbabilityOf(row, 0)).toBeCloseTo(Math.log(0.25), 6);
  });

  it('refuses logits without a finite maximum', () => {
    for (const bad of [Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() => new Sampler(2).draw(Float32Array.from([bad, bad]), plain, 0.5)).toThrow(RangeError);
    }
  });
});
