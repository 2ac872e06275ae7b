// Any other reward model: a small HTTP server, asked with `{"model"?, "items": [{"question", "steps"}]}`, answers `{"rewards": [number,
// ...]}` from 0 to 1 for the last step of each item, and `"feedback": [text or null, ...]` if it can say why.

import { isRecord } from '../../base/record.ts';
import { numberOrNaN } from '../../remote/wire-values.ts';
import type { Aggregation } from '../../tree/aggregate.ts';
import { turnFacts } from '../../tree/readings/agent-turn.ts';
import { badReward, questionOf, type Scored, type ScoredPath, type Scorer, type ScoringServer } from '../scorer.ts';
import { tokensOf } from './verdict-token.ts';

export class HttpScorer implements Scorer {
  readonly name = 'http';
  readonly aggregation: Aggregation;
  readonly reusesPrefix = false;
  readonly mixes = (): boolean => true;
  readonly #path: string;
  readonly #model: string | undefined;

  constructor(path: string, model: string | undefined, aggregation: Aggregation) {
    this.#path = path;
    this.#model = model;
    this.aggregation = aggregation;
  }

  async score(paths: readonly ScoredPath[], server: ScoringServer, signal: AbortSignal): Promise<Scored> {
    const items = paths.map(({ prompt, steps }) => {
      return { question: questionOf(prompt), steps, ...turnFacts(prompt, steps.at(-1) ?? '') };
    });
    const body = { ...(this.#model === undefined ? {} : { model: this.#model }), items };
    const answer = await server.connection.json('POST', this.#path, body, { timeoutMs: server.timeoutMs, signal });
    const rewards = isRecord(answer) && Array.isArray(answer.rewards) ? answer.rewards : [];
    if (rewards.length !== items.length) badReward(server, `gave ${rewards.length} rewards for ${items.length} items`);
    const scored = { rewards: rewards.map(numberOrNaN), ...tokensOf(answer) };
    const feedback = isRecord(answer) && Array.isArray(answer.feedback) ? answer.feedback : undefined;
    return feedback === undefined ? scored : { ...scored, feedback: items.map((_, at) => words(feedback[at])) };
  }
}

function words(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
