// Every knob of a policy with its unit, default, bounds and the reason for its default; the parts have none, since each
// policy sets them (parts.ts). Checked when a policy is made; an unknown knob or a value out of bounds is refused with the
// value, the bound and the name. Those that belong to one search may be set by its client; those of the budget that all
// searches share are the operator's.

import { raise } from '../base/fault.ts';
import { complaint, defaultsOf, type Knob, type Knobs, type OptionsOf } from '../base/knob.ts';
import { certaintyRules } from '../exit/certain.ts';
import { boundTargets } from '../exit/prune-bound.ts';
import { idlePrecedences, precedences } from '../scheduler/algorithm-1.ts';
import { preemptions } from '../scheduler/preemption.ts';
import { progressReadings } from '../scheduler/score.ts';
import { orders } from '../scheduler/turns/order.ts';
import { boostMoments } from '../scheduler/widths.ts';

export const widthRules = ['natural', 'shares', 'slack', 'worth'] as const;

export const policyKnobs = {
  positiveExit: {
    values: ['off', 'on'],
    client: 'coppice',
    unit: 'part',
    why: 'ends a search whose best completed path reaches the threshold (P0 §5.1): on in every policy but vanilla',
  },
  negativeExit: {
    values: ['off', 'strict', 'selective'],
    client: 'coppice',
    unit: 'part',
    why: "gives up on a question: 'strict' (P0 §3.4) where no path can reach the threshold any more, 'selective' (§4.3) where none is likely to",
  },
  firstDepthCut: {
    default: 0.7,
    low: 0,
    high: 1,
    client: 'coppice',
    unit: 'share of the way from the threshold to 1',
    why: 'first steps below it are left out of the selective exit: P0 §4.3 names no value; at a threshold of 0.65 it is a first reward of 0.895. 0 is the strict exit',
  },
  futileDraws: {
    default: 0,
    low: 0,
    high: 64,
    whole: true,
    client: 'coppice',
    unit: 'draws',
    why: 'of lazy trees: a node with so many futile draws in a row is left out of the selective exit. 0 is off: it is a bet, to be calibrated',
  },
  settledExit: {
    values: ['off', 'on'],
    client: 'coppice',
    unit: 'part',
    why: 'ends a search once more work is unlikely to make its answer right, by what coppice calibrate has fitted for this model and search: without that it never does',
  },
  boundPrune: {
    values: ['off', ...boundTargets],
    client: 'coppice',
    unit: 'target',
    why: "ends strands that cannot win: 'best' is branch and bound, and costs no answer its place; 'threshold' is the rule of P0 §4.1",
  },
  chancePrune: {
    default: 0,
    low: 0,
    high: 1,
    client: 'coppice',
    unit: 'probability',
    why: "0 is off: P0's table has no row for it. A strand less likely than this to reach the threshold is ended",
  },
  beatPrune: {
    low: 0,
    high: 1,
    client: 'coppice',
    unit: 'probability',
    why: 'a rollout less likely than this to beat the best answer so far is not carried on; its leaf stays, and the question goes on with its next rollout. 0 is off',
  },
  promisePrune: {
    default: 0,
    low: 0,
    high: 1,
    client: 'coppice',
    unit: 'probability',
    why: '0 is off: it needs a verifier with a second reading. A strand whose step promises less than this to end right is ended',
  },
  confidencePrune: {
    default: 0,
    low: 0,
    high: 1,
    client: 'coppice',
    unit: 'share of samples',
    why: '0 is off. A sample that becomes less sure of its words than so many of the first ones were at their worst is ended: 0.1 ends few (the high setting of DeepConf), 0.9 most (its low one)',
  },
  confidenceWindow: {
    default: 64,
    low: 1,
    high: 100_000,
    whole: true,
    client: 'coppice',
    unit: 'tokens',
    why: 'of confidencePrune: tokens over which a sample is as sure as it is; the authors take 2048 of answers of 30,000, this is for answers of some hundred',
  },
  confidenceWarmup: {
    default: 8,
    low: 1,
    high: 100_000,
    whole: true,
    client: 'coppice',
    unit: 'samples',
    why: "of confidencePrune: complete samples before any is ended; half of the usual 16, which is the authors' own for far more samples",
  },
  certain: {
    default: 'off',
    values: ['off', ...certaintyRules],
    client: 'coppice',
    unit: 'rule',
    why: "ends a search whose answers agree: off, since P0's table has no row for it; 'certificate' may be read after every sample and keeps its word, 'threshold' is P1's, for every program",
  },
  certainRisk: {
    default: 0.05,
    low: 0.000001,
    high: 0.5,
    client: 'coppice',
    unit: 'probability',
    why: "of 'certificate' the share of wrong stops that it allows; of 'beta' 1 minus the authors' 0.95",
  },
  certainAnswers: {
    default: 5,
    low: 2,
    high: 100_000,
    whole: true,
    client: 'coppice',
    unit: 'answers',
    why: "a window of 'windows', the authors' 5; 'threshold', 'curve' and 'margin' are read from so many answers on",
  },
  certainAgreement: {
    default: 0.7,
    low: 0,
    high: 1,
    client: 'coppice',
    unit: 'certainty',
    why: "of 'threshold': 1 minus the normalised entropy of the answers; P1 table 1 for self-consistency, 0.75 to 0.99 for trees",
  },
  certainEvery: {
    default: 1,
    low: 0,
    high: 100_000,
    whole: true,
    client: 'coppice',
    unit: 'answers',
    why: "of 'threshold' and 'curve': read every so many answers; 1 reads all, P1 §6.4 tries 5, and 0 reads once at certainAnswers (its static threshold, and its curve over first readings)",
  },
  certainCurve: {
    default: 1,
    low: 0.01,
    high: 100,
    client: 'coppice',
    unit: 'exponent',
    why: "of 'curve': a search gets certainAnswers answers and, of the rest of its rollouts, the share (1 - agreement) to this power; 1 is a straight line, to be calibrated",
  },
  certainReward: {
    default: 0,
    low: 0,
    high: 1,
    client: 'coppice',
    unit: 'reward',
    why: "of 'threshold': what the rewards of completed paths must reach too; 0 asks for none. P1 table 1: 0.4 for mcts (the mean), 0.99 for rebase (the maximum)",
  },
  eagerReward: {
    low: 0,
    high: 1,
    client: 'coppice',
    unit: 'reward',
    why: 'of mcts: a rollout goes on to the best of the first siblings once its reward is this high, before the others have come; 0 waits for all. It trades a little accuracy for time: docs/policies.md',
  },
  lengthExit: {
    default: 0,
    low: 0,
    high: 1_000_000,
    whole: true,
    client: 'coppice',
    unit: 'tokens',
    why: 'P1 §6.2, a baseline: a search whose first certainAnswers answers are longer than this on average gets no more; 0 is off',
  },
  widths: {
    values: widthRules,
    unit: 'rule',
    why: "who gets strands that are idle: nobody (natural), all by score (shares, P0 §4.5), as many as the engine's step has slack for (slack, TAPER), or as many as are worth what they add to everyone's step and score (worth)",
  },
  elasticity: {
    default: 0.5,
    low: 0,
    high: 1,
    unit: 'per cent per per cent',
    why: "of 'worth': a strand may stretch everyone's round by so much for one per cent more strands; 0.5 is a round of twice the time of an idle one",
  },
  slack: {
    default: 1,
    low: 0,
    high: 100,
    unit: 'share of an idle step',
    why: "of 'slack': how much longer a step may take than on an idle engine; TAPER takes it from the objectives of its requests",
  },
  first: {
    default: 'admit',
    values: precedences,
    unit: 'who',
    why: 'who gets freed strands first: boosting before admitting trades waiting searches for inefficient speed-up: P0 §5.3, 0.8x throughput',
  },
  preemption: {
    default: 'needed',
    values: preemptions,
    unit: 'when',
    why: "when strands are taken back: a preempted rollout loses its steps in flight; 'eager' is Algorithm 1 to the letter",
  },
  beta: {
    default: 2,
    low: 0,
    high: 1000,
    unit: 'log seconds',
    why: 'β of P0 §4.4, no value given; being near acceptance counts as much as having waited e² = 7.4 times as long',
  },
  progress: {
    default: 'completed',
    values: progressReadings,
    unit: 'paths',
    why: "ρ of P0 §4.4 is the best score over the threshold: 'open' holds of nearly every search, and so tells none apart",
  },
  gate: {
    low: 0,
    high: 1_000_000,
    whole: true,
    unit: 'completed rollouts',
    why: "Algorithm 1's observation threshold, no value given: 1 with 'shares', since most searches are accepted by their first rollout; 0 in safe and fast, whose boosts are weighed and yield",
  },
  boostAt: {
    values: boostMoments,
    unit: 'moment',
    why: "of 'shares' and 'worth': 'doubt' leaves a search alone while its first rollout may still be accepted, and boosts it from the step on at which it cannot be; 'start' begins with what may never be needed",
  },
  lambda: {
    default: 0,
    low: 0,
    high: 1000,
    unit: 'log seconds',
    why: '0 turns the predictor of long searches (P0 §4.1) off, until it is shown to pay',
  },
  speculate: {
    low: 0,
    high: 1024,
    whole: true,
    client: 'coppice',
    unit: 'strands of one search',
    why: 'most strands that grow ahead what a search will probably ask for, from what is idle; 0 is off: it takes more tokens (docs/policies.md)',
  },
  idleFirst: {
    default: 'boost',
    values: idlePrecedences,
    unit: 'who',
    why: 'who gets idle strands first, boosts or guesses: a boost is always asked for, a guess is right half of the time',
  },
  extend: {
    default: 'scored',
    values: ['scored', 'unscored'],
    client: 'coppice',
    unit: 'rule',
    why: 'what speculation grows on: steps whose reward is known, or also steps that wait for theirs, as if they were as good as the step before them (P4 §4.1.1), which hardly ever pays (docs/policies.md)',
  },
  scores: {
    default: 'at-once',
    values: ['at-once', 'gathered'],
    unit: 'rule',
    why: "when a step goes to the verifier: as soon as it is generated, or together with others, its siblings above all; 'gathered' pays where generator and reward model share a GPU, and the reward model keeps its prefixes (lab/docs/experiments/p4.md)",
  },
  idleBeside: {
    default: 0.25,
    low: 0,
    high: 1000,
    unit: 'strands per strand',
    why: 'of batches for each strand of a search that somebody waits for: more would slow its steps down; alone they have the whole budget',
  },
  order: {
    default: 'fcfs',
    values: orders,
    unit: 'order',
    why: 'whose requests go first where they wait for the engine: as they come (fcfs), those with most of their path computed (longest-prefix), those of the search that came first (gang), or of the one with least left to do (sjf), which also orders turns. It matters where the budget is more than the engine runs at a time',
  },
  ageingSeconds: {
    default: 60,
    low: 0.001,
    high: 1e9,
    unit: 'seconds per unit of priority',
    why: 'a lower priority waits at most this much longer per unit, so nobody starves',
  },
} as const satisfies Knobs;

export type PolicyOptions = OptionsOf<typeof policyKnobs>;

const defaults: Partial<PolicyOptions> = defaultsOf(policyKnobs);

/** `parts`: as a policy sets them. What is given and says nothing counts as not given. */
export function resolveOptions(
  parts: Partial<PolicyOptions>,
  given: { readonly [Name in keyof PolicyOptions]?: PolicyOptions[Name] | undefined },
): PolicyOptions {
  const said = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  for (const [name, value] of Object.entries(said)) check(name, value);
  return { ...defaults, ...parts, ...said } as PolicyOptions;
}

function check(name: string, value: unknown): void {
  const known: Knobs = policyKnobs;
  const knob: Knob | undefined = Object.hasOwn(known, name) ? known[name] : undefined;
  if (knob === undefined) {
    return raise('bad-setting', `policies have no option '${name}'; there are ${Object.keys(known).join(', ')}`);
  }
  const wrong = complaint(knob, value);
  if (wrong !== undefined) raise('bad-setting', `${name} ${wrong}`);
}
