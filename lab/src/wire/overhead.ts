// `npm run bench -- overhead`: the remote engine's cost per call beyond bare HTTP. Latency: calls to one server alternate
// between bare HTTP and the engine, so that both meet the same moments of the machine. CPU time of this process: each kind
// alone, in turns. The server is a process of its own and answers 250 ms after a call arrives. Calls start on a fixed grid,
// answered or not (an open loop), so that a stall is not hidden by fewer calls.

import * as http from 'node:http';
import { type Call, openRemoteEngine, type RemoteEngine, vllm } from '@coppice/core/engine';
import type { GenerateRequest } from 'coppice';
import { startServer } from './child-server.ts';

const callsPerSecond = 500;
const callsPerRound = 1000;
const latencyRounds = 10;
const cpuRounds = 4;
const answerMs = 250;

type TimedCaller = (at: number) => Promise<void>;

interface OverheadRound {
  /** Per caller. */
  readonly latenciesMs: readonly (readonly number[])[];
  readonly cpuMs: number;
}

export async function report(print: (line: string) => void): Promise<void> {
  const server = await startServer('overhead-server', [String(answerMs)]);
  const { url } = server;
  const engine = await openRemoteEngine({ servers: [{ url }], inFlight: 4096 });
  try {
    const [bare, fetched, coppice] = [bareCaller(url), fetchCaller(url), engineCaller(engine)] as const;
    // The first rounds warm sockets and compiler, and are thrown away.
    for (const caller of [bare, fetched, coppice]) await round([caller]);
    await round([bare, coppice]);
    await reportLatency(print, bare, coppice);
    await reportCpu(print, { 'bare HTTP': bare, 'bare fetch': fetched, coppice });
  } finally {
    await engine.close();
    server.stop();
  }
}

async function reportLatency(print: (line: string) => void, bare: TimedCaller, coppice: TimedCaller): Promise<void> {
  const seen: number[][] = [[], []];
  for (let turn = 0; turn < latencyRounds; turn += 1) {
    const { latenciesMs } = await round([bare, coppice]);
    for (const [at, each] of latenciesMs.entries()) seen[at]!.push(...each);
  }
  const [one, other] = seen.map((each) => [quantile(each, 0.5), quantile(each, 0.99)]);
  const row = (name: string, values: readonly number[]): string =>
    name.padEnd(12) + values.map((value) => value.toFixed(2).padStart(10)).join('');
  print(
    `latency: ${seen[0]!.length} calls each, alternating, ${callsPerSecond} per second; answers after ${answerMs} ms`,
  );
  print(`${''.padEnd(12)}${'p50 ms'.padStart(10)}${'p99 ms'.padStart(10)}`);
  print(row('bare HTTP', one!));
  print(row('coppice', other!));
  print(
    row(
      'added',
      other!.map((value, at) => value - one![at]!),
    ),
  );
}

async function reportCpu(print: (line: string) => void, callers: Readonly<Record<string, TimedCaller>>): Promise<void> {
  const spentMs = new Map<string, number>();
  for (let turn = 0; turn < cpuRounds; turn += 1) {
    for (const [name, caller] of Object.entries(callers)) {
      spentMs.set(name, (spentMs.get(name) ?? 0) + (await round([caller])).cpuMs);
    }
  }
  const calls = cpuRounds * callsPerRound;
  print(`\nCPU: ${calls} calls each, in turns, ${callsPerSecond} per second, 16 tokens per answer`);
  for (const [name, ms] of spentMs) print(`${name.padEnd(12)}${(ms / calls).toFixed(2).padStart(10)} ms per call`);
}

/** One round of calls, taken by the callers one after the other. */
async function round(callers: readonly TimedCaller[]): Promise<OverheadRound> {
  const cpu = process.cpuUsage();
  const startMs = performance.now();
  const calls: Promise<void>[] = [];
  const latenciesMs = callers.map((): number[] => []);
  while (calls.length < callsPerRound) {
    const due = Math.min(callsPerRound, Math.floor(((performance.now() - startMs) / 1000) * callsPerSecond) + 1);
    for (let at = calls.length; at < due; at += 1) {
      // From when the call was due, not from when it could be made: lateness of this process counts.
      const dueMs = startMs + (at / callsPerSecond) * 1000;
      const turn = at % callers.length;
      calls.push(callers[turn]!(at).then(() => void latenciesMs[turn]!.push(performance.now() - dueMs)));
    }
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  await Promise.all(calls);
  const { user, system } = process.cpuUsage(cpu);
  return { latenciesMs, cpuMs: (user + system) / 1000 };
}

function quantile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(share * (values.length - 1))]!;
}

function requestAt(id: number): GenerateRequest {
  return {
    id,
    search: `search-${id % 50}`,
    prompt: { kind: 'text', text: 'question' },
    parent: 0,
    path: [],
    index: id,
    sampling: { temperature: 0.8 },
    seed: id,
    delimiters: ['\n\n'],
    maxTokens: 256,
    lane: 'primary',
    priority: 0,
  };
}

function engineCaller(engine: RemoteEngine): TimedCaller {
  const waiting = new Map<number, () => void>();
  let next = 0;
  engine.connect((message) => {
    if (message.type === 'fault') throw new Error(message.fault.message);
    if (message.type !== 'step') return;
    waiting.get(message.request)!();
    waiting.delete(message.request);
  });
  return () =>
    new Promise((resolve) => {
      next += 1;
      waiting.set(next, resolve);
      engine.generate([requestAt(next)]);
    });
}

/** The same body that the engine sends. */
function wireCall(): { readonly path: string; payload(at: number): string } {
  const tokenIds = Array.from({ length: 100 }, (_, at) => at);
  const { prompt, sampling } = requestAt(1);
  const call: Call = {
    name: 'bare',
    prompt,
    tokenIds,
    pathText: '',
    siblings: 1,
    logprobs: true,
    delivery: 'tokens',
    sampling,
    seed: 1,
    stops: ['\n\n'],
    maxTokens: 256,
    lane: 'primary',
    priority: 0,
  };
  const facts = { dialect: 'vllm', model: 'bench', priorityOrder: 'lower-first' } as const;
  const rest = { version: '', contextTokens: 0, sequenceLimit: 0, seeded: true, logprobs: true } as const;
  const seen = { countsCache: true, prefixCaching: true, returnsTokens: true } as const;
  const { path, body } = vllm.encode(call, { ...facts, ...rest, ...seen });
  return { path, payload: (at) => JSON.stringify({ ...body, seed: at }) };
}

const headers = { 'content-type': 'application/json' };

/** The least that any client must do: write the body, read the answer to its end. */
function bareCaller(url: string): TimedCaller {
  const agent = new http.Agent({ keepAlive: true });
  const { path, payload } = wireCall();
  return (at) =>
    new Promise((resolve, reject) => {
      const request = http.request(`${url}${path}`, { agent, method: 'POST', headers }, (response) => {
        response.on('data', () => {});
        response.on('end', resolve);
      });
      request.on('error', reject);
      request.end(payload(at));
    });
}

/** The same through the built-in fetch. */
function fetchCaller(url: string): TimedCaller {
  const { path, payload } = wireCall();
  return async (at) => {
    const response = await fetch(`${url}${path}`, { method: 'POST', headers, body: payload(at) });
    await response.arrayBuffer();
  };
}
