// A language model as judge: rates the newest step from 1 to 10 (the state evaluator of P2 §3 and appendix D). The prompt is a text file
// with `{question}`, `{steps}` and `{step}`. The rating is the expected one at the last number of the reply (judge-verdict.ts), or that
// number without log probabilities.

import { readFileSync } from 'node:fs';
import { FaultError, raise } from '../../base/fault.ts';
import { isRecord } from '../../base/record.ts';
import type { Connection } from '../../remote/connection.ts';
import { count, records, text } from '../../remote/wire-values.ts';
import type { Aggregation } from '../../tree/aggregate.ts';
import { badReward, questionOf, type Scored, type ScoredPath, type Scorer, type ScoringServer } from '../scorer.ts';
import { expectedRating, ratedTokens } from './judge-verdict.ts';

const [lowest, highest] = [1, 10];
const maxTokens = 128;
const shippedPrompt = new URL('../../../prompts/value.txt', import.meta.url);

export class JudgeScorer implements Scorer {
  readonly name = 'judge';
  /** Ratings are no probabilities to be multiplied. */
  readonly aggregation: Aggregation = 'mean';
  readonly reusesPrefix = true;
  /** A rating is a generation of its own and waits for no other. */
  readonly pathsLimit = 1;
  readonly callsLimit = (): number => 64;
  readonly mixes = (): boolean => false;
  readonly #template: string;
  readonly #mute = new WeakSet<Connection>();

  constructor(promptFile?: string) {
    this.#template = readPrompt(promptFile);
  }

  async score(paths: readonly ScoredPath[], server: ScoringServer, signal: AbortSignal): Promise<Scored> {
    const ratings = await Promise.all(paths.map((path) => this.#rate(path, server, signal)));
    return {
      rewards: ratings.map(({ rating }) => (rating - lowest) / (highest - lowest)),
      feedback: ratings.map(({ reason }) => reason),
      computedTokens: ratings.reduce((sum, each) => sum + each.tokens, 0),
      cachedTokens: 0,
    };
  }

  async #rate(path: ScoredPath, server: ScoringServer, signal: AbortSignal) {
    const { reply, rated, tokens } = await this.#ask(fillPrompt(this.#template, path), server, signal);
    const written = lastNumber(reply);
    if (written === undefined || written < lowest || written > highest) {
      return badReward(
        server,
        `rated a step '${reply.slice(-60).replace(/\s+/g, ' ')}', without a number from ${lowest} to ${highest}`,
      );
    }
    const reason = /\p{L}{3}/u.test(reply) ? reply.trim() : undefined;
    return { rating: expectedRating(rated, lowest, highest) ?? written, reason, tokens };
  }

  async #ask(content: string, server: ScoringServer, signal: AbortSignal) {
    const { connection, timeoutMs } = server;
    const body = {
      model: server.facts?.model,
      messages: [{ role: 'user', content }],
      temperature: 0,
      max_tokens: maxTokens,
    };
    const probabilities = { logprobs: true, top_logprobs: candidates };
    const post = (more: object) =>
      connection.json('POST', '/v1/chat/completions', { ...body, ...more }, { timeoutMs, signal });
    const answer = await (this.#mute.has(connection)
      ? post({})
      : post(probabilities).catch((error: unknown) => {
          if (!(error instanceof FaultError) || error.fault.code !== 'refused') throw error;
          // Without log probabilities the written number is all there is.
          this.#mute.add(connection);
          return post({});
        }));
    const choice = isRecord(answer) ? records(answer.choices)[0] : undefined;
    const reply = isRecord(choice?.message) ? text(choice.message.content) : '';
    const usage = isRecord(answer) && isRecord(answer.usage) ? answer.usage : {};
    return { reply, rated: ratedTokens(choice?.logprobs), tokens: count(usage.total_tokens) ?? 0 };
  }
}

/** The most that vLLM and OpenAI give. */
const candidates = 20;

export function fillPrompt(template: string, { prompt, steps }: ScoredPath): string {
  const before = steps.slice(0, -1).map((step, at) => `${at + 1}. ${step}`);
  const listed = before.length === 0 ? '(none yet)' : before.join('\n');
  const values: Record<string, string> = { question: questionOf(prompt), steps: listed, step: steps.at(-1) ?? '' };
  return template.replace(/\{(\w+)\}/g, (whole, name: string) => (Object.hasOwn(values, name) ? values[name]! : whole));
}

export function lastNumber(reply: string): number | undefined {
  const found = reply.match(/-?\d+(\.\d+)?/g)?.at(-1);
  return found === undefined ? undefined : Number(found);
}

function readPrompt(file: string | undefined): string {
  let template: string;
  try {
    template = readFileSync(file ?? shippedPrompt, 'utf8');
  } catch (error) {
    return raise(
      'bad-setting',
      `promptFile '${file}' cannot be read: ${error instanceof Error ? error.message : error}`,
    );
  }
  if (template.includes('{step}')) return template;
  return raise('bad-setting', `promptFile '${file}' has no {step}; it must say where the newest step goes`);
}
