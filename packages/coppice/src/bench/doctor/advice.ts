// Puts a comparison into words: a line about the reward model if it is not shown to help, a table, one line of differences, one sentence of
// advice. It claims nothing that an interval does not support.

import type { Interval } from '../statistics.ts';
import { tableLines } from '../text-table.ts';
import type { Comparison, EqualCost } from './comparison.ts';
import type { SampleRule } from './drawn-samples.ts';

export interface Advice {
  readonly kind: 'tree' | 'samples' | 'unknown' | 'unsuitable';
  readonly text: string;
}

/** Fewer questions support no claim. */
const fewestQuestions = 20;
/** A tree takes its steps one after the other: a gain below this is not worth the wait. */
const leastGain = 0.03;
/** Factor for the questions that show a difference four times in five: (1.96 + 0.84)². */
const powerFactor = 7.84;

export function comparisonLines(found: Comparison, scorer: string): string[] {
  if (found.questions === 0) return [];
  const rows = found.rows.map(({ name, right, generated, scored }) => [
    `  ${name}`,
    `${(100 * right).toFixed(1)} %`,
    count(generated),
    count(scored),
  ]);
  return [
    ...doubtLines(found, scorer),
    ...tableLines([['', 'right', 'generated', 'verifier'], ...rows]),
    differenceLine(found),
  ];
}

/** Printed first: conclusions from scores are worth no more than the scores. */
function doubtLines({ preference }: Comparison, scorer: string): string[] {
  const { value, low, high, questions } = preference;
  if (isKnowing(preference)) return [];
  if (questions < fewestQuestions)
    return [`· whether ${scorer} tells right samples from wrong ones cannot be said: ${questions} questions had both`];
  const share = `${percent(value)} % [${percent(low)}, ${percent(high)}]`;
  const what = high < 0.5 ? 'worse than chance' : 'not shown to be better than chance';
  return [
    `! ${scorer} is ${what}: of a right and a wrong sample it prefers the right one ${share} of the time (${questions} questions)`,
  ];
}

function isKnowing({ low, questions }: Comparison['preference']): boolean {
  return low > 0.5 && questions >= fewestQuestions;
}

/** The rule to compare the tree with: majority if scores were tried and not shown to help. It never depends on which rule won. */
function baselineRule({ preference, equalCost }: Comparison): EqualCost {
  const isTried = preference.questions >= fewestQuestions;
  const rule: SampleRule = isTried && !isKnowing(preference) ? 'majority' : 'weighted vote';
  return equalCost.find((each) => each.rule === rule)!;
}

function differenceLine(found: Comparison): string {
  const { rule, samples, isShort, difference } = baselineRule(found);
  const cost = isShort
    ? `with more tokens than all ${found.samples} samples`
    : `at equal tokens (at most ${samples.toFixed(1)} samples)`;
  return `  ${cost} the tree has ${interval(difference)} over the ${rule}; the weighted vote of ${found.samples} has ${interval(found.overGreedy)} over greedy`;
}

/** `left`: questions that were not asked. */
export function adviceOf(found: Comparison, left: number): Advice {
  const { questions, rows, equalCost } = found;
  const baseline = baselineRule(found);
  if (questions > 0 && rows.every(({ right }) => right === 0))
    return { kind: 'unsuitable', text: unsuitable(questions) };
  if (questions > 0 && rows.every(({ right }) => right === 1)) return { kind: 'unsuitable', text: tooEasy(questions) };
  if (questions < fewestQuestions) return { kind: 'unknown', text: cannotTell(found, baseline, left) };
  if (baseline.difference.high < leastGain) return { kind: 'samples', text: useSamples(found, baseline) };
  // The tree must beat every rule, with no more tokens than it.
  const closest = equalCost.reduce((a, b) => (b.difference.low < a.difference.low ? b : a));
  if (closest.difference.low <= 0)
    return { kind: 'unknown', text: cannotTell(found, baseline.difference.low > 0 ? closest : baseline, left) };
  if (equalCost.some((each) => each.isShort && mustBeEqual(each, baseline)))
    return { kind: 'unknown', text: tooFewSamples(found) };
  const text = `the tree pays: ${interval(closest.difference)} over the ${closest.rule}${closest.isShort ? '' : ' at equal tokens'}; take ${found.tree.flags}`;
  return { kind: 'tree', text };
}

/** True if a rule must be compared at equal tokens. A majority costs no scores: if scores help, it gets all samples. */
function mustBeEqual({ rule }: EqualCost, baseline: EqualCost): boolean {
  return rule !== 'majority' || baseline.rule === 'majority';
}

function useSamples({ overGreedy }: Comparison, { difference, rule }: EqualCost): string {
  const behind =
    difference.high < 0
      ? `the tree is behind the ${rule} at equal tokens (${interval(difference)})`
      : `the tree is at most ${points(difference.high)} points ahead of the ${rule} at equal tokens`;
  const unsure = overGreedy.low > 0 ? '' : '; that samples beat greedy is not shown';
  return `use samples that vote (--program auto): ${behind}${unsure}`;
}

/** `baseline`: the rule against which the gain is open. */
function cannotTell(found: Comparison, baseline: EqualCost, left: number): string {
  const { questions, answered, samples, elapsedMs } = found;
  if (questions === 0)
    return `cannot tell: no question was answered by all in the time (by greedy ${answered.greedy}, the tree ${answered.tree}, all samples ${answered.sampled}); raise --minutes, or lower --rollouts (${samples} now)`;
  const { difference } = baseline;
  const target = questions < fewestQuestions ? leastGain : Math.max(leastGain, Math.abs(difference.value));
  const needed = Math.max(2 * questions, Math.ceil((varianceOf(difference, questions) * powerFactor) / target ** 2));
  const more = roundUp(Math.max(fewestQuestions, needed) - questions);
  const minutes = Math.ceil(((questions + more) * elapsedMs) / questions / 60_000);
  const lacking = more > left ? `, and ${left === 0 ? 'no more are' : `only ${count(left)} are`} there` : '';
  const few =
    questions < fewestQuestions
      ? `${questions} ${questions === 1 ? 'question says' : 'questions say'} too little`
      : between(baseline);
  return `cannot tell yet: ${few}; about ${count(more)} questions more would show a difference of ${points(target).slice(1)} points (--minutes ${minutes} at this speed${lacking})`;
}

function between({ difference: { low, high }, rule, samples, isShort }: EqualCost): string {
  const [cost, cheaper] = isShort ? ['', ` of ${samples}, which costs less`] : ['at equal tokens ', ''];
  return `${cost}the tree has between ${points(low)} and ${points(high)} points over the ${rule}${cheaper}`;
}

/** Variance of one pair; with too few pairs, that of pairs of which one in four differs. */
function varianceOf({ low, high }: Interval, questions: number): number {
  return questions < fewestQuestions ? 0.25 : ((high - low) / 2 / 1.96) ** 2 * (questions + 2);
}

function tooFewSamples({ samples, tree }: Comparison): string {
  return `cannot tell: ${tree.name} spends more than ${samples} samples cost, so they were not compared at equal tokens: --samples ${2 * samples}`;
}

/** Contenders without a single right answer cannot be compared. */
function unsuitable(questions: number): string {
  const reasons = 'they are too hard for it, or its answers are not marked as asked ("The answer is …")';
  return `nothing can be said: none of the ${questions} questions was answered right by any of them: ${reasons}; try others with --questions`;
}

function tooEasy(questions: number): string {
  return `nothing can be said: all of them, greedy too, answered all ${questions} questions right, so they are too easy to tell; try others with --questions`;
}

/** Two digits: it is a guess. */
function roundUp(value: number): number {
  const step = 10 ** Math.max(0, Math.floor(Math.log10(value)) - 1);
  return Math.ceil(value / step) * step;
}

function interval({ value, low, high }: Interval): string {
  return `${points(value)} points [${points(low)}, ${points(high)}]`;
}

function points(share: number): string {
  const text = Math.abs(100 * share).toFixed(1);
  return `${share < 0 && text !== '0.0' ? '−' : '+'}${text}`;
}

function percent(share: number): string {
  return (100 * share).toFixed(0);
}

function count(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}
