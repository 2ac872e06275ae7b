// The contract of scorers: how one kind of remote reward model is asked and read. Queue, cache, replicas and retries are the remote
// verifier's.

import { FaultError, fault } from '../base/fault.ts';
import type { ServerFacts } from '../engine/remote/dialect/dialect.ts';
import type { Connection } from '../remote/connection.ts';
import type { Aggregation } from '../tree/aggregate.ts';
import type { Prompt } from '../tree/step.ts';

/** The last step is scored, or the last `wanted` if the scorer `looksAhead`. */
export interface ScoredPath {
  readonly prompt: Prompt;
  /** Without their delimiters. */
  readonly steps: readonly string[];
  readonly wanted?: number;
}

export interface Scored {
  readonly rewards: readonly number[];
  readonly feedback?: readonly (string | undefined)[];
  /** Of the wanted steps before it, path by path; missing where no more than one is ever wanted. */
  readonly before?: readonly (readonly number[])[];
  readonly computedTokens: number;
  readonly cachedTokens: number;
}

export interface ScoringServer {
  readonly connection: Connection;
  /** Undefined for servers that are no inference servers. */
  readonly facts: ServerFacts | undefined;
  readonly timeoutMs: number;
}

export interface Scorer {
  readonly name: string;
  readonly aggregation: Aggregation;
  /** Whether a longer path costs only its new step. */
  readonly reusesPrefix: boolean;
  /** Whether one pass over a path gives the scores of all its steps. */
  readonly looksAhead?: boolean;
  /** Whether a server scores paths of different questions in one call; else only siblings share one. */
  mixes(facts: ServerFacts | undefined): boolean;
  /** Most paths in one call; 1 where each is a generation of its own. */
  readonly pathsLimit?: number;
  /** Calls in flight per server, where the usual number is too few. */
  readonly callsLimit?: number;
  /** Scores paths in one call, or as few as its server needs. Raises a fault. */
  score(paths: readonly ScoredPath[], server: ScoringServer, signal: AbortSignal): Promise<Scored>;
}

/** The question as reward models want it: what the user asked last, or the whole text. */
export function questionOf(prompt: Prompt): string {
  if (prompt.kind === 'text') return prompt.text.trim();
  return prompt.messages.findLast(({ role }) => role === 'user')?.content.trim() ?? '';
}

export function badReward(server: ScoringServer, what: string): never {
  const remedy = 'check that it serves the reward model that the setting names';
  throw new FaultError(fault('bad-reward', `${server.connection.url} ${what}; ${remedy}`));
}
