// How a draft model would have drafted a target's answer: the rank of each token among the draft model's candidates at that place, and the probability
// of its own best one. Under greedy decoding this gives the accepted tokens of any chain or tree of drafts, without running it.

import { Context } from '@coppice/llama/batch';
import { findLibrary, loadBinding, Model } from '@coppice/llama/native';
import { type DraftPair, promptOf, type RankedAnswer } from './draft-rounds.ts';

const cells = 2048;
const rowsAtOnce = 64;

export class DraftRanks {
  readonly #pair: DraftPair;
  readonly #model: Model;
  readonly #context: Context;

  constructor(pair: DraftPair) {
    const binding = loadBinding(findLibrary());
    this.#pair = pair;
    this.#model = Model.load(binding, pair.draft);
    this.#context = Context.create(binding, this.#model, {
      cells,
      threads: pair.threads,
      rows: rowsAtOnce,
      flashAttention: true,
    });
  }

  of(question: string, written: readonly number[]): RankedAnswer {
    const prompt = this.#model.tokenizePrompt(promptOf(this.#pair.system, question));
    const tokens = [...prompt, ...written];
    const ranks: number[] = [];
    const sure: number[] = [];
    for (let from = 0; from < tokens.length - 1; from += rowsAtOnce) {
      const rows = tokens.slice(from, Math.min(from + rowsAtOnce, tokens.length - 1)).map((token, at) => {
        return { token, position: from + at, sequence: 0, wanted: from + at >= prompt.length - 1 };
      });
      this.#context.decode(rows);
      const wanted = rows.filter(({ wanted }) => wanted);
      for (const [at, { position }] of wanted.entries()) {
        const logits = this.#context.logits(at);
        ranks.push(rankIn(logits, tokens[position + 1]!));
        sure.push(bestProbability(logits));
      }
    }
    this.#context.remove(0, 0);
    return { ranks, sure };
  }

  close(): void {
    this.#context.close();
    this.#model.close();
  }
}

function rankIn(logits: Float32Array, token: number): number {
  const own = logits[token]!;
  return logits.reduce((rank, logit) => rank + Number(logit > own), 0);
}

function bestProbability(logits: Float32Array): number {
  const most = logits.reduce((best, logit) => Math.max(best, logit), Number.NEGATIVE_INFINITY);
  return Number((1 / logits.reduce((sum, logit) => sum + Math.exp(logit - most), 0)).toFixed(3));
}
