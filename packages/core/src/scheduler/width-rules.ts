// The width rules that there are. What a rule does stands in widths.ts and worth.ts; its options stand here.

import { boostMoments, defineWidths, naturalWidths, shareWidths } from './widths.ts';
import { slackWidths, worthWidths } from './worth.ts';

const gate = {
  low: 0,
  high: 1_000_000,
  whole: true,
  internal: true,
  unit: 'completed rollouts',
  why: "Algorithm 1's observation threshold, no value given: 1 with 'shares', since most searches are accepted by their first rollout; 0 in safe, whose boosts are weighed and yield",
} as const;

const boostAt = {
  values: boostMoments,
  internal: true,
  unit: 'moment',
  why: "of 'shares' and 'worth': 'doubt' leaves a search alone while its first rollout may still be accepted, and boosts it from the step on at which it cannot be; 'start' begins with what may never be needed",
} as const;

const slack = {
  default: 1,
  low: 0,
  high: 100,
  internal: true,
  unit: 'share of an idle step',
  why: "of 'slack': how much longer a step may take than on an idle engine; TAPER takes it from the objectives of its requests",
} as const;

export const widthKnobs = { slack, gate, boostAt } as const;

export const widthParts = [
  defineWidths({ name: 'natural', summary: 'every search has its natural width', make: () => naturalWidths }),
  defineWidths({
    name: 'shares',
    summary: 'all that is idle, by score (P0 §4.5)',
    options: { gate, boostAt },
    make: shareWidths,
  }),
  defineWidths({
    name: 'slack',
    summary: "as many strands as the engine's step has slack for (TAPER)",
    options: { gate, slack },
    make: slackWidths,
  }),
  defineWidths({
    name: 'worth',
    summary: 'as many strands as are worth what they add to the step and score times of all',
    options: { gate, boostAt },
    make: worthWidths,
  }),
] as const;

type WidthsName = (typeof widthParts)[number]['name'];
export const widthNames: readonly WidthsName[] = widthParts.map(({ name }) => name);
