// The entropy of a token, in nats, from its likeliest candidates. The rest counts as one token, so the result is a lower bound.

/** The most that vLLM gives by default. */
export const likeliest = 20;

export function entropyOfLikeliest(logprobs: readonly number[]): number | undefined {
  if (logprobs.length === 0) return undefined;
  const probabilities = logprobs.map(Math.exp);
  const rest = 1 - probabilities.reduce((sum, each) => sum + each, 0);
  return [...probabilities, rest].reduce((sum, each) => (each > 0 ? sum - each * Math.log(each) : sum), 0);
}
