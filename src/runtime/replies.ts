// What an engine's text means to the search that asked for it: where a string of the client ends an answer, and what a probe
// was told. An engine is told of such strings as of delimiters; everyone after it, the verifier included, sees the step as it is then.

import type { ProbeReply } from '../tree/events.ts';
import type { Manner, Step } from '../tree/step.ts';

/** A step that ends with one of the strings is the end of its path, and the string is no part of it. */
export function endedAtStop(step: Step, stops: readonly string[]): Step {
  const stop = step.end === 'delimiter' ? stops.find((each) => step.text.endsWith(each)) : undefined;
  if (stop === undefined) return step;
  // The tokens of the string were generated and stay counted; continuing by token id has no meaning after the end.
  const { tokenIds: _, pieces, ...rest } = step;
  const text = step.text.slice(0, -stop.length);
  return { ...rest, text, end: 'eos', ...(pieces === undefined ? {} : { pieces: cutPieces(pieces, text.length) }) };
}

/** The pieces of the first `length` characters; what lies beyond is empty. */
function cutPieces(pieces: readonly string[], length: number): string[] {
  let left = length;
  return pieces.map((piece) => {
    const kept = piece.slice(0, left);
    left -= kept.length;
    return kept;
  });
}

/** The answer is read off the probe alone: the path may have named others before. One that was cut has none. */
export function replyTo(
  { suffix = '' }: Manner,
  { text, tokens, end, entropy }: Step,
  extract: (text: string) => string | undefined,
): ProbeReply {
  const whole = end !== 'length';
  const answer = whole ? extract(suffix + text) : undefined;
  const found = { ...(answer === undefined ? {} : { answer }), ...(entropy === undefined ? {} : { entropy }) };
  return { text, tokens, whole, ...found };
}
