// Log probabilities as OpenAI's chat completions write them. Types only.

export interface TokenLogprob {
  /** What the token adds to the text; empty where its bytes wait for the next one. */
  readonly token: string;
  readonly logprob: number;
  readonly bytes: readonly number[];
  readonly top_logprobs: readonly never[];
}

export interface LogprobsJson {
  readonly content: readonly TokenLogprob[];
  /** Of the steps before the answer, where these go out apart. */
  readonly reasoning_content?: readonly TokenLogprob[];
  readonly refusal: null;
}
