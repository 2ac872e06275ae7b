// What the batcher runs: a sequence, its place in the cache, and its rows in a decode. Plain data and comparisons.

import { compareUrgency, type Urgency } from '@coppice/core/engine';
import type { Branch } from '../prefix-cache/cache-segment.ts';

export interface Sequence {
  readonly id: number;
  readonly search: string;
  readonly parent: number;
  urgency: Urgency;
  /** Prompt and path; the tokens that it draws are appended by the batcher. */
  readonly prefix: readonly number[];
  /** Called with the logits after its last token: the token to go on with, or undefined when it is complete. */
  next(row: Float32Array): number | undefined;
  /** The same where a token was drafted: that token, another in its place, or undefined when it is complete. */
  judge?(row: Float32Array, drafted: number): number | undefined;
  /** Drafted tokens are withdrawn before `judge` saw them. */
  forgetProposals?(): void;
  /** It holds all the cells there are and needs one more; it must count as complete from here on. */
  outOfCells(): void;
}

export interface Row {
  readonly run: Run;
  readonly token: number;
  readonly position: number;
  readonly wanted: boolean;
}
export type Batch = readonly Row[];

export interface Run {
  readonly sequence: Sequence;
  readonly tokens: number[];
  readonly arrival: number;
  /** How many of the last tokens are drafted, to be judged. */
  drafted: number;
  branch: Branch;
  computedPrefixTokens: number;
  /** Of the tokens that it drew, those that were computed for it. */
  computedDrawnTokens: number;
  cachedPrefixTokens: number | undefined;
}

export type WaitingRun = Omit<Run, 'branch'>;
export type RunCounts = Pick<Run, 'computedPrefixTokens' | 'cachedPrefixTokens' | 'computedDrawnTokens'>;

/** Who gives way last when cells or places are short. */
export function goesBefore(left: Sequence, right: Sequence): boolean {
  return (compareUrgency(left.urgency, right.urgency) || left.id - right.id) < 0;
}

/** Whether a prefix agrees with these tokens beyond the cached ones. */
export function sharesMoreThan(prefix: readonly number[], tokens: readonly number[], cached: number): boolean {
  for (let at = 0; at <= cached; at += 1) if (prefix[at] !== tokens[at]) return false;
  return true;
}

/** From the end, where two paths differ if they do. */
export function sameTokens(left: readonly number[], right: readonly number[]): boolean {
  if (left.length !== right.length) return false;
  for (let at = left.length - 1; at >= 0; at -= 1) if (left[at] !== right[at]) return false;
  return true;
}
