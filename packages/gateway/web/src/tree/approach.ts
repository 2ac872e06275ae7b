// Exponential approach: the way left shrinks by the same share in the same time, whatever the frame rate, and a target
// that moves meanwhile does no harm.

const timeConstantMs = 85;

export function approach(from: number, to: number, elapsedMs: number): number {
  return to + (from - to) * Math.exp(-elapsedMs / timeConstantMs);
}
