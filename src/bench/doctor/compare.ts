// Does search pay on this model? A few questions through greedy, self-consistency and MCTS on the same engine, and a
// verdict that does not claim more than so few questions can show.

import type { OpenModel } from '../../answering/open-model.ts';
import type { GoldQuestion } from '../../answering/question-file.ts';
import { isRight } from '../../answering/question-form.ts';
import { type Contender, type Contest, runBlock, type Trial } from '../contest/contest.ts';
import { type Tally, tally } from '../contest/tally.ts';

interface CompareOptions {
  readonly model: OpenModel;
  readonly questions: readonly GoldQuestion[];
  readonly rollouts: number;
  readonly seed: number;
  readonly onTrial?: (trial: Trial) => void;
}

export async function compare(options: CompareOptions): Promise<Tally[]> {
  const { model, questions, rollouts, seed } = options;
  const contenders: Contender[] = [
    { name: 'greedy', program: 'greedy', policy: 'vanilla', rollouts: 1 },
    { name: `self-consistency ${rollouts}`, program: 'self-consistency', policy: 'vanilla', rollouts },
    { name: `mcts ${rollouts}`, program: 'mcts', policy: 'positive', rollouts },
  ];
  const settings = { wish: {}, budget: model.config.budget, concurrency: 4, seed };
  const contest: Contest = { model, settings, isCorrect: isRight };
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
  if (tallies.every(({ accuracy }) => accuracy.value === 0)) return unsuitable(greedy!.questions);
  if (gain <= 0) return `search does not pay here: ${said}`;
  if (best.accuracy.low > greedy!.accuracy.high) return `search pays here: ${said}`;
  return `search may pay here, but ${greedy!.questions} questions cannot show it: ${said}; try more with coppice bench`;
}

/** Contenders without a single right answer cannot be compared. */
function unsuitable(questions: number): string {
  const reasons = 'they are too hard for it, or its answers are not marked as asked ("The answer is …")';
  return `nothing can be said: none of the ${questions} questions was answered right by any contender, so they do not suit the model: ${reasons}; try your own with --questions`;
}

function percent(share: number): string {
  return (100 * share).toFixed(0);
}
