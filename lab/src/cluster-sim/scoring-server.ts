// A reward model behind the HTTP contract of scorers, in virtual time: waiting inputs go into one pass, whose time follows from its tokens
// by the measured table.

import { type CostModel, prefillMs } from '@coppice/core/cost';
import type { PathStep } from '@coppice/core/engine';
import type { QuestionModel } from '@coppice/sim/engine';
import type { NetworkServer, VirtualExchange } from './network.ts';
import type { VirtualTime } from './virtual-time.ts';

export interface ScorerKind {
  readonly cost: CostModel;
  readonly passTokens: number;
  /** Beside its pass. */
  readonly callMs: number;
  /** A longer path costs only its new step. */
  readonly reusesPrefix: boolean;
  /** Mean tokens of a step: the wire carries texts. */
  readonly stepTokens: number;
}

interface ScoreItem {
  readonly question: string;
  readonly steps: readonly string[];
}

interface Waiting {
  readonly exchange: VirtualExchange;
  readonly items: readonly ScoreItem[];
  readonly tokens: number;
}

export class RewardServer implements NetworkServer {
  readonly #time: VirtualTime;
  readonly #questions: QuestionModel;
  readonly #kind: ScorerKind;
  readonly #waiting: Waiting[] = [];
  #isBusy = false;

  constructor(time: VirtualTime, questions: QuestionModel, kind: ScorerKind) {
    this.#time = time;
    this.#questions = questions;
    this.#kind = kind;
  }

  receive(exchange: VirtualExchange): void {
    const { items } = exchange.request.body as { readonly items: readonly ScoreItem[] };
    const tokens = items.reduce((sum, item) => sum + this.#tokens(item), 0);
    this.#waiting.push({ exchange, items, tokens });
    if (this.#isBusy) return;
    this.#isBusy = true;
    this.#time.gpu.lateAt(this.#time.nowMs, () => this.#pass());
  }

  #tokens({ question, steps }: ScoreItem): number {
    const { reusesPrefix, stepTokens } = this.#kind;
    if (reusesPrefix) return stepTokens;
    return this.#questions.promptTokens({ kind: 'text', text: question }) + steps.length * stepTokens;
  }

  #pass(): void {
    const { cost, passTokens, callMs } = this.#kind;
    const batch: Waiting[] = [];
    let tokens = 0;
    while (this.#waiting.length > 0 && (tokens === 0 || tokens + this.#waiting[0]!.tokens <= passTokens)) {
      const next = this.#waiting.shift()!;
      if (next.exchange.isClosed) continue;
      tokens += next.tokens;
      batch.push(next);
    }
    if (batch.length === 0) {
      this.#isBusy = false;
      return;
    }
    const endMs = this.#time.nowMs + prefillMs(cost, tokens);
    this.#time.gpu.at(endMs, () => this.#pass());
    this.#time.gpu.at(endMs + callMs, () => {
      for (const { exchange, items } of batch) this.#answer(exchange, items);
    });
  }

  #answer(exchange: VirtualExchange, items: readonly ScoreItem[]): void {
    const rewards = items.map(({ question, steps }) => {
      const path = steps.map(
        (text) => ({ key: 0, step: { text, tokens: 1, meanLogprob: 0, end: 'delimiter' } }) as PathStep,
      );
      const { step } = path.pop()!;
      return this.#questions.reward({ kind: 'text', text: question }, path, step);
    });
    exchange.end(JSON.stringify({ rewards }));
  }
}
