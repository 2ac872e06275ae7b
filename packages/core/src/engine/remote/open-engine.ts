// Opens a remote engine: probes every server and starts with those that answer; one that cannot be reached joins later. A fault that
// waiting does not mend ends the start, or, for a server from a list, keeps only that server from work.

import { liveTimers } from '../../base/clock.ts';
import { type Fault, FaultError, fault } from '../../base/fault.ts';
import { CircuitBreaker } from '../../remote/circuit-breaker.ts';
import type { EngineCapabilities } from '../engine.ts';
import { refusalText } from './flight/refusable.ts';
import { readOnce } from './list/followed-list.ts';
import { checkOptions, type RemoteEngineOptions } from './options.ts';
import { RemoteEngine } from './remote-engine.ts';
import type { OpenedReplicas } from './replica/fleet.ts';
import { Likeness } from './replica/likeness.ts';
import { Replica } from './replica/replica.ts';

export async function openRemoteEngine(options: RemoteEngineOptions): Promise<RemoteEngine> {
  checkOptions(options);
  const replicas = await openReplicas(options);
  const capabilities = capabilitiesOf(replicas.first);
  replicas.first.find(({ likeness }) => likeness !== undefined)?.likeness?.promise(capabilities);
  return new RemoteEngine(options, replicas, capabilities);
}

async function openReplicas(options: RemoteEngineOptions): Promise<OpenedReplicas> {
  const maker = replicaMaker(options);
  const servers = options.listed === undefined ? options.servers : await listedServers(options.listed);
  const first = servers.map(maker);
  try {
    const faults = await Promise.all(first.map((replica) => replica.inspect()));
    requireReached(faults, options.listed !== undefined);
    const likeness = await compare(first, faults, options);
    for (const [at, replica] of first.entries()) begin(replica, faults[at], options);
    const make = (url: string): Replica => {
      const replica = maker({ url, apiKey: options.listed?.apiKey });
      replica.likeness = likeness;
      return replica;
    };
    return { first, make };
  } catch (error) {
    for (const replica of first) replica.connection.close();
    throw error;
  }
}

type Server = RemoteEngineOptions['servers'][number];

function replicaMaker(options: RemoteEngineOptions): (server: Server) => Replica {
  const { model, dialect, inFlight, transport, timers = liveTimers } = options;
  return (server) =>
    new Replica(
      { ...server, timers, transport: transport?.(server.url) },
      { model, dialect },
      inFlight,
      timers.nowMs(),
    );
}

async function listedServers({ list, apiKey }: NonNullable<RemoteEngineOptions['listed']>): Promise<Server[]> {
  const urls = await readOnce(list);
  if (typeof urls === 'string') throw new FaultError(fault('unavailable', `no replica to begin with: ${urls}`));
  return urls.map((url) => ({ url, apiKey }));
}

function requireReached(faults: readonly (Fault | undefined)[], isListed: boolean): void {
  const hopeless = isListed ? undefined : faults.find((each) => each !== undefined && !each.retryable);
  const fatal = hopeless ?? (faults.every(Boolean) ? faults[0] : undefined);
  if (fatal !== undefined) throw new FaultError(fatal);
}

async function compare(
  replicas: readonly Replica[],
  faults: (Fault | undefined)[],
  { listed }: RemoteEngineOptions,
): Promise<Likeness> {
  if (listed === undefined) requireOneModel(replicas);
  const norm = replicas.find((each) => each.reached)!;
  const { connection, dialect, facts } = norm;
  const likeness = await Likeness.of({ connection, dialect, facts });
  await Promise.all(
    replicas.map(async (replica, at) => {
      if (replica.reached && replica !== norm) faults[at] ??= await likeness.difference(replica);
      replica.likeness = likeness;
    }),
  );
  requireReached(faults, listed !== undefined);
  return likeness;
}

function begin(
  replica: Replica,
  reason: Fault | undefined,
  { observe, timers = liveTimers }: RemoteEngineOptions,
): void {
  const { connection, reached } = replica;
  replica.breaker = new CircuitBreaker(reason === undefined, timers.nowMs(), reason?.message);
  if (reason !== undefined && !reason.retryable)
    observe?.({ type: 'replica-refused', url: connection.url, reason: reason.message });
  if (reached && replica.facts.dialect === 'vllm' && !replica.facts.logprobs)
    observe?.({ type: 'replica-refuses', url: connection.url, reason: refusalText('logprobs') });
}

function requireOneModel(replicas: readonly Replica[]): void {
  const models = new Map(
    replicas.filter((each) => each.reached).map((each) => [each.facts.model, each.connection.url]),
  );
  if (models.size < 2) return;
  const found = [...models].map(([model, url]) => `${url} serves '${model}'`).join(', ');
  throw new FaultError(fault('bad-setting', `replicas must serve one model, but ${found}; set model`));
}

function capabilitiesOf(replicas: readonly Replica[]): EngineCapabilities {
  const reached = replicas.filter((each) => each.isUsable);
  const facts = reached.map((each) => each.facts);
  const contexts = facts.flatMap((each) => each.contextTokens ?? []);
  return {
    name: [...new Set(facts.map((each) => each.dialect))].join('+'),
    seeded: facts.every((each) => each.seeded),
    logprobs: facts.every((each) => each.logprobs),
    entropy: reached.every((each) => each.dialect.tellsEntropy === true && each.facts.logprobs),
    pieces: reached.every((each) => each.dialect.tellsPieces === true && each.facts.logprobs),
    streams: true,
    wholes: contexts.length === facts.length,
    priorities: facts.every((each) => each.priorityOrder !== 'none'),
    countsCache: facts.every((each) => each.countsCache),
    contextTokens: contexts.length === 0 ? undefined : Math.min(...contexts),
    takes: [...new Set(reached.flatMap((each) => each.dialect.takes))],
    turns: facts.every((each) => each.turns === true),
    passes:
      reached[0]?.dialect.passes.filter((name) => reached.every(({ dialect }) => dialect.passes.includes(name))) ?? [],
    thinking: facts.find((each) => each.thinking !== undefined)?.thinking,
  };
}
