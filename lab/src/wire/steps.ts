// `npm run bench -- steps`: coppice's cost per step. MCTS with a reward model on a second server runs through the real runtime, remote engine
// and remote verifier, against stand-ins that write a step in about 100 ms and score it in 30. Reports steps per second, requests for each, and
// the CPU time of this process, which holds all of coppice. With --logprobs the prior of MCTS comes from log probabilities.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { openRemoteEngine } from '@coppice/core/engine';
import { createMcts } from '@coppice/core/program';
import { openRemoteVerifier } from '@coppice/core/verifier';
import { createPolicy, LiveLoop, Runtime, systemClock } from 'coppice';
import { fillerPrompt } from '../rehearse/filler.ts';

const strandCounts = [16, 48, 96];
const branching = 4;
const questionWords = 100;
const warmMs = 3000;
const roundMs = 6000;

interface Counts {
  readonly calls: number;
  readonly steps: number;
  readonly scoreCalls: number;
  readonly scores: number;
}

export async function report(print: (line: string) => void, args: readonly string[]): Promise<void> {
  const options = { logprobs: { type: 'boolean', default: false }, strands: { type: 'string' } } as const;
  const { values } = parseArgs({ args: [...args], options });
  const script = fileURLToPath(new URL(import.meta.url.replace(/steps(?=\.[jt]s$)/, 'steps-server')));
  const server = spawn(process.execPath, [...process.execArgv, script], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [port] = (await once(server.stdout, 'data')) as [Buffer];
  const url = `http://127.0.0.1:${port.toString().trim()}`;
  print(`MCTS with ${branching} steps per expansion, a reward model beside it, ${roundMs} ms a round`);
  print('strands    steps/s   calls/step   calls/score   CPU ms/step   CPU share');
  try {
    for (const strands of values.strands === undefined ? strandCounts : [Number(values.strands)]) {
      const { steps, calls, scores, scoreCalls, cpuMs, ms } = await round(url, strands, values.logprobs);
      const cells = [
        ((1000 * steps) / ms).toFixed(0).padStart(9),
        (calls / steps).toFixed(3).padStart(13),
        (scoreCalls / scores).toFixed(3).padStart(14),
        (cpuMs / steps).toFixed(3).padStart(14),
        (cpuMs / ms).toFixed(2).padStart(12),
      ];
      print(`${String(strands).padEnd(9)}${cells.join('')}`);
    }
  } finally {
    server.kill();
  }
}

async function round(url: string, strands: number, logprobs: boolean) {
  const engine = await openRemoteEngine({ servers: [{ url }], inFlight: 4 * branching * strands });
  const verifier = await openRemoteVerifier({ kind: 'plain', servers: [{ url }] });
  const policy = createPolicy('vanilla');
  const loop = new LiveLoop();
  let searches = 0;
  let over = false;
  const runtime: Runtime = new Runtime({
    engine,
    verifier,
    scheduler: policy.scheduler,
    budget: strands,
    clock: systemClock,
    onEvent: () => {},
    onEnd: () => {
      if (!over) submit();
    },
    wake: loop.wake,
  });
  const submit = (): void => {
    searches += 1;
    runtime.submit({
      id: `search-${searches}`,
      prompt: fillerPrompt(`question ${searches}`, questionWords),
      program: createMcts({ rollouts: 8, branching, maxDepth: 8, prior: logprobs ? 'logprob' : 'draws' }),
      rules: policy.rules,
      limits: { threshold: 1, rollouts: 8 },
      seed: searches,
      repeatable: false,
      priority: 0,
      delimiters: ['\n\n'],
      stepTokens: 256,
      extract: () => 'answer',
    });
  };
  // A few more than run at a time, so that the place of one that ends is taken at once.
  for (let at = 0; at < strands + 4; at += 1) submit();
  loop.drive(runtime);
  await new Promise((resolve) => setTimeout(resolve, warmMs));
  const before = await countsAt(url);
  const [cpu, startMs] = [process.cpuUsage(), performance.now()];
  await new Promise((resolve) => setTimeout(resolve, roundMs));
  const { user, system } = process.cpuUsage(cpu);
  const ms = performance.now() - startMs;
  const after = await countsAt(url);
  over = true;
  loop.stop();
  await Promise.all([engine.close(), verifier.close()]);
  const since = (name: keyof Counts): number => after[name] - before[name];
  const counted = {
    steps: since('steps'),
    calls: since('calls'),
    scores: since('scores'),
    scoreCalls: since('scoreCalls'),
  };
  return { ...counted, cpuMs: (user + system) / 1000, ms };
}

async function countsAt(url: string): Promise<Counts> {
  return (await (await fetch(`${url}/counts`)).json()) as Counts;
}
