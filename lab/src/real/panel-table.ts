// Figures of panels against the same samples run to the end and judged, paired by question: of live runs, and of other rules on the same samples.

import { mean } from '@coppice/core/base';
import { meanDifference } from '../statistics.ts';
import { type PanelSample, type ReplayedPanel, replayPanel } from './panel-replay.ts';
import { percentage } from './percentage.ts';

/** One way to answer a question, and its cost. */
export interface PanelArm {
  readonly right: boolean;
  /** Generated. */
  readonly tokens: number;
}

/** The same of one question or the mean of several tries of it. */
interface Figures {
  readonly right: boolean | number;
  readonly tokens: number;
}

/** One question of a live run. */
export interface PanelLine {
  readonly question: string;
  readonly samples: readonly PanelSample[];
  readonly panel: PanelArm & { readonly by: string; readonly samples: number; readonly promptTokens: number };
  readonly majority: PanelArm;
  readonly synthesis: PanelArm & { readonly promptTokens: number };
}

export function liveTable(lines: readonly PanelLine[]): string[] {
  const panel = lines.map((line) => line.panel);
  const majority = lines.map((line) => line.majority);
  const synthesis = lines.map((line) => line.synthesis);
  const better = rightOf(synthesis) > rightOf(majority) ? synthesis : majority;
  return [
    `${lines.length} questions, ${lines[0]!.samples.length} samples each; generated tokens, paired by question`,
    armLine('all, majority', majority),
    armLine('all, always synthesized', synthesis),
    armLine('panel, live', panel),
    againstLine('panel against all, majority', panel, majority),
    againstLine('panel against all, always synthesized', panel, synthesis),
    againstLine('panel against the better of both', panel, better),
    `panel ended by ${countsOf(panel)}`,
    ...replayedTable(
      lines.map(({ samples, majority, synthesis }) => {
        const written = { right: synthesis.right, tokens: synthesis.tokens - majority.tokens };
        return [{ samples, written }];
      }),
    ),
  ];
}

/** Samples of one panel, and the worth of a synthesis of them all if one was written. */
export interface PanelTry {
  readonly samples: readonly PanelSample[];
  readonly written?: PanelArm;
}

/** Results of rules on recorded samples of each question, once or several times over. */
export function replayedTable(questions: readonly (readonly PanelTry[])[]): string[] {
  const all = questions.map((times) => meanArm(times.map(({ samples }) => wholeVote(samples))));
  const rows = [false, true].flatMap((isSynthesized) => {
    const replayed = questions.map((times) =>
      times.map(({ samples, written }) => replayPanel(samples, isSynthesized, written)),
    );
    const arms = replayed.map(meanArm);
    const name = `replayed, ${isSynthesized ? 'synthesis' : 'vote'}`;
    return [
      armLine(name, arms),
      againstLine('  against the vote of all', arms, all),
      `  by ${countsOf(replayed.flat())}`,
    ];
  });
  return [armLine('replayed, vote of all', all), ...rows];
}

/** Of one question: several times over it is still one, so that intervals count questions. */
function meanArm(arms: readonly PanelArm[]): Figures {
  return { right: mean(arms.map(({ right }) => Number(right))), tokens: mean(arms.map(({ tokens }) => tokens)) };
}

/** Of answers with as many votes the earliest, as the panel's own vote. */
function wholeVote(samples: readonly PanelSample[]): PanelArm {
  const said = samples.filter(({ answer }) => answer !== null);
  const votes = [...Map.groupBy(said, ({ answer }) => answer).values()].sort((a, b) => b.length - a.length);
  return { right: votes[0]?.[0]?.right ?? false, tokens: samples.reduce((sum, { tokens }) => sum + tokens, 0) };
}

function rightOf(arms: readonly Figures[]): number {
  return mean(arms.map(({ right }) => Number(right)));
}

function armLine(name: string, arms: readonly Figures[]): string {
  return `${name.padEnd(32)} ${percentage(rightOf(arms))} %  ${mean(arms.map(({ tokens }) => tokens)).toFixed(0)} tokens`;
}

function againstLine(name: string, arms: readonly Figures[], others: readonly Figures[]): string {
  const { value, low, high } = meanDifference(arms.map(({ right }, at) => Number(right) - Number(others[at]!.right)));
  const share = mean(arms.map(({ tokens }) => tokens)) / mean(others.map(({ tokens }) => tokens));
  return `${name}: ${percentage(value)} points [${percentage(low)}, ${percentage(high)}] at ${share.toFixed(2)} of the tokens`;
}

function countsOf(ended: readonly Pick<ReplayedPanel, 'by' | 'samples'>[]): string {
  const kinds = Map.groupBy(ended, ({ by, samples }) => `${by} after ${samples}`);
  return [...kinds]
    .map(([kind, { length }]) => `${kind}: ${length}`)
    .sort()
    .join(', ');
}
