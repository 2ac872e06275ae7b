// Chosen thresholds in words: the settings, on how many questions they were chosen, and what they gave on the others.

import type { ChosenThresholds } from './threshold-run.ts';

export function thresholdReport({ search, settings, lossBudget, chosen, reported }: ChosenThresholds): string {
  const { pointsLost, tokensSaved, firedShare, tokens } = reported;
  const set = Object.entries(settings).map(([name, value]) => `${name} ${value}`);
  return [
    `${search.program}, ${search.rollouts} rollouts, at most ${lossBudget} points of accuracy to lose`,
    `chosen on ${chosen.questions} questions: ${set.join(', ')}`,
    `  there: ${chosen.tokensSaved.toFixed(1)} % of tokens saved, ${chosen.pointsLost.toFixed(2)} points lost (one question more than was seen)`,
    `on ${reported.questions} others, run without and with it, 95 % intervals, paired:`,
    `  tokens saved ${tokensSaved.value.toFixed(1)} % (${tokensSaved.low.toFixed(1)} to ${tokensSaved.high.toFixed(1)})`,
    `  accuracy lost ${pointsLost.value.toFixed(2)} points (${pointsLost.low.toFixed(2)} to ${pointsLost.high.toFixed(2)})`,
    `  ${(100 * firedShare).toFixed(0)} % of searches ended by it; ${tokens.toFixed(0)} tokens a search`,
    ...(pointsLost.high > lossBudget
      ? [
          `  so few questions do not show that the loss is below ${lossBudget} points: the interval reaches ${pointsLost.high.toFixed(2)}`,
        ]
      : []),
  ].join('\n');
}
