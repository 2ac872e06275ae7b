// The questions of a comparison, repeated in their order, as coppice puts them to a model. Both sides ask the same.

import { extractAnswer } from '@coppice/core/answer';
import { buildSearch, type GoldQuestion, type OpenModel, ownPlan, requestOf, type Wish } from '@coppice/core/answering';
import { hash } from '@coppice/core/base';
import type { Prompt, Sampling, SearchRequest } from 'coppice';

export interface AskedPlan {
  readonly prompt: Prompt;
  readonly sampling: Sampling;
  readonly maxTokens: number;
}

export class WireQuestions {
  readonly #model: OpenModel;
  readonly #questions: readonly GoldQuestion[];
  readonly #wish: Wish & { readonly maxTokens: number };
  #asked = 0;

  constructor(model: OpenModel, questions: readonly GoldQuestion[], wish: Wish & { readonly maxTokens: number }) {
    this.#model = model;
    this.#questions = questions;
    this.#wish = wish;
  }

  nextPlan(): AskedPlan {
    const { prompt, sampling } = this.#plan();
    return { prompt, sampling, maxTokens: this.#wish.maxTokens };
  }

  nextSearch(): SearchRequest {
    const plan = this.#plan();
    return requestOf(buildSearch(plan), `wire-${this.#asked}`, this.#model.extract ?? extractAnswer);
  }

  /** Not repeatable, as a request to a server is that names no seed: a seed costs the engine time. */
  #plan() {
    const question = this.#questions[this.#asked % this.#questions.length]!;
    this.#asked += 1;
    return ownPlan(this.#model, question.question, { ...this.#wish, seed: undefined }, hash('wire', this.#asked));
  }
}
