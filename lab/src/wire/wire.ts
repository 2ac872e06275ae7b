// `npm run bench -- wire`: how much of a server's speed reaches a search. Many MCTS searches through the real runtime and
// the real remote engine against a fake server that writes a token per sequence every 12.8 ms, beside the same server asked
// plainly: as many single requests at a time, whole answers, the next when one has come. Printed: tokens per second of
// both, their ratio, and the CPU time of this process, which holds all of coppice, per 20,000 tokens. With --engine URL the
// same of a real server (real-server.ts), with --brief in a minute.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import * as http from 'node:http';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { reportServer } from './real-server.ts';
import { branching, measure, searchRound, type WireRound } from './search-round.ts';

const stepMs = 12.8;
const stepTokens = 64;
const roundMs = 4000;
/** Sockets, compiler and the limit in flight settle before a round is counted. */
const warmMs = 2500;
/** Plain and coppice take turns, and the fastest round of each counts: what slows one down is other work on the machine. */
const rounds = 3;
const sizes = [64, 256, 512];

export async function report(print: (line: string) => void, args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: { engine: { type: 'string' }, brief: { type: 'boolean' } },
  });
  if (values.engine !== undefined) return reportServer(values.engine, print, values.brief);
  const script = fileURLToPath(new URL(import.meta.url.replace(/wire(?=\.[jt]s$)/, 'wire-server')));
  const server = spawn(process.execPath, [...process.execArgv, script, String(stepMs), String(stepTokens)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [port] = (await once(server.stdout, 'data')) as [Buffer];
  const url = `http://127.0.0.1:${port.toString().trim()}`;
  print(
    `steps of ${stepTokens} tokens at ${stepMs} ms, MCTS with ${branching} steps per expansion, ${roundMs} ms a round`,
  );
  print('CPU: seconds of this process per 20,000 tokens');
  print(
    `${'sequences'.padEnd(12)}${['plain tok/s', 'coppice tok/s', 'ratio', 'plain CPU', 'coppice CPU', 'CPU, watched'].map((each) => each.padStart(15)).join('')}`,
  );
  try {
    for (const sequences of sizes) {
      const common = { url, sequences, stepTokens: 256, warmMs, roundMs };
      const turns: [WireRound, WireRound][] = [];
      for (let turn = 0; turn < rounds; turn += 1) {
        turns.push([await plainRound(url, sequences), await searchRound({ ...common, asking: 'least' })]);
      }
      const plain = fastest(turns.map(([round]) => round));
      const least = fastest(turns.map(([, round]) => round));
      const watched = await searchRound({ ...common, asking: 'everything' });
      const ratio = least.tokensPerSecond / plain.tokensPerSecond;
      const cells = [plain.tokensPerSecond.toFixed(0), least.tokensPerSecond.toFixed(0), ratio.toFixed(3)];
      const cpu = [plain, least, watched].map((each) => each.cpuSeconds.toFixed(3));
      print(`${String(sequences).padEnd(12)}${[...cells, ...cpu].map((each) => each.padStart(15)).join('')}`);
    }
  } finally {
    server.kill();
  }
}

function fastest(all: readonly WireRound[]): WireRound {
  return all.reduce((best, round) => (round.tokensPerSecond > best.tokensPerSecond ? round : best));
}

async function plainRound(url: string, sequences: number): Promise<WireRound> {
  const agent = new http.Agent({ keepAlive: true });
  const prompt = Array.from({ length: 292 }, (_, at) => at);
  const payload = JSON.stringify({ model: 'bench', prompt, max_tokens: 256, stop: ['\n\n'], temperature: 0.8 });
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(payload) };
  let tokens = 0;
  let over = false;
  const ask = (): void => {
    const request = http.request(`${url}/v1/completions`, { agent, method: 'POST', headers }, (response) => {
      response.on('data', () => {});
      response.on('end', () => {
        tokens += stepTokens;
        if (!over) ask();
      });
    });
    request.on('error', () => {});
    request.end(payload);
  };
  for (let at = 0; at < sequences; at += 1) ask();
  const round = await measure(() => tokens, { warmMs, roundMs });
  over = true;
  agent.destroy();
  return round;
}
