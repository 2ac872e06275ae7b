// The entropy of a token, in nats, from the log probabilities of the likeliest ones. Servers tell no more than these: what is left
// over counts as one token more, so that the result is a lower bound, close where the model is decided.

/** How many are asked for: the most that vLLM gives unless its operator allows more. */
export const likeliest = 20;

/** Undefined where the server told nothing. */
export function entropyOfLikeliest(logprobs: readonly number[]): number | undefined {
  if (logprobs.length === 0) return undefined;
  const probabilities = logprobs.map(Math.exp);
  const rest = 1 - probabilities.reduce((sum, each) => sum + each, 0);
  return [...probabilities, rest].reduce((sum, each) => (each > 0 ? sum - each * Math.log(each) : sum), 0);
}
