// Load of all replicas together, and why none is up.

import type { EngineLoad } from '../../engine.ts';
import type { Replica } from './replica.ts';

type Measured = Required<Pick<EngineLoad, 'stepMs' | 'times'>>;

export function loadOf(replicas: readonly Replica[], parked: number, { stepMs, times }: Measured): EngineLoad {
  // Read at every decision: one pass, and nothing made on the way.
  let [running, waiting, limit, usable, leaving] = [0, parked, 0, 0, 0];
  let [atServers, queuedMs, computedMs, squeezed] = [0, 0, 0, false];
  for (const { inFlight, queue, isUsable, leavingMs, limit: own } of replicas) {
    running += inFlight;
    waiting += queue.sequences;
    atServers += Math.min(inFlight, own.reading?.running ?? inFlight);
    queuedMs += (own.reading?.queuedSeconds ?? 0) * 1000;
    computedMs += (own.reading?.computedSeconds ?? 0) * 1000;
    if (leavingMs !== undefined) leaving += 1;
    if (!isUsable) continue;
    usable += 1;
    limit += own.room;
    squeezed ||= own.squeezed;
  }
  return {
    runningSequences: running,
    waitingSequences: waiting,
    sequenceLimit: limit,
    stepMs,
    atServers,
    times,
    queuedMs,
    computedMs,
    squeezed,
    healthy: usable > 0,
    replicas: { up: usable, out: replicas.length - usable - leaving, leaving },
    ...(usable > 0 ? {} : { trouble: `no server is up: ${outageOf(replicas)}` }),
  };
}

export function outageOf(replicas: readonly Replica[]): string {
  return replicas.map((each) => each.breaker.reason ?? `${each.connection.url} is up`).join('; ');
}

/** More would make one request of a whole search. */
const mostSiblings = 64;

export function siblingLimit(replicas: readonly Replica[]): number {
  const limits = replicas.filter(({ reached }) => reached).map(siblingsOn);
  return limits.length === 0 ? 1 : Math.min(...limits);
}

/** llama-server has its slots, vLLM any number. SGLang gives all siblings one seed and cannot abort them: they go singly. */
function siblingsOn({ facts, refused }: Replica): number {
  if (refused.has('n')) return 1;
  if (facts.dialect === 'llama-server') return facts.sequenceLimit ?? 1;
  return facts.dialect === 'vllm' && facts.returnsTokens ? mostSiblings : 1;
}
