// `npm run bench -- overhead`: what the remote engine adds to bare HTTP per call: latency at the median and at p99, and CPU
// time of this process. Both send the same body to the same server at the same rate, in turns within one run; the server
// is a process of its own and answers 250 ms after a call came. Calls start on a fixed grid, whether or not others are
// answered (an open loop), so that a stall is not hidden by fewer calls.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import * as http from 'node:http';
import { fileURLToPath } from 'node:url';
import type { GenerateRequest } from '../engine/engine.ts';
import type { Call } from '../engine/openai/dialect.ts';
import { openRemoteEngine } from '../engine/openai/open-engine.ts';
import type { RemoteEngine } from '../engine/openai/remote-engine.ts';
import { vllm } from '../engine/openai/vllm.ts';

const callsPerSecond = 500;
const callsPerRound = 500;
const rounds = 11;
const answerMs = 250;

/** Quantiles of each round, so that a turn in which the machine was busy with something else does not decide. */
interface Measured {
  readonly p50Ms: number[];
  readonly p99Ms: number[];
  cpuMs: number;
}

const nothingYet = (): Measured => ({ p50Ms: [], p99Ms: [], cpuMs: 0 });

type Caller = (at: number) => Promise<void>;

export async function report(print: (line: string) => void): Promise<void> {
  const script = fileURLToPath(new URL('./overhead-server.ts', import.meta.url));
  const server = spawn(process.execPath, [script, String(answerMs)], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [port] = (await once(server.stdout, 'data')) as [Buffer];
  const url = `http://127.0.0.1:${port.toString().trim()}`;
  const engine = await openRemoteEngine({ servers: [{ url }], inFlight: 4096 });
  try {
    const [bare, fetched, coppice] = [0, 1, 2].map(nothingYet);
    const callers = [
      [bareCaller(url), bare!],
      [fetchCaller(url), fetched!],
      [engineCaller(engine), coppice!],
    ] as const;
    // The first round of each warms sockets and compiler, and is thrown away.
    for (const [caller] of callers) await round(caller, nothingYet());
    for (let turn = 0; turn < rounds; turn += 1)
      for (const [caller, measured] of callers) await round(caller, measured);
    show(print, bare!, fetched!, coppice!);
  } finally {
    await engine.close();
    server.kill();
  }
}

async function round(caller: Caller, measured: Measured): Promise<void> {
  const cpu = process.cpuUsage();
  const startMs = performance.now();
  const calls: Promise<void>[] = [];
  const latenciesMs: number[] = [];
  while (calls.length < callsPerRound) {
    const due = Math.min(callsPerRound, Math.floor(((performance.now() - startMs) / 1000) * callsPerSecond) + 1);
    for (let at = calls.length; at < due; at += 1) {
      // From when the call was due, not from when it could be made: lateness of this process counts.
      const dueMs = startMs + (at / callsPerSecond) * 1000;
      calls.push(caller(at).then(() => void latenciesMs.push(performance.now() - dueMs)));
    }
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  await Promise.all(calls);
  const { user, system } = process.cpuUsage(cpu);
  measured.cpuMs += (user + system) / 1000;
  latenciesMs.sort((a, b) => a - b);
  measured.p50Ms.push(latenciesMs[Math.floor(0.5 * (callsPerRound - 1))]!);
  measured.p99Ms.push(latenciesMs[Math.floor(0.99 * (callsPerRound - 1))]!);
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

function engineCaller(engine: RemoteEngine): Caller {
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
function bareCaller(url: string): Caller {
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
function fetchCaller(url: string): Caller {
  const { path, payload } = wireCall();
  return async (at) => {
    const response = await fetch(`${url}${path}`, { method: 'POST', headers, body: payload(at) });
    await response.arrayBuffer();
  };
}

function show(print: (line: string) => void, bare: Measured, fetched: Measured, coppice: Measured): void {
  const calls = rounds * callsPerRound;
  const row = (name: string, values: readonly number[]): string =>
    name.padEnd(12) + values.map((value) => value.toFixed(2).padStart(12)).join('');
  const values = ({ p50Ms, p99Ms, cpuMs }: Measured): number[] => [median(p50Ms), median(p99Ms), cpuMs / calls];
  const added = [
    median(coppice.p50Ms.map((ms, at) => ms - bare.p50Ms[at]!)),
    median(coppice.p99Ms.map((ms, at) => ms - bare.p99Ms[at]!)),
    (coppice.cpuMs - bare.cpuMs) / calls,
  ];
  print(
    `${calls} calls each, ${callsPerSecond} per second, ${rounds} turns of ${callsPerRound}; answers after ${answerMs} ms, 16 tokens`,
  );
  print('latency: the median over the turns; added: of the differences within each turn');
  print(`${''.padEnd(12)}${'p50 ms'.padStart(12)}${'p99 ms'.padStart(12)}${'CPU ms/call'.padStart(12)}`);
  print(row('bare HTTP', values(bare)));
  print(row('bare fetch', values(fetched)));
  print(row('coppice', values(coppice)));
  print(row('added', added));
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
}
