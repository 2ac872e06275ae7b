// The exit rules that there are, in the order in which they are read: the first that fires ends the search, so that an accepted answer is
// never called futile. What a rule does stands in its own file; its options and the setting that asks for it stand here.

import { agreed } from './agreed.ts';
import { budgets } from './budgets.ts';
import { type AgreementRule, certainBy, certaintyKnobs, certificate, lead } from './certain.ts';
import { concluded } from './concluded.ts';
import { defineExit, type ExitPart } from './definition.ts';
import type { ExitRule } from './exit.ts';
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

/** Read before the rules of certainty: an accepted answer is never called certain. */
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
  defineExit({
    name: 'agreed',
    summary: 'the answers of a tree that grows draw by draw are all the same',
    when: ({ positiveExit, certain: rule }) => positiveExit === 'on' && rule === 'off',
    make: () => agreed,
  }),
];

/** Read last: what they end is out of budget. */
const last: readonly ExitPart[] = [
  always(concluded, 'the program is certain by itself'),
  always(worth, 'another sample is not worth its price'),
  ...budgets.map((rule) => always(rule, limits)),
];

const certainties: ExitPart[] = [];

/** A name of core's rules of certainty, or of one that a package registers. */
export type CertaintyRule = 'certificate' | 'lead' | (string & Record<never, never>);

export function registerCertainty(rules: readonly AgreementRule[]): void {
  for (const rule of rules) {
    const { name, summary, readsRisk } = rule;
    if (certaintyRules().includes(name)) continue;
    certainties.push(
      defineExit({
        name,
        summary,
        options: certaintyKnobs,
        settings: readsRisk ? { risk: 'certainRisk' } : {},
        when: (settings) => settings.certain === name,
        make: (options) => certainBy(rule, options),
      }),
    );
  }
}

registerCertainty([certificate, lead]);

export function certaintyRules(): readonly CertaintyRule[] {
  return certainties.map(({ name }) => name);
}

export function exitParts(): readonly ExitPart[] {
  return [...first, ...certainties, ...last];
}
