// The result of a group as plain data: answers with their times, counts, and resources used.

import type { AskedQuestion } from './clients.ts';
import type { ClusterNode } from './cluster-node.ts';
import type { GroupSpec } from './cluster-spec.ts';
import type { Database } from './database.ts';
import type { GenerationServer } from './generation-server.ts';
import type { VirtualTime } from './virtual-time.ts';

export interface ClientAnswer {
  readonly key: string;
  readonly atMs: number;
  /** Undefined where it was refused or lost. */
  readonly tookMs: number | undefined;
  readonly isRefused: boolean;
}

export interface GroupResult {
  readonly answers: readonly ClientAnswer[];
  readonly asked: number;
  readonly served: number;
  /** Refused with 429, by reason. */
  readonly refused: Readonly<Record<string, number>>;
  readonly lost: number;
  readonly doubled: number;
  readonly askedAgain: number;
  readonly moved: number;
  readonly decisions: number;
  readonly events: number;
  readonly calls: number;
  readonly commits: number;
  readonly writes: number;
  readonly statements: number;
  readonly bytes: number;
  readonly databaseBusyMs: number;
  readonly nodeBusyMs: number;
  readonly promptTokens: number;
  readonly cachedTokens: number;
  readonly generatedTokens: number;
  readonly happened: number;
  readonly heapBytes: number;
}

interface GroupEnd {
  readonly spec: GroupSpec;
  readonly startMs: number;
  readonly time: VirtualTime;
  readonly database: Database;
  readonly nodes: readonly ClusterNode[];
  readonly servers: readonly GenerationServer[];
  readonly questions: readonly AskedQuestion[];
}

export function resultOf({ startMs, time, database, nodes, servers, questions }: GroupEnd): GroupResult {
  const isServed = ({ answeredMs }: AskedQuestion) => answeredMs !== undefined;
  const refused: Record<string, number> = {};
  for (const { refused: why } of questions) if (why !== undefined) refused[why] = (refused[why] ?? 0) + 1;
  const sum = <Each>(all: readonly Each[], of: (each: Each) => number) =>
    all.reduce((total, each) => total + of(each), 0);
  const { commits, writes, statements, bytes, doubled, moved } = database.counts;
  return {
    answers: questions.map(({ arrival: { key, atMs }, answeredMs, refused: why }) => ({
      key,
      atMs,
      tookMs: answeredMs === undefined ? undefined : answeredMs - startMs - atMs,
      isRefused: why !== undefined,
    })),
    asked: questions.length,
    served: questions.filter(isServed).length,
    refused,
    lost: questions.filter((each) => !isServed(each) && (each.refused === undefined || each.isOwed)).length,
    doubled: doubled + questions.filter(({ answers }) => answers > 1).length,
    askedAgain: questions.filter(({ tries }) => tries > 1).length,
    moved,
    decisions: sum(nodes, ({ counts }) => counts.decisions),
    events: sum(nodes, ({ counts }) => counts.events),
    calls: sum(nodes, ({ counts }) => counts.calls),
    commits,
    writes,
    statements,
    bytes,
    databaseBusyMs: database.busyMs,
    nodeBusyMs: sum(nodes, ({ busyMs }) => busyMs),
    promptTokens: sum(servers, ({ counts }) => counts.promptTokens),
    cachedTokens: sum(servers, ({ counts }) => counts.cachedTokens),
    generatedTokens: sum(servers, ({ counts }) => counts.generatedTokens),
    happened: time.happened,
    heapBytes: process.memoryUsage().rss,
  };
}
