// The figures of votes that end early, paired by question with the vote of all samples: DeepConf's settings are chosen on training questions and told
// on test questions, which have no part in the choice.

import { mean } from '@coppice/core/base';
import { meanDifference } from '../statistics.ts';
import { percentage } from './percentage.ts';
import type { VotedSample } from './recorded-votes.ts';
import { type ReplayedVote, replayVote, type VoteRules } from './vote-replay.ts';

/** Samples of one question, made when they are wanted. */
export type VotedQuestion = () => readonly VotedSample[];

type DeepConf = NonNullable<VoteRules['deepconf']>;

const warmups = [4, 8, 16];
/** 0 follows the samples. */
const windows = [0, 64, 128];
const keeps = [0.1, 0.3, 0.5, 0.7, 0.9];

/** What is tried on training questions. */
export const triedDeepConf: readonly DeepConf[] = warmups.flatMap((warmup) =>
  windows.flatMap((window) => keeps.map((keep) => ({ keep, window, warmup }))),
);

export interface VoteRow {
  readonly right: number;
  readonly tokens: number;
  readonly time: number;
  /** Of the tokens of all samples. */
  readonly saved: number;
  /** Points lost against the vote of all samples, as shares. */
  readonly loss: { readonly value: number; readonly low: number; readonly high: number };
}

/** Each question is made once and replayed under all rules. The first rules are what the others are held against. */
export function voteRows(questions: readonly VotedQuestion[], rules: readonly VoteRules[]): VoteRow[] {
  const replayed: ReplayedVote[][] = rules.map(() => []);
  for (const question of questions) {
    const samples = question();
    for (const [at, each] of rules.entries()) replayed[at]!.push(replayVote(samples, each));
  }
  const [all] = replayed;
  return replayed.map((own) => {
    const tokens = mean(own.map((each) => each.tokens));
    return {
      right: mean(own.map(({ right }) => Number(right))),
      tokens,
      time: mean(own.map(({ time }) => time)),
      saved: 1 - tokens / mean(all!.map((each) => each.tokens)),
      loss: meanDifference(own.map(({ right }, at) => Number(all![at]!.right) - Number(right))),
    };
  });
}

export interface ChosenDeepConf {
  readonly deepconf: DeepConf;
  readonly row: VoteRow;
}

/** The settings that save most on these questions among those that lose at most so much; undefined where none does. */
export function chooseDeepConf(
  questions: readonly VotedQuestion[],
  others: Omit<VoteRules, 'deepconf'>,
  most: number,
  tried = triedDeepConf,
): ChosenDeepConf | undefined {
  const all: VoteRules = { ...others, leadRisk: undefined, choose: 'vote' };
  const [, ...rows] = voteRows(questions, [all, ...tried.map((deepconf) => ({ ...others, deepconf }))]);
  const good = rows.map((row, at) => ({ deepconf: tried[at]!, row })).filter(({ row }) => row.loss.value <= most);
  return good.reduce<ChosenDeepConf | undefined>(
    (best, each) => (best !== undefined && best.row.saved >= each.row.saved ? best : each),
    undefined,
  );
}

export function rowLine(name: string, { right, tokens, time, saved, loss }: VoteRow): string {
  const lost = `${percentage(loss.value)} [${percentage(loss.low)}, ${percentage(loss.high)}]`;
  return `${name.padEnd(44)} ${percentage(right)} %  ${tokens.toFixed(0)} tokens, ${percentage(saved)} % saved; loses ${lost}; ${time.toFixed(0)} long`;
}

export function settingsLine({ keep, window, warmup }: DeepConf): string {
  return `keep ${keep}, window ${window}, warm-up ${warmup}`;
}
