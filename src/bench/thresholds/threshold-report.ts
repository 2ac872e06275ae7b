// A calibrated section in words: what was chosen, on how many questions, and what it gave on the others.

import type { CalibrationSection } from '../../calibration/calibration-file.ts';

export function thresholdReport(section: CalibrationSection): string {
  const { search, lossBudget, chosen, reported, expected } = section;
  const { pointsLost, tokensSaved } = reported;
  const counted = section.kind === 'certain' ? ' (one question more than was seen)' : '';
  const runs = section.kind === 'certain' ? 'run without and with it' : 'from what each would have done';
  return [
    `${search.program}, ${search.rollouts} rollouts, at most ${lossBudget} points of accuracy to lose`,
    `chosen on ${chosen.questions} questions: ${chosenText(section)}`,
    `  there: ${chosen.tokensSaved.toFixed(1)} % of tokens saved, ${chosen.pointsLost.toFixed(2)} points lost${counted}`,
    `on ${reported.questions} others, ${runs}, 95 % intervals, paired:`,
    `  tokens saved ${tokensSaved.value.toFixed(1)} % (${tokensSaved.low.toFixed(1)} to ${tokensSaved.high.toFixed(1)})`,
    `  accuracy lost ${pointsLost.value.toFixed(2)} points (${pointsLost.low.toFixed(2)} to ${pointsLost.high.toFixed(2)})`,
    `  ${(100 * expected.firedShare).toFixed(0)} % of searches ended by it; ${expected.tokens.toFixed(0)} tokens a search`,
    ...(pointsLost.high > lossBudget
      ? [
          `  so few questions do not show that the loss is below ${lossBudget} points: the interval reaches ${pointsLost.high.toFixed(2)}`,
        ]
      : []),
  ].join('\n');
}

function chosenText(section: CalibrationSection): string {
  const set = Object.entries(section.settings).map(([name, value]) => `${name} ${value}`);
  return (section.kind === 'certain' ? set : [`settled below ${section.hazard.below}`, ...set]).join(', ');
}
