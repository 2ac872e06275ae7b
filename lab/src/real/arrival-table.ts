// Policies under open arrivals as a table: for each load and policy the waits, costs and right answers of requests, and their ratios to the
// first policy's, paired by question. Pure.

import { mean } from '@coppice/core/base';
import type { BenchTrial } from '../contest-shapes.ts';
import { meanDifference, percentile } from '../statistics.ts';

export type ArrivalLine = Omit<BenchTrial, 'growth'> & { readonly load: string; readonly perSecond: number };

/** The fields that the table reads. */
export type TimedLine = Pick<
  ArrivalLine,
  'load' | 'perSecond' | 'contender' | 'question' | 'correct' | 'latencyMs' | 'generatedTokens' | 'scoredTokens'
>;

/** Fewer than these say nothing about one request in a hundred. */
const enoughForP99 = 500;

export function arrivalTable(lines: readonly TimedLine[]): string[] {
  const loads = [...new Set(lines.map(({ load }) => load))];
  return loads.flatMap((load) => {
    const own = lines.filter((line) => line.load === load);
    const policies = [...new Set(own.map(({ contender }) => contender))];
    const [base] = policies.map((policy) => own.filter(({ contender }) => contender === policy));
    const title = `load ${load}: ${own[0]!.perSecond.toFixed(2)} a second, ${base!.length} requests`;
    const rows = policies.map((policy) =>
      rowOf(
        policy,
        own.filter(({ contender }) => contender === policy),
        base!,
      ),
    );
    return [title, ...rows];
  });
}

function rowOf(policy: string, lines: readonly TimedLine[], base: readonly TimedLine[]): string {
  const [took, before] = [lines, base].map((each) => each.map(({ latencyMs }) => latencyMs / 1000));
  const parts = [50, 90, ...(lines.length < enoughForP99 ? [] : [99])].map((share) => {
    const own = percentile(took!, share);
    return `p${share} ${own.toFixed(2)} s (${(percentile(before!, share) / own).toFixed(2)} ×)`;
  });
  const firsts = new Map(base.map((line) => [line.question, line.correct]));
  const { value, low, high } = meanDifference(
    lines.map(({ question, correct }) => {
      return Number(correct) - Number(firsts.get(question) ?? correct);
    }),
  );
  const right = 100 * mean(lines.map(({ correct }) => Number(correct)));
  const tokens = mean(lines.map(({ generatedTokens, scoredTokens }) => generatedTokens + scoredTokens));
  const change = [value, low, high].map((each) => (100 * each).toFixed(1));
  return `  ${policy.padEnd(24)} ${parts.join(', ')}; ${right.toFixed(1)} % right (${change[0]} [${change[1]}, ${change[2]}]); ${tokens.toFixed(0)} tokens of both models`;
}
