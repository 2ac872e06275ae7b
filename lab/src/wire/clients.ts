// `npm run bench -- clients`: the cost of an HTTP client at 256 streams, node:http beside undici: CPU time of this process
// per 20,000 tokens, once with every token streamed and once with whole answers. undici is no dependency of coppice;
// a development dependency brings it (docs/decisions/0050-requests-to-remote-engines.md).

import * as http from 'node:http';
import { startServer } from './child-server.ts';

const streams = 256;
const stepTokens = 64;
const roundMs = 5000;
const warmMs = 2000;
const rounds = 3;

/** Sends a body and reads the answer to its end. */
type Client = (body: string, read: () => void) => Promise<void>;

/** The part of undici that is used here. */
interface Undici {
  readonly Agent: new (options: object) => { stream: UndiciStream; destroy(): Promise<void> };
}
type UndiciStream = (options: object, factory: () => NodeJS.WritableStream) => Promise<unknown>;

export async function report(print: (line: string) => void): Promise<void> {
  const lengths = ['--steps', '1', '--step-tokens', String(stepTokens)];
  const free = ['--sequence-ms', '0', '--request-ms', '0', '--chunk-ms', '0'];
  const server = await startServer('wire-server', ['--step-ms', '12.8', ...free, ...lengths]);
  const origin = server.url;
  const clients: Record<string, Client> = { 'node:http': nodeClient(origin) };
  const undici = await undiciClient(origin);
  if (undici === undefined) print('undici is not installed');
  else clients.undici = undici;
  print(
    `${streams} streams, ${rounds} rounds of ${roundMs} ms in turns; CPU seconds of this process per 20,000 tokens`,
  );
  try {
    for (const streamed of [true, false]) {
      const spent = new Map<string, number[]>(Object.keys(clients).map((name) => [name, []]));
      for (let turn = 0; turn < rounds; turn += 1) {
        for (const [name, client] of Object.entries(clients)) spent.get(name)!.push(await round(client, streamed));
      }
      for (const [name, all] of spent) {
        const shown = all.map((each) => each.toFixed(3)).join(' ');
        print(`${streamed ? 'token by token' : 'whole answers '}  ${name.padEnd(10)} ${shown}`);
      }
    }
  } finally {
    server.stop();
  }
}

async function round(client: Client, streamed: boolean): Promise<number> {
  const prompt = Array.from({ length: 292 }, (_, at) => at);
  const fields = { model: 'bench', prompt, max_tokens: 256, stop: ['\n\n'], temperature: 0.8 };
  const body = JSON.stringify(streamed ? { ...fields, stream: true } : fields);
  let answers = 0;
  let over = false;
  const loop = async (): Promise<void> => {
    while (!over) {
      await client(body, () => {});
      answers += 1;
    }
  };
  const loops = Array.from({ length: streams }, loop);
  await new Promise((resolve) => setTimeout(resolve, warmMs));
  const [before, cpu] = [answers, process.cpuUsage()];
  await new Promise((resolve) => setTimeout(resolve, roundMs));
  const { user, system } = process.cpuUsage(cpu);
  const tokens = (answers - before) * stepTokens;
  over = true;
  await Promise.all(loops);
  return ((user + system) / 1e6 / tokens) * 20_000;
}

const headers = { 'content-type': 'application/json' };

function nodeClient(origin: string): Client {
  const agent = new http.Agent({ keepAlive: true });
  return (body, read) =>
    new Promise((resolve, reject) => {
      const length = { 'content-length': Buffer.byteLength(body) };
      const options = { agent, method: 'POST', headers: { ...headers, ...length } };
      const request = http.request(`${origin}/v1/completions`, options, (response) => {
        response.on('data', read);
        response.on('end', resolve);
      });
      request.on('error', reject);
      request.end(body);
    });
}

async function undiciClient(origin: string): Promise<Client | undefined> {
  const name = 'undici';
  const { Writable } = await import('node:stream');
  const undici = (await import(name).catch(() => undefined)) as Undici | undefined;
  if (undici === undefined) return undefined;
  const agent = new undici.Agent({ connections: streams, pipelining: 1, bodyTimeout: 0, headersTimeout: 0 });
  return async (body, read) => {
    const sink = new Writable({
      write(_chunk, _encoding, done) {
        read();
        done();
      },
    });
    await agent.stream({ origin, path: '/v1/completions', method: 'POST', headers, body }, () => sink);
  };
}
