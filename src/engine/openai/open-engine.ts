// Opens a remote engine: probes every server, and starts with those that answer. One that cannot be reached joins later;
// a fault that waiting does not mend (a wrong key, a wrong model, another protocol) is told at once.

import { FaultError, fault } from '../../base/fault.ts';
import { CircuitBreaker } from '../../remote/circuit-breaker.ts';
import { liveTimers } from '../../remote/timers.ts';
import type { EngineCapabilities } from '../engine.ts';
import { checkOptions, type RemoteEngineOptions, remoteDefaults } from './options.ts';
import { RemoteEngine } from './remote-engine.ts';
import { defaultLimits, type LimitOptions } from './replica/in-flight-limit.ts';
import { Replica } from './replica/replica.ts';

export async function openRemoteEngine(options: RemoteEngineOptions): Promise<RemoteEngine> {
  checkOptions(options);
  const replicas = await openReplicas(options);
  return new RemoteEngine(options, replicas, capabilitiesOf(options, replicas));
}

async function openReplicas(options: RemoteEngineOptions): Promise<Replica[]> {
  const timers = options.timers ?? liveTimers;
  const limits: LimitOptions =
    options.inFlight === undefined ? defaultLimits : { ...defaultLimits, known: options.inFlight };
  const { model, dialect } = options;
  const probeOptions = { ...(model === undefined ? {} : { model }), ...(dialect === undefined ? {} : { dialect }) };
  const replicas = options.servers.map(
    (server) => new Replica({ ...server, timers }, probeOptions, limits, timers.nowMs()),
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
  return replicas;
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
function capabilitiesOf(options: RemoteEngineOptions, replicas: readonly Replica[]): EngineCapabilities {
  const reached = replicas.filter((each) => each.reached);
  const facts = reached.map((each) => each.facts);
  const contexts = facts.flatMap((each) => each.contextTokens ?? []);
  const grouped = (options.siblings ?? remoteDefaults.siblings) === 'auto';
  return {
    name: [...new Set(facts.map((each) => each.dialect))].join('+'),
    // Siblings that share a request take their seeds from the first of them.
    seeded: facts.every((each) => each.seeded && !(grouped && each.dialect === 'llama-server')),
    logprobs: facts.every((each) => each.logprobs),
    streams: true,
    seesStops: reached.every((each) => each.dialect.seesStops),
    priorities: facts.every((each) => each.priorityOrder !== 'none'),
    countsCache: facts.every((each) => each.countsCache),
    contextTokens: contexts.length === 0 ? undefined : Math.min(...contexts),
  };
}
