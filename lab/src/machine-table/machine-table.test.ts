// A machine measured for the simulator, on servers that speak vLLM's protocol: what is asked of them, and a table that a
// trial can run on.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openRemoteEngine } from '@coppice/core/engine';
import { openRemoteVerifier } from '@coppice/core/verifier';
import { afterEach, expect, it, vi } from 'vitest';
import { VllmServer } from '../../../tests/servers/vllm-server.ts';
import { run } from '../commands/table.ts';
import { readMachine } from '../sim/machine.ts';
import { runTrial, trialDefaults } from '../sim/trial.ts';
import { joinMsOf } from './exact-waves.ts';
import { measureMachine, sharedTable, tableSizes } from './machine-table.ts';
import { cacheTokens } from './server-room.ts';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
});

const sizes = {
  sequences: [1, 4],
  joining: [4],
  promptTokens: [64, 128],
  prefillTokens: [32, 64, 4096],
  paths: [1, 4],
  pathTokens: 100,
  stepTokens: 20,
  fewInFlight: [2],
  company: [1, 4],
  loadedMs: 50,
};

it('asks for exact steps as MCTS does, and gives a machine that a trial runs on', async () => {
  const [generator, rewardModel] = [new VllmServer(), new VllmServer()];
  open.push(await generator.listen(), await rewardModel.listen());
  const engine = await openRemoteEngine({ servers: [{ url: generator.url }] });
  const verifier = await openRemoteVerifier({ kind: 'qwen-prm', servers: [{ url: rewardModel.url }] });
  open.unshift(engine, verifier);
  const lines: string[] = [];
  const subject = { name: 'test', engine, verifier, kvTokens: 100_000, sequenceLimit: 64, scoreKvTokens: 50_000 };
  const { readings, ...machine } = await measureMachine(subject, sizes, (line) => lines.push(line));
  expect(machine.generator.decode.map(([sequences]) => sequences)).toEqual([1, 4]);
  expect(readings.decode).toHaveLength(4);
  expect(machine.generator.joinMs).toBe(readings.joins[0]!.joinMs);
  // What the server has no room for is left out.
  expect(machine.generator.prefill.map(([tokens]) => tokens)).toEqual([32, 64]);
  expect(machine.slowdown.generator).toHaveLength(2);
  for (const factor of machine.slowdown.generator.flat()) expect(factor).toBeGreaterThanOrEqual(1);
  const timed = generator.bodies('/v1/completions').filter((body) => Number(body.max_tokens) > 1);
  for (const body of timed) expect(body).toMatchObject({ ignore_eos: true, logprobs: 0, stream: false, n: 1 });
  // Waves are of two lengths; steps that follow one another are of all lengths around that of a solution's step.
  const lengths = new Set(timed.map((body) => Number(body.max_tokens)));
  for (const length of [16, 80]) expect(lengths.delete(length)).toBe(true);
  for (const length of lengths) expect(Math.abs(length - 48)).toBeLessThanOrEqual(24);
  expect(lengths.size).toBeGreaterThan(1);
  // What was still asked for when the last reading ended is given up.
  expect(verifier.load()).toMatchObject({ waiting: 0 });
  const system = { ...trialDefaults, setting: 'math500/8b', requests: 3, rollouts: 2, budget: 2, machine } as const;
  const trial = runTrial({
    ...system,
    contender: { program: 'mcts', policy: 'vanilla' },
    arrivals: { kind: 'backlog' },
  });
  expect(trial.served).toHaveLength(3);
});

it('is a command that writes a file for sim --machine', async () => {
  const [generator, rewardModel] = [new VllmServer(), new VllmServer()];
  open.push(await generator.listen(), await rewardModel.listen());
  const folder = mkdtempSync(join(tmpdir(), 'table-'));
  open.push({ close: async () => rmSync(folder, { recursive: true }) });
  const file = join(folder, 'table.json');
  const lines: string[] = [];
  vi.spyOn(console, 'log').mockImplementation((line: string) => void lines.push(line));
  expect(await run([file, '--engine', generator.url, '--verifier', rewardModel.url], sizes)).toBe(0);
  expect(lines.at(-1)).toBe(`  written to ${file}`);
  expect(readMachine(file)).toMatchObject({ rewardModel: { reusesPrefix: false, passTokens: 16_384 } });
});

it.each([
  [[], 'table FILE --engine URL --verifier URL'],
  [['--engine', 'http://127.0.0.1:1'], 'table FILE --engine URL --verifier URL'],
  [['table.json', '--engine', 'http://127.0.0.1:1'], 'give --engine and --verifier'],
  [['table.json', '--compare'], 'there is no option --compare'],
])('is refused before anything is asked: %j', async (args, message) => {
  await expect(run(args)).rejects.toThrow(message);
});

it('times the newest step alone where the reward model keeps prefixes', async () => {
  const [generator, rewardModel] = [new VllmServer(), new VllmServer()];
  open.push(await generator.listen(), await rewardModel.listen());
  const engine = await openRemoteEngine({ servers: [{ url: generator.url }] });
  const verifier = await openRemoteVerifier({ kind: 'math-shepherd', servers: [{ url: rewardModel.url }] });
  open.unshift(engine, verifier);
  const subject = { name: 'test', engine, verifier, kvTokens: 100_000, sequenceLimit: 64, scoreKvTokens: 50_000 };
  const small = { ...sizes, sequences: [1, 2], joining: [2], company: [1], fewInFlight: [1], loadedMs: 20 };
  const { readings, rewardModel: measured } = await measureMachine(subject, small, () => {});
  expect(measured.reusesPrefix).toBe(true);
  const pathTokens = sizes.pathTokens;
  expect(readings.scores.tokensPerPath).toBeLessThan(0.6 * pathTokens);
  expect(measured.extraTokens).toBe(Math.max(0, readings.scores.tokensPerPath - sizes.stepTokens));
});

it('tells what a join costs the steps of the others', () => {
  const alone = { sequences: 48, contextTokens: 100, stepMs: 5, requestMs: 10 };
  // 48 tokens of 5 ms, and 48 joins of 2 ms meanwhile.
  expect(joinMsOf(alone, 10 + 48 * 5 + 48 * 2)).toBeCloseTo(2);
  expect(joinMsOf(alone, 200)).toBe(0);
});

it('reads the size of a cache from the labels of vLLM', () => {
  const info = 'vllm:cache_config_info{block_size="16",cache_dtype="auto",num_gpu_blocks="21000"} 1.0\n';
  expect(cacheTokens(`# HELP x\n${info}`)).toBe(336_000);
  expect(cacheTokens('vllm:num_requests_running 1.0')).toBeUndefined();
});

/** Two decimals are written down. */
function rounded(value: unknown): unknown {
  if (typeof value === 'number') return Number(value.toFixed(2));
  if (Array.isArray(value)) return value.map(rounded);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, rounded(each)]));
}

it.each([
  ['pooling', 'h200-vllm', tableSizes.pathTokens],
  ['causal', 'h200-vllm-causal', tableSizes.stepTokens],
])('makes the machine that ships of what was read on an H200: %s', (file, name, own) => {
  const read = JSON.parse(readFileSync(`lab/docs/experiments/gpu/second/table-${file}.json`, 'utf8'));
  const shipped = readMachine(name);
  const { contexts, decode, prefill, requestMs } = read.generator;
  expect(shipped.generator).toMatchObject(rounded({ contexts, decode, prefill, requestMs }) as object);
  const { rewardModel, slowdown } = sharedTable(read.readings, own);
  expect(shipped.rewardModel).toMatchObject(rounded(rewardModel) as object);
  expect(shipped.slowdown).toEqual(rounded(slowdown));
});
