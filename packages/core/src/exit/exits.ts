// The exit rules that there are, in the order in which they are read: the first that fires ends the search, so that an accepted answer is
// never called futile. What a rule does stands in its own file; its options and the setting that asks for it stand here.

import { budgets } from './budgets.ts';
import { concluded } from './concluded.ts';
import { defineExit, type ExitPart, type ExitRule } from './exit.ts';
import { selectiveNegative, strictNegative } from './negative.ts';
import { positive } from './positive.ts';
import { worth } from './worth.ts';

export const negativeKnobs = {
  firstDepthCut: {
    default: 0.7,
    low: 0,
    high: 1,
    internal: true,
    unit: 'share of the way from the threshold to 1',
    why: 'first steps below it are left out of the selective exit: P0 §4.3 names no value; at a threshold of 0.65 it is a first reward of 0.895. 0 is the strict exit',
  },
} as const;

function always(rule: ExitRule, summary: string): ExitPart {
  return defineExit({ name: rule.name, summary, make: () => rule });
}

const limits = 'a limit of the search is reached';

const first: readonly ExitPart[] = [
  defineExit({
    name: 'positive',
    summary: 'a completed path has reached the threshold (P0 §5.1)',
    when: ({ positiveExit }) => positiveExit === 'on',
    make: () => positive,
  }),
  defineExit({
    name: 'negative-strict',
    summary: 'no path can reach the threshold any more (P0 §3.4)',
    when: ({ negativeExit }) => negativeExit === 'strict',
    make: () => strictNegative,
  }),
  defineExit({
    name: 'negative-selective',
    summary: 'no path is likely to reach the threshold (P0 §4.3)',
    options: negativeKnobs,
    when: ({ negativeExit }) => negativeExit === 'selective',
    make: ({ firstDepthCut }) => selectiveNegative(firstDepthCut),
  }),
];

/** Read last: what they end is out of budget. */
const last: readonly ExitPart[] = [
  always(concluded, 'the program is certain by itself'),
  always(worth, 'another sample is not worth its price'),
  ...budgets.map((rule) => always(rule, limits)),
];

const registered: ExitPart[] = [];

/** Rules of a package: each is in the searches whose options ask for it. */
export function registerExits(parts: readonly ExitPart[]): void {
  registered.push(...parts.filter(({ name }) => !exitParts().some((each) => each.name === name)));
}

/** Rules of packages are read after those that accept or give up. */
export function exitParts(): readonly ExitPart[] {
  return [...first, ...registered, ...last];
}
