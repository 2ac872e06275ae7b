// Does search pay on this model? A few questions through greedy, self-consistency and MCTS on the same engine, and a
// verdict that does not claim more than so few questions can show.

import type { GoldQuestion } from '../../answering/question-file.ts';
import { isRight, type QuestionForm } from '../../answering/question-form.ts';
import type { Engine } from '../../engine/engine.ts';
import type { Verifier } from '../../verifier/verifier.ts';
import { type Contender, type Contest, runBlock, type Trial } from '../contest/contest.ts';
import { type Tally, tally } from '../contest/tally.ts';

export interface CompareOptions {
  readonly engine: Engine;
  readonly verifier: Verifier;
  readonly questions: readonly GoldQuestion[];
  readonly formOf: (question: GoldQuestion) => QuestionForm;
  readonly rollouts: number;
  readonly budget: number;
  readonly seed: number;
  readonly onTrial?: (trial: Trial) => void;
}

export async function compare(options: CompareOptions): Promise<Tally[]> {
  const { engine, verifier, questions, formOf, rollouts, budget, seed } = options;
  const contenders: Contender[] = [
    { name: 'greedy', program: 'greedy', policy: 'vanilla', rollouts: 1 },
    { name: `self-consistency ${rollouts}`, program: 'self-consistency', policy: 'vanilla', rollouts },
    { name: `mcts ${rollouts}`, program: 'mcts', policy: 'positive', rollouts },
  ];
  const settings = { branching: 4, threshold: 0.9, choose: 'best', budget, concurrency: 4, seed } as const;
  const contest: Contest = { engine, verifier, settings, formOf, isCorrect: isRight };
  const tallies: Tally[] = [];
  for (const contender of contenders) {
    const trials: Trial[] = [];
    await runBlock(contest, contender, questions, (trial) => {
      trials.push(trial);
      options.onTrial?.(trial);
    });
    tallies.push(tally(contender.name, trials));
  }
  return tallies;
}

/** The best contender against greedy, with how sure so few questions make us. */
export function verdict(tallies: readonly Tally[]): string {
  const [greedy, ...others] = tallies;
  const best = others.reduce((a, b) => (b.accuracy.value > a.accuracy.value ? b : a));
  const gain = best.accuracy.value - greedy!.accuracy.value;
  const price = best.tokens / Math.max(1, greedy!.tokens);
  const said = `${best.contender} answers ${percent(best.accuracy.value)} % right, greedy ${percent(greedy!.accuracy.value)} %, for ${price.toFixed(1)} times the tokens`;
  if (gain <= 0) return `search does not pay here: ${said}`;
  if (best.accuracy.low > greedy!.accuracy.high) return `search pays here: ${said}`;
  return `search may pay here, but ${greedy!.questions} questions cannot show it: ${said}; try more with coppice bench`;
}

function percent(share: number): string {
  return (100 * share).toFixed(0);
}
