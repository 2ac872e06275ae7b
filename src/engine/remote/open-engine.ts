// Opens a remote engine: probes every server, and starts with those that answer. One that cannot be reached joins later;
// a fault that waiting does not mend (a wrong key, a wrong model, another protocol) is told at once.

import { FaultError, fault } from '../../base/fault.ts';
import { liveTimers } from '../../base/timers.ts';
import { CircuitBreaker } from '../../remote/circuit-breaker.ts';
import type { EngineCapabilities } from '../engine.ts';
import { refusalText } from './flight/refusable.ts';
import { checkOptions, type RemoteEngineOptions } from './options.ts';
import { RemoteEngine } from './remote-engine.ts';
import { defaultLimits, type LimitOptions } from './replica/in-flight-limit.ts';
import { Replica } from './replica/replica.ts';

export async function openRemoteEngine(options: RemoteEngineOptions): Promise<RemoteEngine> {
  checkOptions(options);
  const replicas = await openReplicas(options);
  return new RemoteEngine(options, replicas, capabilitiesOf(replicas));
}

async function openReplicas(options: RemoteEngineOptions): Promise<Replica[]> {
  const timers = options.timers ?? liveTimers;
  const limits: LimitOptions =
    options.inFlight === undefined ? defaultLimits : { ...defaultLimits, known: options.inFlight };
  const { model, dialect } = options;
  const probeOptions = { ...(model === undefined ? {} : { model }), ...(dialect === undefined ? {} : { dialect }) };
  const replicas = options.servers.map(
    (server) => new Replica({ ...server, timers, ...carriedBy(options, server) }, probeOptions, limits, timers.nowMs()),
  );
  const faults = await Promise.all(replicas.map((replica) => replica.inspect()));
  const fatal =
    faults.find((each) => each !== undefined && !each.retryable) ?? (faults.every(Boolean) ? faults[0] : undefined);
  if (fatal !== undefined) {
    for (const replica of replicas) replica.connection.close();
    throw new FaultError(fatal);
  }
  replicas.forEach((replica, at) => {
    replica.breaker = new CircuitBreaker(faults[at] === undefined, timers.nowMs(), faults[at]?.message);
  });
  requireOneModel(replicas);
  for (const { connection, facts } of replicas.filter((each) => each.reached)) {
    if (facts.dialect === 'vllm' && !facts.logprobs)
      options.observe?.({ type: 'replica-refuses', url: connection.url, reason: refusalText('logprobs') });
  }
  return replicas;
}

function carriedBy({ transport }: RemoteEngineOptions, { url }: { readonly url: string }) {
  return transport === undefined ? {} : { transport: transport(url) };
}

function requireOneModel(replicas: readonly Replica[]): void {
  const models = new Map(
    replicas.filter((each) => each.reached).map((each) => [each.facts.model, each.connection.url]),
  );
  if (models.size < 2) return;
  const found = [...models].map(([model, url]) => `${url} serves '${model}'`).join(', ');
  throw new FaultError(fault('bad-setting', `replicas must serve one model, but ${found}; set model`));
}

/** What all of them can do. */
function capabilitiesOf(replicas: readonly Replica[]): EngineCapabilities {
  const reached = replicas.filter((each) => each.reached);
  const facts = reached.map((each) => each.facts);
  const contexts = facts.flatMap((each) => each.contextTokens ?? []);
  return {
    name: [...new Set(facts.map((each) => each.dialect))].join('+'),
    seeded: facts.every((each) => each.seeded),
    logprobs: facts.every((each) => each.logprobs),
    entropy: reached.every((each) => each.dialect.tellsEntropy === true && each.facts.logprobs),
    confidence: reached.every((each) => each.dialect.tellsConfidence === true && each.facts.logprobs),
    pieces: reached.every((each) => each.dialect.tellsPieces === true && each.facts.logprobs),
    streams: true,
    seesStops: reached.every((each) => each.dialect.seesStops),
    priorities: facts.every((each) => each.priorityOrder !== 'none'),
    countsCache: facts.every((each) => each.countsCache),
    contextTokens: contexts.length === 0 ? undefined : Math.min(...contexts),
    thinking: facts.find((each) => each.thinking !== undefined)?.thinking,
  };
}
