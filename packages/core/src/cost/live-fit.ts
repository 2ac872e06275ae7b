// A server's measurement of itself while it works: a straight line through the latest observations of how long a piece of
// work took, over how much was there at a time. Old observations fade, so that the line follows the load. Keeps five sums.

/** Milliseconds of one piece of work: `baseMs` alone, and `slopeMs` more for each other piece that is there. */
export interface CostLine {
  readonly baseMs: number;
  readonly slopeMs: number;
}

/** Observations that count by default: few enough to follow a change of load within seconds. */
const fewSeconds = 256;
/** Before so many nothing is said. */
const fewest = 32;
/** A spread of less than this share of the mean says nothing about the slope. */
const leastSpread = 0.05;

export class LiveFit {
  readonly #memory: number;
  #count = 0;
  #weight = 0;
  #x = 0;
  #y = 0;
  #xx = 0;
  #xy = 0;

  constructor(memory: number = fewSeconds) {
    this.#memory = memory;
  }

  observe(x: number, y: number): void {
    const keep = 1 - 1 / this.#memory;
    this.#count += 1;
    this.#weight = keep * this.#weight + 1;
    this.#x = keep * this.#x + x;
    this.#y = keep * this.#y + y;
    this.#xx = keep * this.#xx + x * x;
    this.#xy = keep * this.#xy + x * y;
  }

  /** Undefined before there is enough to say; a slope that cannot be told from none is none. */
  get line(): CostLine | undefined {
    if (this.#count < fewest) return undefined;
    const meanX = this.#x / this.#weight;
    const meanY = this.#y / this.#weight;
    const variance = this.#xx / this.#weight - meanX * meanX;
    const covariance = this.#xy / this.#weight - meanX * meanY;
    const isFlat = variance <= (leastSpread * meanX) ** 2 || covariance <= 0;
    // Work that takes no time when it is alone is the most that a queue can do.
    const slopeMs = isFlat ? 0 : Math.min(covariance / variance, meanX > 0 ? meanY / meanX : 0);
    return { baseMs: Math.max(0, meanY - slopeMs * meanX), slopeMs };
  }
}
