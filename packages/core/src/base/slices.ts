// Long work is cut into slices of a few milliseconds, and each turn of the event loop does one of them, for one caller after the other: a thousand
// readers of long logs hold up a short request no longer than one of them does.

const waiting: (() => void)[] = [];

/** Resolves when it is the caller's turn to do the next slice, first come, first served. */
export function nextSlice(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) setImmediate(giveTurn);
  });
}

function giveTurn(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(giveTurn);
}
