// Tokens and money of one search, by model. Keeps nothing where draws name no model and nothing has a price. Spending before a restart is
// estimated from the tree, which knows neither the question's tokens nor cache hits.

import type { GenerationUsage } from '../../engine/engine.ts';
import type { Cost, WriterCost } from '../../log/end.ts';
import type { Tree } from '../../tree/tree.ts';
import type { SearchRequest } from './request.ts';

type Writers = Pick<SearchRequest, 'model' | 'writers'>;

const nothing: WriterCost = { calls: 0, promptTokens: 0, cachedTokens: 0, generatedTokens: 0 };
const perPrice = 1e6;

export class Spending {
  readonly #own: string;
  readonly #writers: SearchRequest['writers'];
  readonly #byModel = new Map<string, WriterCost>();
  #before = 0;

  constructor({ model = '', writers }: Writers) {
    this.#own = model;
    this.#writers = writers;
  }

  generated(usage: GenerationUsage, model: string = this.#own): void {
    if (this.#writers === undefined) return;
    const known = this.#byModel.get(model) ?? nothing;
    this.#byModel.set(model, {
      calls: known.calls + 1,
      promptTokens: known.promptTokens + usage.computedTokens,
      cachedTokens: known.cachedTokens + usage.cachedTokens,
      generatedTokens: known.generatedTokens + usage.generatedTokens,
    });
  }

  /** Each step was written once, below a path that was read once. */
  resumed(tree: Tree): void {
    for (const { step, parent } of tree.nodes) {
      if (step === undefined) continue;
      const read = { ...nothing, promptTokens: parent?.pathTokens ?? 0, generatedTokens: step.tokens };
      this.#before += this.#priced(step.model ?? this.#own, read) ?? 0;
    }
  }

  get money(): number | undefined {
    if (!Object.values(this.#writers ?? {}).some(({ price }) => price !== undefined)) return undefined;
    let sum = this.#before;
    for (const [model, cost] of this.#byModel) sum += this.#priced(model, cost) ?? 0;
    return sum;
  }

  cost(): Pick<Cost, 'models' | 'money'> {
    if (this.#writers === undefined) return {};
    const { money } = this;
    const models = [...this.#byModel].map(([model, cost]) => {
      const priced = this.#priced(model, cost);
      return [model, priced === undefined ? cost : { ...cost, money: rounded(priced) }] as const;
    });
    return { models: Object.fromEntries(models), ...(money === undefined ? {} : { money: rounded(money) }) };
  }

  #priced(model: string, cost: WriterCost): number | undefined {
    const price = this.#writers?.[model]?.price;
    if (price === undefined) return undefined;
    const { prompt, cached = prompt, generated } = price;
    return (cost.promptTokens * prompt + cost.cachedTokens * cached + cost.generatedTokens * generated) / perPrice;
  }
}

/** Millionths are enough for any currency. */
function rounded(money: number): number {
  return Math.round(money * perPrice) / perPrice;
}
