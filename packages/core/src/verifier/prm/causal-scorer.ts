// Reward models that are language models: the reward is the probability of the good verdict against the bad one as the next token. Read
// through /v1/completions or /generative_scoring (vLLM), /v1/score (SGLang), /completion (llama-server). All reuse the prefix.

import { raise } from '../../base/fault.ts';
import { isRecord } from '../../base/record.ts';
import type { ServerFacts } from '../../engine/remote/dialect/dialect.ts';
import { dialects } from '../../engine/remote/dialect/dialects.ts';
import { type Renderer, render, type Tokens, tokenize } from '../../engine/remote/dialect/render.ts';
import { count, numberOrNaN, records } from '../../remote/wire-values.ts';
import type { Aggregation } from '../../tree/aggregate.ts';
import { badReward, type Scored, type ScoredPath, type Scorer, type ScoringServer } from '../scorer.ts';
import type { CausalFormat } from './causal-formats.ts';
import { givesChosenLogprobs, goodShare, type Labels, scoreByCompletion, tokensOf } from './verdict-token.ts';

export const noProbabilities =
  'cannot tell the probability of a token; serve the reward model with vLLM, SGLang or llama-server';

interface VerdictCall {
  readonly labels: Labels;
  readonly server: ScoringServer;
  readonly signal: AbortSignal;
}

export class CausalScorer implements Scorer {
  readonly name: string;
  readonly aggregation: Aggregation;
  readonly reusesPrefix = true;
  readonly #format: CausalFormat;
  readonly #labels = new Map<string, Labels>();

  constructor(format: CausalFormat) {
    this.#format = format;
    this.name = format.name;
    this.aggregation = format.aggregation;
  }

  mixes(facts: ServerFacts | undefined): boolean {
    return facts?.dialect === 'vllm' && givesChosenLogprobs(facts);
  }

  /** Every call costs vLLM's front end milliseconds. Where paths of all searches share one, a few calls keep the server busy. */
  callsLimit(facts: ServerFacts | undefined): number {
    return this.mixes(facts) ? 4 : 32;
  }

  async score(paths: readonly ScoredPath[], server: ScoringServer, signal: AbortSignal): Promise<Scored> {
    const asking = { labels: await this.#labelsOf(server), server, signal };
    if (this.mixes(server.facts)) return this.#scoreByCompletion(paths, asking);
    const prompts = await Promise.all(paths.map((path) => render(this.#format.render(path), rendererOf(server))));
    switch (server.facts?.dialect) {
      case 'vllm':
        return scoreOnVllm(prompts, asking);
      case 'sglang':
        return scoreOnSglang(prompts, asking);
      case 'llama-server':
        return scoreOnLlamaServer(prompts, asking);
      default:
        return raise('unsupported', `${server.connection.url} ${noProbabilities}`);
    }
  }

  async #scoreByCompletion(paths: readonly ScoredPath[], { labels, server, signal }: VerdictCall): Promise<Scored> {
    const rendered = paths.map((path) => this.#format.render(path));
    const texts = rendered.flatMap((prompt) => (prompt.kind === 'text' ? prompt.text : []));
    const prompt =
      texts.length === rendered.length
        ? texts
        : await Promise.all(rendered.map((each) => render(each, rendererOf(server))));
    return scoreByCompletion(prompt, labels, server, signal);
  }

  async #labelsOf(server: ScoringServer): Promise<Labels> {
    const { url } = server.connection;
    const known = this.#labels.get(url);
    if (known !== undefined) return known;
    const lastToken = async (label: string) => (await tokenize(label, rendererOf(server))).at(-1)!;
    const labels = await Promise.all([lastToken(this.#format.good), lastToken(this.#format.bad)]);
    this.#labels.set(url, labels);
    return labels;
  }
}

function rendererOf({ connection, facts }: ScoringServer): Renderer {
  return { connection, facts: facts!, dialect: dialects[facts!.dialect] };
}

/** The shared prefix goes first; each prompt keeps at least one token. */
export function splitPrefix(prompts: readonly Tokens[]): { readonly query: Tokens; readonly items: readonly Tokens[] } {
  const [first] = prompts;
  const shortest = Math.min(...prompts.map((each) => each.length));
  let shared = 0;
  while (shared < shortest - 1 && prompts.every((each) => each[shared] === first![shared])) shared += 1;
  return { query: first!.slice(0, shared), items: prompts.map((each) => each.slice(shared)) };
}

function postPrompts(
  path: string,
  prompts: readonly Tokens[],
  { labels, server, signal }: VerdictCall,
): Promise<unknown> {
  const { connection, facts, timeoutMs } = server;
  const body = { model: facts!.model, ...splitPrefix(prompts), label_token_ids: labels, apply_softmax: true };
  return connection.json('POST', path, body, { timeoutMs, signal });
}

async function scoreOnVllm(prompts: readonly Tokens[], asking: VerdictCall): Promise<Scored> {
  const answer = await postPrompts('/generative_scoring', prompts, asking);
  const data = isRecord(answer) ? records(answer.data) : [];
  const byIndex = new Map(data.map((each) => [each.index, numberOrNaN(each.score)]));
  const rewards = prompts.map(
    (_, index) =>
      byIndex.get(index) ?? badReward(asking.server, `gave ${data.length} scores for ${prompts.length} paths`),
  );
  return { rewards, ...tokensOf(answer) };
}

async function scoreOnSglang(prompts: readonly Tokens[], asking: VerdictCall): Promise<Scored> {
  const answer = await postPrompts('/v1/score', prompts, asking);
  const scores = isRecord(answer) && Array.isArray(answer.scores) ? answer.scores : [];
  if (scores.length !== prompts.length)
    badReward(asking.server, `gave ${scores.length} scores for ${prompts.length} paths`);
  return {
    rewards: scores.map((pair: unknown) => numberOrNaN(Array.isArray(pair) ? pair[0] : undefined)),
    ...tokensOf(answer),
  };
}

/** Both verdicts of a reward model are among so many. */
const topTokens = 50;

async function scoreOnLlamaServer(
  prompts: readonly Tokens[],
  { labels, server, signal }: VerdictCall,
): Promise<Scored> {
  const one = async (prompt: Tokens): Promise<Scored> => {
    const body = {
      prompt,
      n_predict: 1,
      n_probs: topTokens,
      temperature: 1,
      top_k: 0,
      top_p: 1,
      min_p: 0,
      cache_prompt: true,
    };
    const answer = await server.connection.json('POST', '/completion', body, { timeoutMs: server.timeoutMs, signal });
    const first = isRecord(answer) ? records(answer.completion_probabilities)[0] : undefined;
    const top = records(first?.top_logprobs);
    const timings = isRecord(answer) && isRecord(answer.timings) ? answer.timings : {};
    return {
      rewards: [
        goodShare(top, labels) ?? badReward(server, `has neither verdict among its ${topTokens} likeliest tokens`),
      ],
      computedTokens: count(timings.prompt_n) ?? prompt.length,
      cachedTokens: count(timings.cache_n) ?? 0,
    };
  };
  const scored = await Promise.all(prompts.map(one));
  return {
    rewards: scored.flatMap((each) => each.rewards),
    computedTokens: scored.reduce((sum, each) => sum + each.computedTokens, 0),
    cachedTokens: scored.reduce((sum, each) => sum + each.cachedTokens, 0),
  };
}
