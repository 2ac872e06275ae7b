// A fit in words: recording and fitted model side by side, and the largest misfit.

import type { ProfileFit } from './fit-profile.ts';
import type { TreeStatistics } from './tree-statistics.ts';

interface FitLine {
  readonly name: string;
  readonly recorded: number | undefined;
  readonly modelled: number | undefined;
  /** Shares are compared by their difference, sizes by their ratio. */
  readonly isShare: boolean;
}

export function fitTable(fit: ProfileFit): string {
  const lines = linesOf(fit);
  const rows = lines.map((line) => [line.name, shown(line.recorded), shown(line.modelled), misfitText(line)]);
  const head = ['', 'recorded', 'model', 'off by'];
  const widths = head.map((title, at) => Math.max(title.length, ...rows.map((row) => row[at]!.length)));
  const text = (cells: readonly string[]) =>
    cells
      .map((cell, at) => (at === 0 ? cell.padEnd(widths[at]!) : cell.padStart(widths[at]!)))
      .join('  ')
      .trimEnd();
  const worst = lines
    .filter(({ isShare }) => isShare)
    .reduce((most, line) => Math.max(most, Math.abs(misfit(line) ?? 0)), 0);
  return [text(head), ...rows.map(text), '', `largest misfit of a share: ${(100 * worst).toFixed(0)} points`].join(
    '\n',
  );
}

function linesOf({ recorded, modelled }: ProfileFit): FitLine[] {
  const share = (name: string, of: (each: TreeStatistics) => number | undefined): FitLine => {
    return { name, recorded: of(recorded), modelled: of(modelled), isShare: true };
  };
  const size = (name: string, of: (each: TreeStatistics) => number): FitLine => {
    return { name, recorded: of(recorded), modelled: of(modelled), isShare: false };
  };
  const deep = recorded.depths.flatMap((_, at) => [
    share(`depth ${at + 1}: twins`, ({ depths }) => depths[at]?.twinRate),
    share(`depth ${at + 1}: sound`, ({ depths }) => depths[at]?.soundness),
    share(`depth ${at + 1}: AUC of rewards`, ({ depths }) => depths[at]?.auc),
  ]);
  return [
    share('samples that are right', ({ right }) => right),
    share('questions that some sample solves', ({ solved }) => solved),
    size('steps of a sample', ({ steps }) => steps),
    size('tokens of a step, median', ({ medianStepTokens }) => medianStepTokens),
    share('reward of a sound step, median', ({ medianSoundReward }) => medianSoundReward),
    ...deep,
  ];
}

function misfit({ recorded, modelled, isShare }: FitLine): number | undefined {
  if (recorded === undefined || modelled === undefined) return undefined;
  return isShare ? modelled - recorded : modelled / recorded - 1;
}

function misfitText(line: FitLine): string {
  const off = misfit(line);
  return off === undefined ? '' : `${off < 0 ? '' : '+'}${(100 * off).toFixed(0)}${line.isShare ? ' points' : ' %'}`;
}

function shown(value: number | undefined): string {
  return value === undefined ? 'none' : value < 10 ? value.toFixed(3) : value.toFixed(0);
}
