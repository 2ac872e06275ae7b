// Right answers of independent samples of a real model under each rule that chooses among them, for any number of samples, and a
// search compared with them at as many tokens of both models. Samples were drawn and scored elsewhere (training/real); answers are
// read and graded here, as coppice reads them.

import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { canonical, extractAnswer as extractWritten, readingFor } from '@coppice/core/answer';
import { type GoldQuestion, isRight } from '@coppice/core/answering';
import { mean } from '@coppice/core/base';
import { leadNeeded } from '@coppice/papers/rules';
import { meanDifference } from '../statistics.ts';

export interface Sample {
  readonly tokens: number;
  /** What stands for its answer among equal ones; undefined where it gives none. */
  readonly group: string | undefined;
  readonly right: boolean;
  /** The reward model's, after the last step. */
  readonly score: number;
}

/** A line of each of two files. */
export interface DrawnLine {
  readonly set: string;
  readonly index: number;
  readonly sample: number;
  readonly tokens: number;
  readonly text: string;
}
export type ScoredLine = Pick<DrawnLine, 'set' | 'index' | 'sample'> & { readonly odds: readonly number[] };

/** A file of lines, gzipped if its name says so. */
export function recordedLines<Line>(file: string): Line[] {
  const bytes = readFileSync(file);
  const text = (file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line);
}

export function drawnLines(file: string): DrawnLine[] {
  return recordedLines<DrawnLine>(file);
}

export function sampleOf(question: GoldQuestion, { text, tokens }: DrawnLine, odds: readonly number[]): Sample {
  const answer = readingFor(question.question, extractWritten)(text);
  const group = answer === undefined ? undefined : canonical(answer);
  return { tokens, group, right: isRight(question, answer), score: 1 / (1 + Math.exp(-(odds.at(-1) ?? 0))) };
}

export const rules = ['majority', 'weighted majority', 'best of n'] as const;
export type Rule = (typeof rules)[number];

/** Whether the answer that a rule chooses is right. */
export function isChosenRight(samples: readonly Sample[], rule: Rule): boolean {
  if (rule === 'best of n') return samples.reduce((best, each) => (each.score > best.score ? each : best)).right;
  const weights = new Map<string, { weight: number; right: boolean }>();
  for (const { group, right, score } of samples) {
    if (group === undefined) continue;
    const found = weights.get(group) ?? { weight: 0, right };
    found.weight += rule === 'majority' ? 1 : score;
    weights.set(group, found);
  }
  const [first, ...others] = weights.values();
  return first !== undefined && others.reduce((best, each) => (each.weight > best.weight ? each : best), first).right;
}

/** One search on one question, or the mean of its seeds. */
export interface Searched {
  /** 1 or 0, or the share of seeds. */
  readonly right: number;
  /** Of both models. */
  readonly tokens: number;
}

/** What the reward model reads of a sample it reads once; majority needs none. */
function tokensOf(samples: readonly Sample[], rule: Rule): number {
  const drawn = samples.reduce((sum, { tokens }) => sum + tokens, 0);
  return rule === 'majority' ? drawn : 2 * drawn;
}

export interface RuleRow {
  readonly rule: Rule;
  readonly samples: number;
  readonly right: number;
  readonly tokens: number;
}

export function ruleRow(questions: readonly (readonly Sample[])[], rule: Rule, samples: number): RuleRow {
  const first = questions.map((each) => each.slice(0, samples));
  const right = mean(first.map((each) => Number(isChosenRight(each, rule))));
  return { rule, samples, right, tokens: mean(first.map((each) => tokensOf(each, rule))) };
}

/** The best rule and number of samples (at most those drawn) with no more tokens than a search. */
export function bestRival(questions: readonly (readonly Sample[])[], tokens: number): RuleRow {
  const drawn = Math.min(...questions.map(({ length }) => length));
  const counts = Array.from({ length: drawn }, (_, at) => at + 1);
  const all = rules.flatMap((rule) => counts.map((samples) => ruleRow(questions, rule, samples)));
  return all.filter((row) => row.tokens <= tokens).reduce((best, row) => (row.right > best.right ? row : best));
}

/** Compares a search with one row, question by question. */
export function against(searched: readonly Searched[], questions: readonly (readonly Sample[])[], row: RuleRow) {
  const gains = searched.map(({ right }, at) => {
    return right - Number(isChosenRight(questions[at]!.slice(0, row.samples), row.rule));
  });
  return meanDifference(gains);
}

/** A weighted majority whose samples come one at a time, up to the point where `certain: lead` would end it. */
export function stoppedByLead(samples: readonly Sample[], risk: number): Searched {
  let used = 0;
  do used += 1;
  while (used < samples.length && leadOf(samples.slice(0, used)).ahead < leadNeeded(risk));
  const taken = samples.slice(0, used);
  return { right: Number(isChosenRight(taken, 'weighted majority')), tokens: tokensOf(taken, 'weighted majority') };
}

/** How far the leading answer's scores are ahead of the second's, and whether each of the two is right. */
function leadOf(samples: readonly Sample[]) {
  const groups = new Map<string, { weight: number; right: boolean }>();
  for (const { group, score, right } of samples) {
    if (group !== undefined) groups.set(group, { weight: (groups.get(group)?.weight ?? 0) + score, right });
  }
  const [leader, second] = [...groups.values()].sort((a, b) => b.weight - a.weight);
  return { ahead: (leader?.weight ?? 0) - (second?.weight ?? 0), leader, second };
}

/** After so many samples: where they are still apart. */
const looks = [2, 3, 4, 6, 8, 12];

/** The slope of a logistic fit through 0 of "the leader is right and the second wrong" on the lead, over questions where one of the two is right. */
export function slopeOfLead(questions: readonly (readonly Sample[])[]): number {
  const points = questions.flatMap((samples) =>
    looks.flatMap((count) => {
      const { ahead, leader, second } = leadOf(samples.slice(0, count));
      return second === undefined || leader!.right === second.right ? [] : [{ ahead, won: Number(leader!.right) }];
    }),
  );
  let slope = 1;
  for (let step = 0; step < 50; step += 1) {
    let [first, curvature] = [0, 0];
    for (const { ahead, won } of points) {
      const chance = 1 / (1 + Math.exp(-slope * ahead));
      first += (won - chance) * ahead;
      curvature += chance * (1 - chance) * ahead * ahead;
    }
    slope += first / curvature;
  }
  return slope;
}
