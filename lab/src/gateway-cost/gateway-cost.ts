// `npm run bench -- gateway-cost`: measures the gateway's own cost. An engine that answers at once stands behind it. Beside it a bare HTTP
// server parses the same body and sends an answer of the same size. Each runs in a process of its own, and the same clients ask them in
// turns, so that a busy machine affects both.

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request as httpRequest } from 'node:http';
import { fileURLToPath } from 'node:url';
import { type Block, plainTable } from '../experiment/table.ts';

const variants = ['bare', 'direct', 'search', 'search, journal on disk', 'search, streaming'] as const;
export type Variant = (typeof variants)[number];

const rounds = 3;
const warmUp = 200;
const requestsAlone = 300;
const requestsTogether = 1500;
const clients = 16;

interface Measure {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Of the server's process, user and system. */
  readonly cpuMs: number;
}

export async function report(print: (block: Block) => void): Promise<void> {
  const servers = new Map<Variant, Server>();
  try {
    for (const variant of variants) servers.set(variant, await Server.start(variant));
    for (const server of servers.values()) await server.load(warmUp, clients);
    const alone = await inTurns(servers, requestsAlone, 1);
    const together = await inTurns(servers, requestsTogether, clients);
    print(
      `Node ${process.version}; ${rounds} rounds in turns; ${requestsAlone} requests one by one, ${requestsTogether} by ${clients} clients.`,
    );
    print('One step, accepted at once. CPU is that of the server alone; the median round is shown.');
    const rows = variants.map((variant) =>
      row(variant, alone.get(variant)!, together.get(variant)!, alone.get('bare')!),
    );
    const heading = ['server', 'ms alone', 'added ms', 'p99 ms', `requests/s (${clients})`, 'CPU ms/request'];
    print(plainTable(heading, rows));
  } finally {
    for (const server of servers.values()) await server.stop();
  }
}

function row(variant: Variant, alone: Measure, together: Measure, bare: Measure): string[] {
  const added = (alone.p50Ms - bare.p50Ms).toFixed(2);
  return [
    variant,
    alone.p50Ms.toFixed(2),
    added,
    alone.p99Ms.toFixed(2),
    together.perSecond.toFixed(0),
    together.cpuMs.toFixed(2),
  ];
}

async function inTurns(
  servers: ReadonlyMap<Variant, Server>,
  requests: number,
  atOnce: number,
): Promise<Map<Variant, Measure>> {
  const measured = new Map<Variant, Measure[]>();
  for (let round = 0; round < rounds; round += 1) {
    for (const [variant, server] of servers) {
      measured.set(variant, [...(measured.get(variant) ?? []), await server.load(requests, atOnce)]);
    }
  }
  const middle = (all: Measure[]) => all.sort((a, b) => a.p50Ms - b.p50Ms)[all.length >> 1]!;
  return new Map([...measured].map(([variant, all]) => [variant, middle(all)]));
}

class Server {
  readonly #child: ChildProcess;
  readonly #port: number;
  readonly #body: string;
  readonly #agent = new Agent({ keepAlive: true });

  private constructor(child: ChildProcess, port: number, body: string) {
    this.#child = child;
    this.#port = port;
    this.#body = body;
  }

  static async start(variant: Variant): Promise<Server> {
    const child = fork(fileURLToPath(new URL('./gateway-cost-server.ts', import.meta.url)), [variant]);
    const [{ port }] = (await once(child, 'message')) as [{ port: number }];
    return new Server(child, port, JSON.stringify(bodyOf(variant)));
  }

  async load(requests: number, atOnce: number): Promise<Measure> {
    const latencies: number[] = [];
    const cpuBefore = await this.#cpuMs();
    const startMs = performance.now();
    let sent = 0;
    const client = async () => {
      while (sent < requests) {
        sent += 1;
        const askedMs = performance.now();
        await this.#ask();
        latencies.push(performance.now() - askedMs);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, client));
    const elapsedMs = performance.now() - startMs;
    latencies.sort((a, b) => a - b);
    const at = (share: number) => latencies[Math.min(latencies.length - 1, Math.floor(share * latencies.length))] ?? 0;
    const cpuMs = ((await this.#cpuMs()) - cpuBefore) / requests;
    return { perSecond: (requests * 1000) / elapsedMs, p50Ms: at(0.5), p99Ms: at(0.99), cpuMs };
  }

  async stop(): Promise<void> {
    this.#agent.destroy();
    const exit = once(this.#child, 'exit');
    this.#child.send('stop');
    await exit;
  }

  async #cpuMs(): Promise<number> {
    const answer = once(this.#child, 'message');
    this.#child.send('cpu');
    const [{ cpuMs }] = (await answer) as [{ cpuMs: number }];
    return cpuMs;
  }

  #ask(): Promise<void> {
    return new Promise((resolve, reject) => {
      const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(this.#body) };
      const options = {
        agent: this.#agent,
        host: '127.0.0.1',
        port: this.#port,
        method: 'POST',
        path: '/v1/chat/completions',
        headers,
      };
      const request = httpRequest(options, (response) => {
        if (response.statusCode !== 200) reject(new Error(`status ${response.statusCode}`));
        response.resume().on('end', resolve).on('error', reject);
      });
      request.on('error', reject);
      request.end(this.#body);
    });
  }
}

function bodyOf(variant: Variant): object {
  const question = { model: 'm', messages: [{ role: 'user', content: 'make 24 from 4 7 8 8' }], seed: 1 };
  if (variant === 'direct') return { ...question, reasoning_effort: 'none' };
  return variant === 'search, streaming' ? { ...question, stream: true } : question;
}
