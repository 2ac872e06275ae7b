// `npm run lab -- rehearse` against servers that speak vLLM's protocol: exactly the drawn tokens below the server's own, the path
// scored for real and the number put aside, points that are resumed, and what is refused.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FaultError } from '@coppice/core/base';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { PlainServer } from '../../../tests/servers/plain-server.ts';
import type { TestServer } from '../../../tests/servers/server.ts';
import { SglangServer } from '../../../tests/servers/sglang-server.ts';
import { VllmServer } from '../../../tests/servers/vllm-server.ts';
import type { RehearsalRecord } from '../rehearse/result-file.ts';
import { outcomeOf } from '../service/service.ts';
import { run as rehearse } from './rehearse.ts';

const open: TestServer[] = [];
let folder: string;
let said: string[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rehearse-'));
  said = [];
  vi.spyOn(console, 'error').mockImplementation((line: string) => void said.push(line));
});

afterEach(async () => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true });
  for (const server of open.splice(0)) await server.close();
});

async function serve<Server extends TestServer>(server: Server): Promise<Server> {
  open.push(server);
  await server.listen();
  return server;
}

async function servers(): Promise<{ engine: VllmServer; verifier: VllmServer; args: string[] }> {
  const engine = await serve(new VllmServer());
  const verifier = await serve(new VllmServer());
  engine.pace = async () => {};
  return { engine, verifier, args: ['--engine', engine.url, '--verifier', verifier.url] };
}

async function printed(act: () => Promise<number>): Promise<{ readonly status: number; readonly text: string }> {
  const lines: string[] = [];
  vi.spyOn(console, 'log').mockImplementation((line: string) => void lines.push(line));
  const status = await act();
  return { status, text: lines.join('\n') };
}

/** As `npm run lab -- sim --json` prints it, what is read of it. */
const predictedLoad = {
  load: '2p',
  perSecond: 50,
  p50Ms: 100,
  p90Ms: 200,
  p99Ms: 300,
  throughputPerSecond: 40,
  yield: { tokens: 900, rollouts: 2, accuracy: 50, exits: {} },
};
const prediction = {
  plan: { settings: ['math500/8b'], seeds: [3], requests: 12, rollouts: 2, budget: 8, threshold: 0.65 },
  cells: ['vanilla', 'positive'].map((row) => ({ setting: 'math500/8b', seed: 3, row, loads: [predictedLoad] })),
};

const small = ['--policy', 'positive', '--requests', '3', '--rollouts', '2', '--seconds', '60'];

function recordsIn(file: string): RehearsalRecord[] {
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line) as RehearsalRecord);
}

describe('npm run lab -- rehearse', () => {
  it('asks for exactly the drawn tokens below what the server wrote, and scores that', async () => {
    const { engine, verifier, args } = await servers();
    verifier.reward = () => 0;
    const out = join(folder, 'out.jsonl');
    const { status, text } = await printed(() => rehearse([...args, ...small, '--threshold', '0.05', '--out', out]));
    expect(status).toBe(0);
    expect(text).toContain('3/3');
    const steps = engine.bodies('/v1/completions').filter((body) => Number(body.max_tokens) > 1);
    for (const body of steps) {
      expect(body).toMatchObject({ ignore_eos: true, n: 1, stream: false, logprobs: 0 });
      expect(body.min_tokens).toBe(body.max_tokens);
      expect(body.seed).toBeUndefined();
    }
    expect(new Set(steps.map((body) => body.max_tokens)).size).toBeGreaterThan(4);
    const [record] = recordsIn(out);
    const { result } = record!;
    expect(result.served).toHaveLength(3);
    // Rewards are the question model's: the server's own, all 0, would accept nothing.
    expect(result.served.some(({ exit }) => exit === 'accepted')).toBe(true);
    expect(result.served.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(result.generatedTokens);
    expect(result.cachedTokens).toBeGreaterThan(0);
    expect(result.faults).toBe(0);
    const inputs = verifier.bodies('/pooling').flatMap((body) => body.input as string[]);
    // A step that says what a sibling says is scored once for both.
    expect(inputs.length).toBeLessThanOrEqual(result.scores);
    expect(inputs.length).toBeGreaterThan(0.9 * result.scores);
    for (const input of inputs) expect(input).not.toMatch(/sound|flawed|hidden/);
  });

  it('gives the same trees as the simulator: tokens and exits of every question', async () => {
    const { args } = await servers();
    const out = join(folder, 'out.jsonl');
    const policy = ['--policy', 'vanilla', '--requests', '2', '--rollouts', '2', '--budget', '1'];
    await printed(() => rehearse([...args, ...policy, '--out', out]));
    const { runTrial, trialDefaults } = await import('../sim/trial.ts');
    const spec = { ...trialDefaults, setting: 'math500/8b', requests: 2, rollouts: 2, budget: 1 } as const;
    const contender = { program: 'mcts', policy: 'vanilla' } as const;
    const simulated = runTrial({ ...spec, contender, arrivals: { kind: 'backlog' } });
    const essence = ({ tokens, exit, correct, rollouts }: (typeof simulated.served)[number]) => [
      tokens,
      exit,
      correct,
      rollouts,
    ];
    expect(recordsIn(out)[0]!.result.served.map(essence)).toEqual(simulated.served.map(essence));
  });

  it('has searches one after the other, and finds that speculation changed no outcome and grew something ahead', async () => {
    const { engine, args } = await servers();
    engine.pace = () => new Promise((resolve) => setImmediate(resolve));
    const out = join(folder, 'out.jsonl');
    const rows = ['--policy', 'positive,positive:speculate=4', '--load', 'alone', '--requests', '2', '--rollouts', '3'];
    const { status, text } = await printed(() => rehearse([...args, ...rows, '--out', out]));
    expect(status).toBe(0);
    expect(text).toMatch(/^load alone$/m);
    expect(text).toMatch(/^positive:speculate=4 +2\/2 .*\b0 +\d/m);
    const [without, ahead] = recordsIn(out).map(({ result }) => result);
    for (const { served } of [without!, ahead!])
      for (const [at, { arrivalMs }] of served.slice(1).entries())
        expect(arrivalMs).toBeGreaterThanOrEqual(served[at]!.endedMs);
    expect(ahead!.served.map(outcomeOf)).toEqual(without!.served.map(outcomeOf));
    expect(ahead!.generatedTokens).toBeGreaterThan(without!.generatedTokens);
  });

  it('does not run a point again that is there, and runs one again that was cut', async () => {
    const { engine, args } = await servers();
    const out = join(folder, 'out.jsonl');
    engine.pace = () => new Promise((resolve) => setTimeout(resolve, 20));
    const cut = [...args, ...small, '--load', 'backlog,100/s', '--seconds', '2', '--out', out];
    expect((await printed(() => rehearse(cut))).status).toBe(1);
    expect(said.join('\n')).toMatch(/time was up: \d of 3 ended, \d were cancelled/);
    expect(said.join('\n')).toContain('2 s are over (--seconds); 1 point is left: run it again');
    expect(recordsIn(out)[0]!.result.unfinishedMs.length).toBeGreaterThan(0);
    engine.pace = async () => {};
    const only = [...args, ...small, '--out', out];
    expect((await printed(() => rehearse(only))).status).toBe(0);
    const before = engine.seen.length;
    const { status, text } = await printed(() => rehearse(only));
    expect([status, engine.seen.length]).toEqual([0, before]);
    expect(text).toContain('load backlog');
  });

  it('lays a prediction beside what it measured, and takes its rates from there', async () => {
    const { args } = await servers();
    const system = ['--requests', '12', '--rollouts', '2', '--budget', '8', '--seed', '3'];
    const file = join(folder, 'prediction.json');
    writeFileSync(file, JSON.stringify(prediction));
    const out = join(folder, 'out.jsonl');
    const asked = [
      ...args,
      ...system,
      '--policy',
      'vanilla,positive',
      '--load',
      '2p',
      '--prediction',
      file,
      '--out',
      out,
    ];
    const { status, text } = await printed(() => rehearse(asked));
    expect(status).toBe(0);
    expect(text).toContain('Predicted, and how far off');
    const [record] = recordsIn(out);
    expect(text).toContain(record!.prediction);
    expect(record!.point.perSecond).toBe(50);
    const other = await rehearse([...asked, '--rollouts', '3']).catch((error: unknown) => error);
    expect(String(other)).toContain('is about rollouts 2, and 3 is asked for');
  });

  it('replays a trace: its gaps at a scale, its prompt lengths, and prompts that begin alike where it says so', async () => {
    const { engine, args } = await servers();
    const file = join(folder, 'requests.jsonl');
    const requests = [0, 3000, 4000].map((timestamp, at) => {
      return { timestamp, input_length: 1200, output_length: 30, hash_ids: [7, at === 2 ? 9 : 8, 20 + at] };
    });
    writeFileSync(file, requests.map((each) => JSON.stringify(each)).join('\n'));
    const out = join(folder, 'out.jsonl');
    const asked = [...args, ...small, '--trace', file, '--load', '20x', '--out', out];
    const { status, text } = await printed(() => rehearse(asked));
    expect(status).toBe(0);
    expect(text).toContain(`gaps and lengths of ${file}`);
    const { point, result } = recordsIn(out)[0]!;
    expect(point.perSecond).toBeCloseTo(20 * 0.75, 9);
    const [, second, third] = result.served.map(({ arrivalMs }) => arrivalMs);
    // A timer may fire late and, but for rounding, never early.
    expect(second!).toBeGreaterThan(149);
    expect(third!).toBeGreaterThan(199);
    const bodies = engine.bodies('/v1/completions').filter((body) => Number(body.max_tokens) > 1);
    const prompts = [...new Set(bodies.map(({ prompt }) => String(prompt).split(' ').slice(0, 700).join(' ')))];
    const words = [...new Set(prompts.map((prompt) => prompt.split(' ').slice(1, 100).join(' ')))];
    expect(words, 'all begin with block 7').toHaveLength(1);
    expect(prompts.length, 'and differ behind it').toBeGreaterThan(1);
  });

  it('loses nothing to a server that dies in the middle and comes back', async () => {
    const { engine, args } = await servers();
    let calls = 0;
    engine.mischief = () => {
      calls += 1;
      return calls === 9 ? { type: 'die', afterTokens: 1 } : { type: 'none' };
    };
    const port = Number(new URL(engine.url).port);
    const back = setInterval(() => {
      if (calls >= 9) void engine.listen(port).catch(() => undefined);
      if (calls >= 9) clearInterval(back);
    }, 50);
    const out = join(folder, 'out.jsonl');
    const { status } = await printed(() => rehearse([...args, ...small, '--out', out]));
    expect(status).toBe(0);
    expect(recordsIn(out)[0]!.result.served.map(({ exit }) => exit)).not.toContain('failed');
    expect(said.join('\n')).toMatch(/replica-down|failed and were done again/);
  });

  it.each([
    {
      at: 'lab/docs/experiments/gpu',
      files: ['prediction.json', 'rehearsal.jsonl'],
      system: ['--seed', '21', '--requests', '48', '--load', '1p', '--policy', 'positive,boost,safe'],
      row: /^boost +48\/48 +12\.7 +34\.7 +41\.1/m,
    },
    {
      at: 'lab/docs/experiments/gpu/second',
      files: ['prediction-causal-64.json', 'rehearsal-causal.jsonl'],
      system: ['--seed', '22', '--requests', '64', '--load', '2p', '--policy', 'positive,boost,safe'],
      row: /^boost +64\/64 +17\.3 +46\.9 +62\.2/m,
    },
  ])('prints a rehearsal of lab/docs/gpu-measured.md, which names its prediction: $at', async (reported) => {
    const [prediction, results] = reported.files.map((file) => `${reported.at}/${file}`);
    const nowhere = ['--engine', 'http://127.0.0.1:1', '--verifier', 'http://127.0.0.1:1'];
    const files = ['--prediction', prediction!, '--out', results!];
    const { status, text } = await printed(() =>
      rehearse([...nowhere, '--budget', '32', ...reported.system, ...files]),
    );
    expect(status).toBe(0);
    expect(text).toMatch(reported.row);
    const hashes = recordsIn(results!).map((record) => record.prediction);
    expect(new Set(hashes)).toEqual(new Set([text.match(/sha256 (\w+)/)![1]]));
  });

  it('prints what lab/docs/experiments/p3.md reports of single searches on a GPU', async () => {
    const nowhere = ['--engine', 'http://127.0.0.1:1', '--verifier', 'http://127.0.0.1:1'];
    const point = ['--load', 'alone', '--seed', '41', '--requests', '6', '--budget', '32'];
    const rows = ['--base', 'beam', '--policy', 'beam,beam:speculate=8'];
    const out = ['--out', 'lab/docs/experiments/gpu/third/alone.jsonl'];
    const { status, text } = await printed(() => rehearse([...nowhere, ...point, ...rows, ...out]));
    expect(status).toBe(0);
    expect(text).toMatch(/^beam:speculate=8 +6\/6 +9\.1 .* 1\.29 .* 1\.32 +0 /m);
  });

  it('works on SGLang by the same means', async () => {
    const engine = await serve(new SglangServer());
    const verifier = await serve(new VllmServer());
    engine.pace = async () => {};
    const out = join(folder, 'out.jsonl');
    const args = ['--engine', engine.url, '--verifier', verifier.url, ...small, '--out', out];
    expect((await printed(() => rehearse(args))).status).toBe(0);
    const [body] = engine.bodies('/generate').slice(-1);
    expect(body!.sampling_params).toMatchObject({ ignore_eos: true });
  });
});

describe('npm run lab -- rehearse refuses in one line', () => {
  it('a server that has other clients at work, unless told', async () => {
    const { engine, args } = await servers();
    engine.generatingShown = 7;
    const asked = [...args, ...small, '--out', join(folder, 'out.jsonl')];
    const refused = await rehearse(asked).catch((error: unknown) => error);
    expect(String(refused)).toContain('is serving 7 requests of other clients; wait, or say --anyway');
    expect((await printed(() => rehearse([...asked, '--anyway']))).status).toBe(0);
  });

  it('a trace whose requests do not fit the server', async () => {
    const { args } = await servers();
    const file = join(folder, 'requests.jsonl');
    const lines = [0, 100, 200].map((timestamp, at) => ({
      timestamp,
      input_length: 40_000 * at + 1,
      output_length: 9,
    }));
    writeFileSync(file, lines.map((each) => JSON.stringify(each)).join('\n'));
    const asked = [...args, ...small, '--trace', file, '--out', join(folder, 'out.jsonl')];
    const refused = await rehearse(asked).catch((error: unknown) => error);
    expect(String(refused)).toMatch(/2 of the 3 requests of --trace .* do not fit .* \(the longest prompt has 80001\)/);
  });

  it('a server that takes no exact number of tokens', async () => {
    const engine = await serve(new PlainServer());
    const { verifier } = await servers();
    const out = join(folder, 'out.jsonl');
    const refused = await rehearse(['--engine', engine.url, '--verifier', verifier.url, '--out', out]).catch(
      (error: unknown) => error,
    );
    expect(String(refused)).toContain('cannot be asked for an exact number of tokens');
  });

  it.each([
    [[], /--engine is missing/],
    [['--engine', 'http://127.0.0.1:1'], /--verifier is missing/],
    [['--load', '1p'], /--load is '1p', which needs a --prediction/],
    [['--load', 'fast'], /--load is 'fast'/],
    [['--policy', 'fastest'], /--policy is 'fastest'/],
    [['--requests', '1'], /--requests is 1/],
    [['--seconds', '0'], /--seconds is 0/],
    [['--prediction', '/nowhere'], /--prediction: cannot read/],
    [['--key-env', 'NO_SUCH_VARIABLE'], /the variable NO_SUCH_VARIABLE, which is to hold a key, is not set/],
    [['--trees', '/nowhere'], /--trees: cannot read/],
    [['--trace', '/nowhere'], /--trace: cannot read/],
    [['--trace', 'package.json'], /--trace package.json begins as no trace that is known/],
    [['--load', '2x'], /--load is '2x', which needs a --trace/],
    [['--nonsense'], /nonsense/],
  ])('%j', async (args, message) => {
    const urls =
      args.length < 2 || args[0] === '--engine'
        ? []
        : ['--engine', 'http://127.0.0.1:1', '--verifier', 'http://127.0.0.1:1'];
    const refused = await rehearse([...urls, ...args]).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(FaultError);
    expect((refused as FaultError).message).toMatch(message);
  });
});
