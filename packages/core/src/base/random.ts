// Chance as a value. `hash` turns any key into 32 well-mixed bits, so that a draw can be keyed by what it is for (the
// question, the path) instead of by when it happens; `Random` is a small generator (sfc32) seeded from such a key.
// `wideHash` gives 53 bits, for keys that name things: as many as a JSON number holds exactly.

/** Murmur3-style mixing of numbers and strings into an unsigned 32-bit value. */
export function hash(...parts: readonly (number | string)[]): number {
  let state = 0x9747b28c;
  for (const part of parts) {
    if (typeof part === 'string') {
      for (let at = 0; at < part.length; at += 1) state = mix(state, part.charCodeAt(at));
      state = mix(state, part.length ^ 0x5bd1e995);
    } else {
      state = mix(state, part | 0);
      state = mix(state, Math.floor(part / 4294967296) | 0);
    }
  }
  return finish(state);
}

/** 53 bits, as a whole number that JSON and a Map take as it is; a list counts as its numbers and its length. */
export function wideHash(...parts: readonly (number | string | readonly number[])[]): number {
  const lanes: Lanes = { low: 0x9747b28c, high: 0x3c6ef372 };
  for (const part of parts) {
    if (typeof part === 'number') {
      widen(lanes, part | 0);
      widen(lanes, Math.floor(part / 4294967296) | 0);
      continue;
    }
    for (let at = 0; at < part.length; at += 1)
      widen(lanes, typeof part === 'string' ? part.charCodeAt(at) : part[at]!);
    widen(lanes, part.length ^ (typeof part === 'string' ? 0x5bd1e995 : 0x27d4eb2f));
  }
  return (finish(lanes.high) & 0x1fffff) * 4294967296 + finish(lanes.low);
}

interface Lanes {
  low: number;
  high: number;
}

/** The second lane takes in the state of the first, so that two keys that meet in one do not meet in both. */
function widen(lanes: Lanes, word: number): void {
  lanes.low = mix(lanes.low, word);
  const turned = Math.imul(lanes.high ^ word, 0x9e3779b1);
  lanes.high = (((turned << 11) | (turned >>> 21)) + lanes.low) | 0;
}

function mix(state: number, word: number): number {
  let k = Math.imul(word, 0xcc9e2d51);
  k = (k << 15) | (k >>> 17);
  let h = state ^ Math.imul(k, 0x1b873593);
  h = (h << 13) | (h >>> 19);
  return (Math.imul(h, 5) + 0xe6546b64) | 0;
}

function finish(state: number): number {
  let h = state;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

export class Random {
  #a: number;
  #b: number;
  #c: number;
  #counter = 1;

  constructor(...key: readonly (number | string)[]) {
    const seed = hash(...key);
    this.#a = hash(seed, 1);
    this.#b = hash(seed, 2);
    this.#c = hash(seed, 3);
    for (let warm = 0; warm < 8; warm += 1) this.bits();
  }

  bits(): number {
    const sum = (((this.#a + this.#b) | 0) + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + sum) | 0;
    return sum >>> 0;
  }

  uniform(): number {
    return this.bits() / 4294967296;
  }

  integer(count: number): number {
    return Math.floor(this.uniform() * count);
  }

  chance(probability: number): boolean {
    return this.uniform() < probability;
  }

  exponential(mean: number): number {
    return -mean * Math.log(1 - this.uniform());
  }

  normal(mean = 0, deviation = 1): number {
    const radius = Math.sqrt(-2 * Math.log(1 - this.uniform()));
    return mean + deviation * radius * Math.cos(2 * Math.PI * this.uniform());
  }

  /** Gamma with scale 1 (Marsaglia and Tsang, 2000). */
  gamma(shape: number): number {
    if (shape < 1) return this.gamma(shape + 1) * (1 - this.uniform()) ** (1 / shape);
    const d = shape - 1 / 3;
    const c = 1 / Math.sqrt(9 * d);
    for (;;) {
      const x = this.normal();
      const v = (1 + c * x) ** 3;
      if (v > 0 && Math.log(1 - this.uniform()) < 0.5 * x * x + d - d * v + d * Math.log(v)) return d * v;
    }
  }

  beta(alpha: number, beta: number): number {
    const a = this.gamma(alpha);
    return a / (a + this.gamma(beta));
  }
}
