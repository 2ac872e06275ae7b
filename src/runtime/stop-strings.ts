// Strings of the client that end an answer. An engine is told of them as of delimiters; a step that ends with one is the end
// of its path, and the string is no part of it. Everyone after the engine, the verifier included, sees the step as it is then.

import type { Step } from '../tree/step.ts';

export function endedAtStop(step: Step, stops: readonly string[]): Step {
  const stop = step.end === 'delimiter' ? stops.find((each) => step.text.endsWith(each)) : undefined;
  if (stop === undefined) return step;
  // The tokens of the string were generated and stay counted; continuing by token id has no meaning after the end.
  const { tokenIds: _, ...rest } = step;
  return { ...rest, text: step.text.slice(0, -stop.length), end: 'eos' };
}
