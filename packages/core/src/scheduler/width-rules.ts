// The width rules that there are. What a rule does stands in widths.ts and gain.ts; its options stand here.

import { gainWidths } from './gain.ts';
import { defineWidths, naturalWidths, shareWidths } from './widths.ts';

export const widthKnobs = {
  gate: {
    default: 1,
    low: 0,
    high: 1_000_000,
    whole: true,
    internal: true,
    unit: 'completed rollouts',
    why: "of 'shares': Algorithm 1's observation threshold, no value given: 1, since most searches are accepted by their first rollout",
  },
} as const;

export const widthParts = [
  defineWidths({ name: 'natural', summary: 'every search has its natural width', make: () => naturalWidths }),
  defineWidths({
    name: 'shares',
    summary: 'all that is idle, by score (P0 §4.5)',
    options: widthKnobs,
    make: shareWidths,
  }),
  defineWidths({
    name: 'gain',
    summary: 'as many strands as gain more than they add to the step and score times of all',
    make: () => gainWidths,
  }),
] as const;

export const widthNames: readonly (typeof widthParts)[number]['name'][] = widthParts.map(({ name }) => name);
