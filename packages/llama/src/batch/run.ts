// A sequence in the batcher, its place in the cache, and its rows in a decode. Plain data and comparisons.

import { compareUrgency, type Urgency } from '@coppice/core/engine';
import type { Branch } from '../prefix-cache/cache-segment.ts';

export interface Sequence {
  readonly id: number;
  readonly search: string;
  readonly parent: number;
  urgency: Urgency;
  readonly prefix: readonly number[];
  /** Takes the logits after the last token; returns the next token, or undefined at the end. */
  next(row: Float32Array): number | undefined;
  /** The same for a drafted token, which it accepts or replaces. */
  judge?(row: Float32Array, drafted: number): number | undefined;
  forgetProposals?(): void;
  /** Called when the sequence holds all cells and needs one more; it then counts as complete. */
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
  /** Number of drafted tokens at the end of `tokens`. */
  drafted: number;
  branch: Branch;
  computedPrefixTokens: number;
  /** Drawn tokens that were computed for this run. */
  computedDrawnTokens: number;
  cachedPrefixTokens: number | undefined;
}

export type WaitingRun = Omit<Run, 'branch'>;
export type RunCounts = Pick<Run, 'computedPrefixTokens' | 'cachedPrefixTokens' | 'computedDrawnTokens'>;

/** True if `left` keeps its place longer than `right`. */
export function goesBefore(left: Sequence, right: Sequence): boolean {
  return (compareUrgency(left.urgency, right.urgency) || left.id - right.id) < 0;
}

export function sharesMoreThan(prefix: readonly number[], tokens: readonly number[], cached: number): boolean {
  for (let at = 0; at <= cached; at += 1) if (prefix[at] !== tokens[at]) return false;
  return true;
}

/** Compares from the end, where two paths usually differ. */
export function sameTokens(left: readonly number[], right: readonly number[]): boolean {
  if (left.length !== right.length) return false;
  for (let at = left.length - 1; at >= 0; at -= 1) if (left[at] !== right[at]) return false;
  return true;
}
