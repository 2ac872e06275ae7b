// The user's causal reward model: compares coppice's scores with the log probabilities of one completion token.

import { expect } from 'vitest';
import type { ServerFacts } from '../../packages/core/src/engine/remote/dialect/dialect.ts';
import { dialects } from '../../packages/core/src/engine/remote/dialect/dialects.ts';
import { probe } from '../../packages/core/src/engine/remote/dialect/probe.ts';
import { render, tokenize } from '../../packages/core/src/engine/remote/dialect/render.ts';
import { Connection } from '../../packages/core/src/remote/connection.ts';
import type { Prompt } from '../../packages/core/src/tree/step.ts';
import { causalFormats } from '../../packages/core/src/verifier/prm/causal-formats.ts';
import { CausalScorer } from '../../packages/core/src/verifier/prm/causal-scorer.ts';

const prompt: Prompt = {
  kind: 'chat',
  messages: [{ role: 'user', content: 'Tom has 3 boxes of 4 apples and eats 2. How many are left?' }],
};
const siblings = ['3 times 4 is 12 apples.', '3 plus 4 is 7 apples.', 'Tom likes apples.', '12 minus 2 is 10.'];

/** 16-bit numbers and other batches change a probability a little. */
const tolerance = 0.03;

export async function scoresAgree(url: string): Promise<void> {
  const connection = new Connection({ url });
  try {
    const facts = await probe(connection);
    const format = causalFormats['math-shepherd'];
    const server = { connection, facts, timeoutMs: 60_000 };
    const paths = siblings.map((step) => ({ prompt, steps: ['Each box holds 4 apples.', step] }));
    const { rewards } = await new CausalScorer(format).score(paths, server, AbortSignal.timeout(60_000));
    const renderer = { connection, facts, dialect: dialects[facts.dialect] };
    const labels = await Promise.all(
      [format.good, format.bad].map(async (each) => (await tokenize(each, renderer)).at(-1)!),
    );
    const told: number[] = [];
    for (const path of paths) {
      const ids = await render(format.render(path), renderer);
      told.push(shareOf(await nextToken(connection, facts, ids, labels), labels));
    }
    console.log(
      `scores ${rewards.map((each) => each.toFixed(3))}, by one token ${told.map((each) => each.toFixed(3))}`,
    );
    for (const [at, reward] of rewards.entries()) expect(Math.abs(reward - told[at]!)).toBeLessThan(tolerance);
  } finally {
    connection.close();
  }
}

type Logprobs = ReadonlyMap<number, number>;

/** Log probabilities of both verdicts as the next token, by the server's other API. */
async function nextToken(
  connection: Connection,
  facts: ServerFacts,
  ids: readonly number[],
  labels: readonly number[],
): Promise<Logprobs> {
  if (facts.dialect === 'sglang') {
    const body = { sampling_params: { max_new_tokens: 1, temperature: 0 }, return_logprob: true };
    const asked = { ...body, input_ids: ids, token_ids_logprob: labels };
    const answer = (await connection.json('POST', '/generate', asked)) as {
      meta_info: { output_token_ids_logprobs: [number, number, unknown][][] };
    };
    return new Map(answer.meta_info.output_token_ids_logprobs[0]!.map(([logprob, id]) => [id, logprob]));
  }
  const body = { model: facts.model, prompt: ids, max_tokens: 1, temperature: 0, logprobs: 20 };
  const answer = (await connection.json('POST', '/v1/completions', { ...body, return_tokens_as_token_ids: true })) as {
    choices: { logprobs: { top_logprobs: Record<string, number>[] } }[];
  };
  const top = Object.entries(answer.choices[0]!.logprobs.top_logprobs[0]!);
  return new Map(top.map(([token, logprob]) => [Number(token.split(':')[1]), logprob]));
}

function shareOf(logprobs: Logprobs, [good, bad]: readonly number[]): number {
  const [plus, minus] = [good, bad].map((label) => Math.exp(logprobs.get(label!) ?? Number.NEGATIVE_INFINITY));
  return plus! / (plus! + minus!);
}
