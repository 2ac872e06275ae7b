// Shows the end of a search as text and as JSON: verdict, answer, path, exit and cost.

import { actingThreshold, type SearchPlan } from '@coppice/core/answering';
import {
  type Cost,
  describeExit,
  type Exit,
  type Judged,
  shortScore,
  shownScore,
  type Verdict,
  verdictOf,
  verdictText,
} from '@coppice/core/log';
import type { SearchResult } from '@coppice/core/runtime';
import { type Node, pathTo, type Tree } from '@coppice/core/tree';
import { type Paint, verdictColours } from './paint.ts';
import { cutTo, duration, plainLine, wrap } from './terminal.ts';

export interface Reported {
  readonly result: SearchResult;
  readonly tree: Tree;
  readonly plan: Pick<SearchPlan, 'scoring' | 'threshold' | 'accepts' | 'policyOptions'>;
  readonly loadedMs: number;
}

/** Exit statuses of `ask`: 0 only for an answer that may be used. */
const statuses: Readonly<Record<Verdict, number>> = { accepted: 0, confident: 0, likely: 0, unsure: 3, none: 4 };

export function statusOf(reported: Reported): number {
  const { kind } = reported.result.exit;
  if (kind === 'cancelled') return 130; // shells use it for interrupted commands
  return kind === 'failed' ? 1 : statuses[verdictOf(judgedOf(reported))];
}

function judgedOf({ result: { answer }, plan: { scoring, threshold, accepts } }: Reported): Judged {
  return { answer, scoring, threshold, accepts };
}

export function answerLines(reported: Reported, width: number, paint: Paint): string[] {
  const { result, tree } = reported;
  const { answer } = result;
  return [
    ...headline(reported, width, paint),
    ...(answer === undefined ? [] : ['', ...pathLines(tree.node(answer.node), width)]),
    '',
    ...endLines(result, width),
    ...costLines(reported, width),
  ];
}

/** Puts an answer that may be used first, and any other after its verdict. */
function headline(reported: Reported, width: number, paint: Paint): string[] {
  const { answer } = reported.result;
  const judged = judgedOf(reported);
  const verdict = verdictOf(judged);
  const said = answer === undefined ? '' : plainLine(answer.answer ?? answer.text);
  const lines = wrap(verdictText(judged), width).map((line) => paint(line, verdictColours[verdict]));
  if (statuses[verdict] === 0) return [...wrap(said, width).map((line) => paint(line, 'bold')), ...lines];
  return said === '' ? lines : [...lines, ...wrap(said, width - 2).map((line) => `  ${line}`)];
}

function pathLines(end: Node, width: number): string[] {
  const path = pathTo(end);
  const isScored = path.some(({ reward }) => reward !== undefined);
  const steps = path.map((node) => {
    const reward = node.reward === undefined ? '     ' : ` ${shortScore(node.reward)}`;
    return cutTo(`  ${reward}  ${plainLine(node.step?.text ?? '') || '(end)'}`, width);
  });
  return [isScored ? 'its path, with the reward of each step:' : 'its path:', ...steps];
}

function endLines({ exit, rollouts, nodes }: SearchResult, width: number): string[] {
  return [
    `stopped  ${exit.kind}: ${describeExit(exit)}`,
    ...wrap(evidenceText(exit), width - 9).map((line) => `         ${line}`),
    `tree     ${rollouts} rollout${rollouts === 1 ? '' : 's'}, ${nodes} node${nodes === 1 ? '' : 's'}`,
  ];
}

function costLines({ result, plan, loadedMs }: Reported, width: number): string[] {
  const { cost, endedMs, arrivalMs } = result;
  const generated = cost.committedTokens + cost.discardedTokens + cost.speculativeTokens;
  const seconds = (endedMs - arrivalMs) / 1000;
  const scored = `scoring: ${cost.verifierCalls} steps, ${cost.verifierTokens} tokens computed, ${cost.verifierCachedTokens} reused`;
  const decoded = cost.decodedTokens ?? generated;
  const thrownAway = cost.discardedTokens + cost.speculativeTokens;
  const rate = seconds > 0 ? ` (${Math.round(decoded / seconds)} a second)` : '';
  const drawn = `${generated} tokens generated, of them ${decoded} computed${rate} and ${thrownAway} thrown away`;
  return [
    ...wrap(drawn, width - 9).map((line, at) => `${at === 0 ? 'cost     ' : '         '}${line}`),
    ...(plan.policyOptions.speculate > 0 ? [`         grown ahead: ${aheadWords(cost)}`] : []),
    `         prefixes: ${cost.promptTokens} tokens computed, ${cost.cachedTokens} reused`,
    ...(cost.verifierCalls > 0 ? [`         ${scored}`] : []),
    ...(cost.embedderTexts === undefined
      ? []
      : [`         grouping: ${cost.embedderTexts} answers embedded, ${cost.embedderTokens} tokens`]),
    `time     ${duration(endedMs - arrivalMs)}, after ${duration(loadedMs)} of loading`,
  ];
}

function aheadWords({ adoptedTokens = 0, forsakenTokens = 0, speculativeTokens }: Cost): string {
  const wasted = forsakenTokens + speculativeTokens;
  if (adoptedTokens + wasted === 0) return 'nothing, since no idle strand was worth it here';
  return `${adoptedTokens} tokens used, ${wasted} wasted`;
}

export function answerRecord(reported: Reported): Record<string, unknown> {
  const { result, tree, plan, loadedMs } = reported;
  const judged = judgedOf(reported);
  const { answer, exit, cost, rollouts, nodes } = result;
  const path = answer === undefined ? [] : pathTo(tree.node(answer.node));
  return {
    verdict: verdictOf(judged),
    verdictText: verdictText(judged),
    answer: answer?.answer ?? null,
    text: answer?.text ?? null,
    score: shownScore(judged) ?? null,
    threshold: actingThreshold(plan),
    confidence: answer?.confidence ?? null,
    samples: answer?.samples ?? null,
    support: answer?.support ?? null,
    complete: answer?.complete ?? false,
    exit,
    path: path.map(({ step, reward, score }) => {
      const scored = reward === undefined ? null : score;
      return { text: step?.text ?? '', reward: reward ?? null, score: scored };
    }),
    rollouts,
    nodes,
    cost,
    searchMs: result.endedMs - result.arrivalMs,
    loadMs: loadedMs,
  };
}

function evidenceText({ rule, evidence }: Exit): string {
  const entries = Object.entries(evidence).map(([name, value]) => {
    return `${name} ${typeof value === 'number' && !Number.isInteger(value) ? shortNumber(value) : value}`;
  });
  return `${rule}: ${entries.join(', ') || 'no evidence needed'}`;
}

/** Keeps two digits of small values: prices are small. */
function shortNumber(value: number): string {
  return Math.abs(value) < 0.001 ? value.toPrecision(2) : value.toFixed(3);
}
