// Draws one token from a row of logits: temperature first, then top-k, top-p and min-p on the tempered distribution.
// Pure: chance is an argument. The returned log probability is that of the model's own distribution, without temperature
// and cuts, so that it compares across requests with different sampling.

import { hash } from '@coppice/core/base';

export interface TokenSampling {
  /** 0 takes the most likely token. */
  readonly temperature: number;
  /** Keep the smallest set of most likely tokens whose probability reaches this; 1 keeps all. */
  readonly topP: number;
  /** Keep this many most likely tokens; 0 keeps all. */
  readonly topK: number;
  /** Keep tokens at least this likely relative to the most likely one; 0 keeps all. */
  readonly minP: number;
}

export interface Draw {
  readonly token: number;
  readonly logProbability: number;
}

// Each bucket is an eighth of a nat below the maximum; the last one also has everything more than 32 nats below. Only the bucket of a
// cut is sorted, which makes the cut exact at a fifth of the cost of a full sort.
const buckets = 256;
const bucketsPerNat = 8;

export class Sampler {
  readonly #weights: Float64Array;
  readonly #bucketOf: Uint8Array;
  readonly #bucketMass = new Float64Array(buckets);
  readonly #bucketCount = new Int32Array(buckets);

  constructor(vocabularySize: number) {
    this.#weights = new Float64Array(vocabularySize);
    this.#bucketOf = new Uint8Array(vocabularySize);
  }

  /** `uniform` is in [0, 1). Throws a RangeError if the row has no finite maximum (a broken model). */
  draw(logits: Float32Array, sampling: TokenSampling, uniform: number): Draw {
    const best = indexOfMaximum(logits);
    const maximum = logits[best]!;
    if (!Number.isFinite(maximum)) throw new RangeError(`the model's logits have no finite maximum (${maximum})`);
    const normaliser = maximum + Math.log(sumOfExponentials(logits, maximum));
    const token = sampling.temperature <= 0 ? best : this.#drawTempered(logits, maximum, sampling, uniform);
    return { token, logProbability: logits[token]! - normaliser };
  }

  /** The distribution that `draw` draws from, for the lossless acceptance of drafted tokens. */
  distribution(logits: Float32Array, sampling: TokenSampling): Float64Array {
    const probabilities = new Float64Array(logits.length);
    const best = indexOfMaximum(logits);
    if (sampling.temperature <= 0) {
      probabilities[best] = 1;
      return probabilities;
    }
    const mass = this.#temper(logits, logits[best]!, sampling);
    for (let token = 0; token < logits.length; token += 1) probabilities[token] = this.#weights[token]! / mass;
    return probabilities;
  }

  #drawTempered(logits: Float32Array, maximum: number, sampling: TokenSampling, uniform: number): number {
    const mass = this.#temper(logits, maximum, sampling);
    let remaining = uniform * mass;
    let last = 0;
    for (let token = 0; token < logits.length; token += 1) {
      const weight = this.#weights[token]!;
      if (weight === 0) continue;
      last = token;
      remaining -= weight;
      if (remaining < 0) return token;
    }
    return last; // rounding left a little mass
  }

  /** Fills the weights (zero where cut) and returns their sum. */
  #temper(logits: Float32Array, maximum: number, sampling: TokenSampling): number {
    const size = logits.length;
    const cuts = sampling.topP < 1 || (sampling.topK > 0 && sampling.topK < size);
    const floor = sampling.minP > 0 ? Math.log(sampling.minP) : Number.NEGATIVE_INFINITY;
    let mass = 0;
    if (cuts) {
      this.#bucketMass.fill(0);
      this.#bucketCount.fill(0);
    }
    for (let token = 0; token < size; token += 1) {
      const below = (logits[token]! - maximum) / sampling.temperature;
      const weight = below >= floor ? Math.exp(below) : 0;
      this.#weights[token] = weight;
      mass += weight;
      if (cuts) this.#intoBucket(token, below, weight);
    }
    if (!cuts) return mass;
    if (sampling.topK > 0 && sampling.topK < size) mass = this.#cut(size, sampling.topK, Number.POSITIVE_INFINITY);
    if (sampling.topP < 1) mass = this.#cut(size, size, sampling.topP * mass);
    return mass;
  }

  #intoBucket(token: number, below: number, weight: number): void {
    const bucket = below > -buckets / bucketsPerNat ? Math.floor(-below * bucketsPerNat) : buckets - 1;
    this.#bucketOf[token] = bucket;
    if (weight === 0) return;
    this.#bucketMass[bucket]! += weight;
    this.#bucketCount[bucket]! += 1;
  }

  /** Keeps the most likely tokens up to `count` tokens or a weight of `mass`; returns the kept weight. */
  #cut(size: number, count: number, mass: number): number {
    let kept = 0;
    let keptMass = 0;
    let bucket = 0;
    for (; bucket < buckets; bucket += 1) {
      if (kept + this.#bucketCount[bucket]! >= count || keptMass + this.#bucketMass[bucket]! >= mass) break;
      kept += this.#bucketCount[bucket]!;
      keptMass += this.#bucketMass[bucket]!;
    }
    const members: number[] = [];
    for (let token = 0; token < size; token += 1) {
      if (this.#weights[token] === 0 || this.#bucketOf[token]! < bucket) continue;
      if (this.#bucketOf[token] === bucket) members.push(token);
      else this.#drop(token);
    }
    members.sort((left, right) => this.#weights[right]! - this.#weights[left]! || left - right);
    for (const token of members) {
      if (kept < count && keptMass < mass) {
        kept += 1;
        keptMass += this.#weights[token]!;
      } else {
        this.#drop(token);
      }
    }
    return keptMass;
  }

  #drop(token: number): void {
    const bucket = this.#bucketOf[token]!;
    this.#bucketMass[bucket]! -= this.#weights[token]!;
    this.#bucketCount[bucket]! -= 1;
    this.#weights[token] = 0;
  }
}

/** A uniform number in [0, 1) with 53 bits, keyed by seed and position. */
export function uniformOf(seed: number, position: number): number {
  const high = hash(seed, position, 1) >>> 5;
  const low = hash(seed, position, 2) >>> 6;
  return (high * 67_108_864 + low) / 9_007_199_254_740_992;
}

/** Draws a token by its probability; `uniform` is in [0, 1). */
export function drawFrom(distribution: Float64Array, uniform: number): number {
  let remaining = uniform;
  let last = 0;
  for (let token = 0; token < distribution.length; token += 1) {
    const probability = distribution[token]!;
    if (probability === 0) continue;
    last = token;
    remaining -= probability;
    if (remaining < 0) return token;
  }
  return last;
}

/** Log probability of a token under the model itself, in nats. */
export function logProbabilityOf(logits: Float32Array, token: number): number {
  const maximum = logits[indexOfMaximum(logits)]!;
  return logits[token]! - maximum - Math.log(sumOfExponentials(logits, maximum));
}

/** Entropy of the model's own distribution, in nats. */
export function entropyOf(logits: Float32Array): number {
  const maximum = logits[indexOfMaximum(logits)]!;
  const sum = sumOfExponentials(logits, maximum);
  let weighted = 0;
  for (let token = 0; token < logits.length; token += 1) {
    const below = logits[token]! - maximum;
    if (Number.isFinite(below)) weighted += Math.exp(below) * below;
  }
  return Math.max(0, Math.log(sum) - weighted / sum);
}

function indexOfMaximum(logits: Float32Array): number {
  let best = 0;
  for (let token = 1; token < logits.length; token += 1) if (logits[token]! > logits[best]!) best = token;
  return best;
}

function sumOfExponentials(logits: Float32Array, maximum: number): number {
  let sum = 0;
  for (let token = 0; token < logits.length; token += 1) sum += Math.exp(logits[token]! - maximum);
  return sum;
}
