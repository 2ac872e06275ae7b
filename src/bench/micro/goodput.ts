// Overload in real time and over HTTP: `coppice serve` with the simulated engine in a process of its own, an open stream
// of chat completions, and the measure of overload.ts. `npm run bench -- goodput`; three minutes or so, on a machine that does nothing else.

import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Random } from '../../base/random.ts';
import { type LoadAnswer, type LoadResult, measureOverload, type OpenLoad } from './overload.ts';

const seed = 1;
/** A small server, sped up so that a search takes a fraction of a second. */
const settings = ['models.0.budget=4', 'models.0.engine.speed=8', 'server.page=false', 'log.level=error'];
const rollouts = 8;
const size = { requests: 150, alone: { requests: 31, perSecond: 1 }, startPerSecond: 4, halvings: 2 };

export async function report(print: (line: string) => void): Promise<void> {
  const { url, child } = await serve();
  try {
    const { medianMs, deadlineMs, capacity, overloaded, kept } = await measureOverload(
      (load) => drive(url, load),
      size,
    );
    print(
      `coppice serve --sim, ${settings.slice(0, 2).join(', ')}, ${rollouts} rollouts, seed ${seed}; times are simulated`,
    );
    print(`median ${medianMs.toFixed(0)} ms, deadline ${deadlineMs} ms`);
    print(lineOf('at capacity', capacity));
    print(lineOf('at ten times', overloaded));
    print(`kept of what is complete at capacity (rate times share): ${kept.toFixed(2)} (bar: 0.9)`);
  } finally {
    child.kill('SIGTERM');
  }
}

function lineOf(name: string, { perSecond, completePerSecond, completeShare, told, empty }: LoadResult): string {
  const counts = Object.entries(told).map(([code, count]) => `${code} ${count}`);
  const share = `${(100 * completeShare).toFixed(0)} %`;
  return `${name}: ${perSecond.toFixed(1)} requests/s, ${completePerSecond.toFixed(2)} complete/s (${share}); ${counts.join(', ')}; empty answers ${empty}`;
}

async function serve(): Promise<{ readonly url: string; readonly child: ChildProcess }> {
  const main = fileURLToPath(new URL('../../cli/main.ts', import.meta.url));
  const set = settings.flatMap((each) => ['--set', each]);
  const child = spawn(process.execPath, [main, 'serve', '--sim', '--port', '0', '--journal', ':memory:', ...set], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const url = await new Promise<string>((resolve, reject) => {
    let said = '';
    child.stdout.on('data', (text) => {
      said += String(text);
      const [, found] = /at (http:\/\/\S+) /.exec(said) ?? [];
      if (found !== undefined) resolve(found);
    });
    child.once('exit', (code) => reject(new Error(`coppice serve ended with ${code}`)));
  });
  return { url, child };
}

async function drive(url: string, load: OpenLoad): Promise<LoadAnswer[]> {
  const startMs = performance.now();
  let atMs = 0;
  const asked = Array.from({ length: load.requests }, (_, at) => {
    atMs += (new Random('gap', seed, at).exponential(1) * 1000) / load.perSecond;
    return ask(url, load, at, startMs + atMs);
  });
  return Promise.all(asked);
}

async function ask(
  url: string,
  { deadlineMs, perSecond }: OpenLoad,
  at: number,
  arrivalMs: number,
): Promise<LoadAnswer> {
  await new Promise<void>((resolve) => setTimeout(resolve, arrivalMs - performance.now()));
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'simulated',
      messages: [{ role: 'user', content: `question ${at} at ${perSecond}` }],
      seed: at,
      coppice: { deadline_ms: deadlineMs, rollouts },
    }),
  });
  const body = (await response.json()) as AnswerBody;
  const told = body.error?.code ?? (body.coppice?.complete === true ? 'complete' : 'incomplete');
  return { arrivalMs, endedMs: performance.now(), told, completionTokens: body.usage?.completion_tokens ?? 0 };
}

interface AnswerBody {
  readonly error?: { readonly code: string };
  readonly coppice?: { readonly complete: boolean };
  readonly usage?: { readonly completion_tokens: number };
}
