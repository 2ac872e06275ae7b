// The edge of a condition: the largest rate or the smallest number at which a run satisfies it. A run takes seconds, so the search makes few.
// It assumes that a condition that holds at one rate holds at every lower one.

type Holds = (value: number) => Promise<boolean>;

interface RateSearch {
  /** Where to look first. */
  readonly from: number;
  /** Known not to hold beyond. */
  readonly cap: number;
  /** The edge is found when yes and no are this factor apart. */
  readonly precision: number;
}

/** The factor by which a search leaves a place where all was yes, or no: first, and at most, squared at every try. */
const firstStride = 1.1;
const widestStride = 2;
/** Below this share of the cap nothing is looked for. */
const leastShare = 1 / 100;

/** The middle between the last yes and the first no; the cap if all below it hold; undefined if none holds. */
export async function largestHeld(holds: Holds, { from, cap, precision }: RateSearch): Promise<number | undefined> {
  let [low, high] = [0, cap * precision];
  let stride = firstStride;
  let at = Math.min(from, cap);
  while (low === 0 || high / low > precision) {
    if (await holds(at)) low = at;
    else high = at;
    if (low === cap) return cap;
    if (high < leastShare * cap) return undefined;
    at = nextRate(low, high, cap, stride);
    stride = Math.min(widestStride, stride ** 2);
  }
  return Math.sqrt(low * high);
}

/** Outwards by strides until there are a yes and a no, then between them. */
function nextRate(low: number, high: number, cap: number, stride: number): number {
  if (low === 0) return high / stride;
  return high > cap ? Math.min(cap, low * stride) : Math.sqrt(low * high);
}

/** The smallest whole number from 1 to `most` that holds, searched for around `from`; undefined if none does. */
export async function fewestHeld(holds: Holds, from: number, most: number): Promise<number | undefined> {
  let [low, high] = [0, most + 1];
  let stride = 1;
  let at = Math.max(1, Math.min(most, from));
  while (high - low > 1) {
    if (await holds(at)) high = at;
    else low = at;
    if (high <= most && low > 0) at = Math.floor((low + high) / 2);
    else at = high <= most ? Math.max(1, high - stride) : Math.min(most, low + stride);
    stride *= 2;
  }
  return high > most ? undefined : high;
}
