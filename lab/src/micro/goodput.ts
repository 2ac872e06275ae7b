// Overload in real time and over HTTP: `coppice serve` with the simulated engine in a process of its own, an open stream
// of chat completions, and the measure of overload.ts. `npm run bench -- goodput` takes about three minutes, on an otherwise idle machine.

import { Random } from '@coppice/core/base';
import { type LoadAnswer, type LoadResult, measureOverload, type OpenLoad } from './overload.ts';
import { startServer, stopServer } from './simulated-server.ts';

const seed = 1;
/** A small server, sped up so that a search takes a fraction of a second. */
const settings = ['models.0.budget=4', 'models.0.engine.speed=8', 'log.level=error'];
const rollouts = 8;
const size = { requests: 150, alone: { requests: 31, perSecond: 1 }, startPerSecond: 4, halvings: 2 };

export async function report(print: (line: string) => void): Promise<void> {
  const server = await startServer(settings, ['--journal', ':memory:']);
  try {
    const { medianMs, deadlineMs, capacity, overloaded, kept } = await measureOverload(
      (load) => drive(server.url, load),
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
    await stopServer(server);
  }
}

function lineOf(name: string, { perSecond, completePerSecond, completeShare, told, empty }: LoadResult): string {
  const counts = Object.entries(told).map(([code, count]) => `${code} ${count}`);
  const share = `${(100 * completeShare).toFixed(0)} %`;
  return `${name}: ${perSecond.toFixed(1)} requests/s, ${completePerSecond.toFixed(2)} complete/s (${share}); ${counts.join(', ')}; empty answers ${empty}`;
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
