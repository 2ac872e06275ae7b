// The contract of scorers: how one kind of remote reward model is asked and read. The remote verifier does the rest.

import { FaultError, fault } from '../base/fault.ts';
import type { ServerFacts } from '../engine/remote/dialect/dialect.ts';
import type { Connection } from '../remote/connection.ts';
import type { Aggregation } from '../tree/aggregate.ts';
import type { Prompt } from '../tree/step.ts';
import type { ScoreUsage } from './verifier.ts';

/** The last step is scored, or the last `wanted` if the scorer `looksAhead`. */
export interface ScoredPath {
  readonly prompt: Prompt;
  readonly steps: readonly string[];
  readonly wanted?: number;
}

export interface Scored extends ScoreUsage {
  readonly rewards: readonly number[];
  readonly feedback?: readonly (string | undefined)[];
  readonly before?: readonly (readonly number[])[];
}

export interface ScoringServer {
  readonly connection: Connection;
  readonly facts: ServerFacts | undefined;
  readonly timeoutMs: number;
}

export interface Scorer {
  readonly name: string;
  readonly aggregation: Aggregation;
  readonly reusesPrefix: boolean;
  readonly looksAhead?: boolean;
  /** Paths of different questions may share a call; else only siblings do. */
  mixes(facts: ServerFacts | undefined): boolean;
  readonly pathsLimit?: number;
  /** Calls that one server has at a time: fewer carry more paths each. */
  callsLimit?(facts: ServerFacts | undefined): number;
  score(paths: readonly ScoredPath[], server: ScoringServer, signal: AbortSignal): Promise<Scored>;
}

/** The user's last message, or the whole text. */
export function questionOf(prompt: Prompt): string {
  if (prompt.kind === 'text') return prompt.text.trim();
  return prompt.messages.findLast(({ role }) => role === 'user')?.content.trim() ?? '';
}

export function badReward(server: ScoringServer, what: string): never {
  const remedy = 'check that it serves the reward model that the setting names';
  throw new FaultError(fault('bad-reward', `${server.connection.url} ${what}; ${remedy}`));
}
