// Exponential approach: the distance shrinks by the same share in the same time, at any frame rate; the target may move.

const timeConstantMs = 85;

export function approach(from: number, to: number, elapsedMs: number): number {
  return to + (from - to) * Math.exp(-elapsedMs / timeConstantMs);
}
