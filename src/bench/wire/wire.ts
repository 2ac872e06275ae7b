// `npm run bench -- wire`: how much of a server's speed reaches a search. Many MCTS searches through the real runtime and
// the real remote engine against a fake server that writes a token per sequence every 12.8 ms, beside the same server asked
// plainly: as many single requests at a time, whole answers, the next when one has come. Printed: tokens per second of
// both, their ratio, and the CPU time of this process, which holds all of coppice, per 20,000 tokens.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import * as http from 'node:http';
import { fileURLToPath } from 'node:url';
import { openRemoteEngine } from '../../engine/openai/open-engine.ts';
import { createPolicy } from '../../policy/create.ts';
import { createMcts } from '../../program/mcts/mcts.ts';
import { LiveLoop, systemClock } from '../../runtime/live.ts';
import { Runtime } from '../../runtime/runtime.ts';
import type { ScoreRequest, Verifier, VerifierMessage } from '../../verifier/verifier.ts';

const stepMs = 12.8;
const stepTokens = 64;
const branching = 4;
const roundMs = 4000;
/** Sockets, compiler and the limit in flight settle before a round is counted. */
const warmMs = 2500;
/** Plain and coppice take turns, and the fastest round of each counts: what slows one down is other work on the machine. */
const rounds = 3;
const sizes = [64, 256, 512];

interface WireRound {
  readonly tokensPerSecond: number;
  /** Of this process, per 20,000 tokens. */
  readonly cpuSeconds: number;
}

/** How steps are asked for: as a search does that nobody watches, or with everything as for somebody who does. */
type Asking = 'least' | 'everything';

export async function report(print: (line: string) => void): Promise<void> {
  const script = fileURLToPath(new URL(import.meta.url.replace(/wire(?=\.[jt]s$)/, 'wire-server')));
  const server = spawn(process.execPath, [script, String(stepMs), String(stepTokens)], {
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
      const turns: [WireRound, WireRound][] = [];
      for (let turn = 0; turn < rounds; turn += 1) {
        turns.push([await plainRound(url, sequences), await searchRound(url, sequences, 'least')]);
      }
      const plain = fastest(turns.map(([round]) => round));
      const least = fastest(turns.map(([, round]) => round));
      const watched = await searchRound(url, sequences, 'everything');
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

/** Counts tokens and CPU time between two moments of work that goes on by itself. */
async function measure(tokens: () => number): Promise<WireRound> {
  await new Promise((resolve) => setTimeout(resolve, warmMs));
  const [before, cpu, startMs] = [tokens(), process.cpuUsage(), performance.now()];
  await new Promise((resolve) => setTimeout(resolve, roundMs));
  const { user, system } = process.cpuUsage(cpu);
  const written = tokens() - before;
  const tokensPerSecond = (written / (performance.now() - startMs)) * 1000;
  return { tokensPerSecond, cpuSeconds: ((user + system) / 1e6 / written) * 20_000 };
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
  const round = await measure(() => tokens);
  over = true;
  agent.destroy();
  return round;
}

async function searchRound(url: string, sequences: number, asking: Asking): Promise<WireRound> {
  const engine = await openRemoteEngine({ servers: [{ url }] });
  const policy = createPolicy('vanilla');
  const loop = new LiveLoop();
  let searches = 0;
  let tokens = 0;
  let over = false;
  const runtime: Runtime = new Runtime({
    engine,
    verifier: new FreeVerifier(),
    scheduler: policy.scheduler,
    budget: sequences / branching,
    clock: systemClock,
    onEvent: ({ event }) => {
      if (event.type === 'grown') tokens += event.step.tokens;
      else if (event.type === 'merged') tokens += event.tokens;
    },
    onEnd: () => {
      if (!over) submit();
    },
    ...(asking === 'everything' ? { onToken: () => {} } : {}),
    wake: loop.wake,
  });
  const submit = (): void => {
    searches += 1;
    runtime.submit({
      id: `search-${searches}`,
      prompt: { kind: 'text', text: `question ${searches}` },
      program: createMcts({ rollouts: 4, branching, maxDepth: 8, selection: asking === 'least' ? 'uct' : 'puct' }),
      rules: policy.rules,
      limits: { threshold: 1, rollouts: 4 },
      seed: searches,
      repeatable: asking === 'everything',
      priority: 0,
      delimiters: ['\n\n'],
      maxStepTokens: 256,
      extract: () => 'answer',
    });
  };
  // A few more than run at a time, so that the place of one that ends is taken at once.
  for (let at = 0; at < sequences / branching + 4; at += 1) submit();
  loop.drive(runtime);
  const round = await measure(() => tokens);
  over = true;
  loop.stop();
  await engine.close();
  return round;
}

/** Rewards that cost nothing and differ, so that every step is a node of its own. */
class FreeVerifier implements Verifier {
  readonly capabilities = { name: 'free', aggregation: 'product', reusesPrefix: true } as const;
  #post: (message: VerifierMessage) => void = () => {};

  connect(post: (message: VerifierMessage) => void): void {
    this.#post = post;
  }

  score(requests: readonly ScoreRequest[]): void {
    const usage = { computedTokens: 0, cachedTokens: 0 };
    for (const { id } of requests) this.#post({ type: 'score', request: id, reward: 0.5 + (id % 40) / 100, usage });
  }

  cancel(): void {}
  release(): void {}
  load(): { waiting: number; healthy: boolean } {
    return { waiting: 0, healthy: true };
  }

  async close(): Promise<void> {}
}
