// The end of a search, for a person and for a program: answer, path, why it stopped, what it cost.

import type { Answer, Evidence, Exit } from '../../log/end.ts';
import type { SearchResult } from '../../runtime/request.ts';
import { pathTo } from '../../tree/node.ts';
import type { Tree } from '../../tree/tree.ts';
import { cutTo, duration, plainLine, wrap } from './terminal.ts';

const meanings: Readonly<Record<Exit['kind'], string>> = {
  accepted: 'a finished path reached the threshold',
  futile: 'no continuation is likely to reach the threshold',
  certain: 'the answers agree',
  settled: 'more work is unlikely to change the answer',
  exhausted: 'the budget is spent',
  deadline: 'out of time; this is the best so far',
  cancelled: 'stopped by you; this is the best so far',
  failed: 'the engine could not go on',
};

export function answerLines(result: SearchResult, tree: Tree, loadedMs: number, width: number): string[] {
  const { answer, exit, cost } = result;
  const said = answer === undefined ? 'no answer' : plainLine(answer.answer ?? answer.text) || 'no answer';
  const path = answer === undefined ? [] : pathTo(tree.node(answer.node));
  const steps = path.map((node) => {
    const reward = node.reward === undefined ? '     ' : ` ${node.reward.toFixed(2)}`;
    return cutTo(`  ${reward}  ${plainLine(node.step?.text ?? '') || '(end)'}`, width);
  });
  const generated = cost.committedTokens + cost.discardedTokens + cost.speculativeTokens;
  const seconds = (result.endedMs - result.arrivalMs) / 1000;
  const rate = seconds > 0 ? `, ${Math.round(generated / seconds)} a second` : '';
  const prefix = `prefixes: ${cost.promptTokens} tokens computed, ${cost.cachedTokens} reused`;
  const scored = `scoring: ${cost.verifierCalls} steps, ${cost.verifierTokens} tokens computed, ${cost.verifierCachedTokens} reused`;
  return [
    ...(answer !== undefined && !answer.complete ? ['(unfinished: no path has been completed)'] : []),
    ...wrap(said, width),
    ...(answer === undefined ? [] : ['', `${scoreText(answer)}, rewards along the path:`, ...steps]),
    '',
    `stopped  ${exit.kind}: ${meanings[exit.kind]}`,
    ...wrap(evidenceText(exit), width - 9).map((line) => `         ${line}`),
    `tree     ${result.rollouts} rollouts, ${result.nodes} nodes`,
    `cost     ${generated} tokens generated (${cost.discardedTokens} discarded)${rate}`,
    `         ${prefix}`,
    ...(cost.verifierCalls > 0 ? [`         ${scored}`] : []),
    `time     ${duration(result.endedMs - result.arrivalMs)}, after ${duration(loadedMs)} of loading`,
  ];
}

function scoreText({ score, support }: Answer): string {
  const votes = support === undefined ? '' : `, ${(100 * support).toFixed(0)} % of the vote`;
  return `score ${score.toFixed(3)}${votes}`;
}

/** The same as one JSON value. */
export function answerRecord(result: SearchResult, tree: Tree, loadedMs: number): Record<string, unknown> {
  const { answer, exit, cost, rollouts, nodes } = result;
  const path = answer === undefined ? [] : pathTo(tree.node(answer.node));
  return {
    answer: answer?.answer ?? null,
    text: answer?.text ?? null,
    score: answer?.score ?? null,
    support: answer?.support ?? null,
    complete: answer?.complete ?? false,
    exit,
    path: path.map(({ step, reward, score }) => ({ text: step?.text ?? '', reward: reward ?? null, score })),
    rollouts,
    nodes,
    cost,
    searchMs: result.endedMs - result.arrivalMs,
    loadMs: loadedMs,
  };
}

function evidenceText({ rule, evidence }: Exit): string {
  return `${rule}: ${numbers(evidence)}`;
}

function numbers(evidence: Evidence): string {
  const entries = Object.entries(evidence).map(([name, value]) => {
    return `${name} ${typeof value === 'number' && !Number.isInteger(value) ? value.toFixed(3) : value}`;
  });
  return entries.join(', ') || 'no evidence needed';
}
