// `npm run bench -- engine [--peer] [--rounds N] [--model FILE] [--temperature X]`: tokens per second through the engine contract, beside a
// bare decode loop on the same binding and, with --peer, node-llama-cpp's own API (installed on demand, never a dependency).
// All of them take turns within each round, so that ratios are of one run. The contract computes equal tokens of sequences only once;
// at a high temperature sequences differ, and all do the same work.

import { type ChildProcess, execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { raise } from '@coppice/core/base';
import { modelPath } from '@coppice/llama';
import { Context, Sampler, uniformOf } from '@coppice/llama/batch';
import type { Drafts } from '@coppice/llama/draft';
import { LlamaEngine } from '@coppice/llama/engine';
import { findLibrary, loadBinding, Model } from '@coppice/llama/native';

const batches = [16, 32] as const;
const promptTokens = 128;
const stepTokens = 64;
const samplingAt = (temperature: number) => ({ temperature, topP: 0.95, topK: 0, minP: 0 });
type BenchSampling = ReturnType<typeof samplingAt>;
const peerVersion = '3.22.1';

/** A busy neighbour does not change the process's processor time; wall-clock time is what a user waits. */
export interface Round extends RoundWork {
  readonly wallMs: number;
  readonly processorMs: number;
}

interface RoundWork {
  /** Drawn. */
  readonly tokens: number;
  /** Computed, those of the prompt too: fewer than drawn where sequences say the same. The peer does not count them. */
  readonly rows?: number;
}

/** A sequence ends when it draws the end token. */
interface Runner {
  readonly name: string;
  round(batch: number): Promise<Round>;
  close(): Promise<void>;
}

export async function report(print: (line: string) => void, args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      peer: { type: 'boolean', default: false },
      rounds: { type: 'string', default: '7' },
      model: { type: 'string', default: 'sapling' },
      temperature: { type: 'string', default: '0.8' },
    },
  });
  const model = modelPath(values.model);
  const prompt = promptOf(model);
  const sampling = samplingAt(numberOf('--temperature', values.temperature));
  const rounds = numberOf('--rounds', values.rounds);
  const runners = [bareLoop(model, prompt, sampling), await throughContract(model, prompt, undefined, sampling)];
  if (values.peer) runners.push(await peer(model, prompt, sampling));
  try {
    for (const batch of batches) await compare(runners, batch, rounds, print);
  } finally {
    for (const runner of runners) await runner.close();
  }
}

function numberOf(flag: string, text: string): number {
  const value = Number(text);
  if (!(value > 0)) raise('bad-setting', `${flag} takes a number above 0, not '${text}'`);
  return value;
}

async function compare(runners: readonly Runner[], batch: number, rounds: number, print: (line: string) => void) {
  const results = runners.map((): Round[] => []);
  for (const runner of runners) await runner.round(batch); // warm
  for (let round = 0; round < rounds; round += 1) {
    for (const [at, runner] of runners.entries()) results[at]!.push(await runner.round(batch));
  }
  print(
    `${batch} sequences, ${promptTokens}-token shared prompt, ${stepTokens} tokens each, 1 thread, ${rounds} rounds`,
  );
  for (const [what, told] of [
    ['tokens', 'drawn'],
    ['rows', 'computed'],
  ] as const) {
    for (const [clock, called] of [
      ['wallMs', 'wall-clock'],
      ['processorMs', 'processor'],
    ] as const) {
      print(`  tokens ${told} per second of ${called} time`);
      const rates = results.map((each) => each.map((round) => (1000 * (round[what] ?? Number.NaN)) / round[clock]));
      for (const [at, runner] of runners.entries()) printRates(runner.name, rates, at, print);
    }
  }
}

function printRates(name: string, rates: readonly number[][], at: number, print: (line: string) => void): void {
  if (rates[at]!.some(Number.isNaN)) return;
  const ratios = rates[1]!.map((rate, round) => rate / rates[at]![round]!);
  const ratio = at === 1 ? '' : `  contract / this ${spread(ratios, 2)}`;
  print(`    ${name.padEnd(21)} ${spread(rates[at]!, 0)}${ratio}`);
}

/** Times an action that gives the work it did. */
async function timeRound(action: () => RoundWork | Promise<RoundWork>): Promise<Round> {
  const startMs = performance.now();
  const before = process.cpuUsage();
  const work = await action();
  const { user, system } = process.cpuUsage(before);
  return { ...work, wallMs: performance.now() - startMs, processorMs: (user + system) / 1000 };
}

/** Median, with the smallest and the largest value. */
export function spread(values: readonly number[], digits: number): string {
  const sorted = [...values].sort((left, right) => left - right);
  const text = (value: number) => value.toFixed(digits);
  return `${text(sorted[Math.floor(sorted.length / 2)]!)} (${text(sorted[0]!)} to ${text(sorted.at(-1)!)})`;
}

/** The least that any program on this binding must do: prefill once, fork, then decode and sample. */
function bareLoop(path: string, text: string, sampling: BenchSampling): Runner {
  const binding = loadBinding(findLibrary());
  const model = Model.load(binding, path);
  const context = Context.create(binding, model, { cells: 8192, threads: 1, rows: 512, flashAttention: true });
  const sampler = new Sampler(model.vocabularySize);
  const prompt = model.tokenizePrompt({ kind: 'text', text });
  const draw = (row: Float32Array, sequence: number, position: number) =>
    sampler.draw(row, sampling, uniformOf(sequence, position)).token;
  const round = (batch: number): RoundWork => {
    const last = prompt.length - 1;
    context.decode(prompt.map((token, position) => ({ token, position, sequence: 0, wanted: position === last })));
    const row = context.logits(0);
    let live = Array.from({ length: batch }, (_, sequence) => ({ sequence, token: draw(row, sequence, 0) }));
    let drawn = batch;
    for (let sequence = 1; sequence < batch; sequence += 1) context.copy(0, sequence, 0, prompt.length);
    for (let at = 1; at < stepTokens; at += 1) {
      live = live.filter(({ token }) => !model.endsGeneration(token));
      if (live.length === 0) break;
      context.decode(live.map((each) => ({ ...each, position: last + at, wanted: true })));
      live = live.map(({ sequence }, index) => ({ sequence, token: draw(context.logits(index), sequence, at) }));
      drawn += live.length;
    }
    for (let sequence = 0; sequence < batch; sequence += 1) context.remove(sequence, 0);
    return { tokens: drawn, rows: drawn - batch + prompt.length };
  };
  const close = async () => {
    context.close();
    model.close();
  };
  return { name: 'bare decode loop', round: (batch) => timeRound(() => round(batch)), close };
}

export async function throughContract(
  path: string,
  text: string,
  draft?: Drafts['options'],
  sampling: BenchSampling = samplingAt(0.8),
): Promise<Runner & { readonly engine: LlamaEngine }> {
  const engine = await LlamaEngine.open({ model: path, ...(draft === undefined ? {} : { draft }) });
  let onStep = (_tokens: number): void => {};
  engine.connect((message) => {
    if (message.type === 'step') onStep(message.step.tokens);
    if (message.type === 'fault') throw new Error(message.fault.message);
  });
  let rounds = 0;
  const round = async (batch: number): Promise<RoundWork> => {
    rounds += 1;
    const rowsBefore = engine.counts.rows;
    const search = `round ${rounds}`;
    let [open, tokens] = [batch, 0];
    const { promise, resolve } = Promise.withResolvers<void>();
    onStep = (count) => {
      tokens += count;
      open -= 1;
      if (open === 0) resolve();
    };
    engine.generate(
      Array.from({ length: batch }, (_, index) => ({
        id: rounds * 1000 + index,
        search,
        prompt: { kind: 'text', text } as const,
        parent: 0,
        path: [],
        index,
        sampling,
        seed: rounds * 1000 + index,
        delimiters: [],
        maxTokens: stepTokens,
        lane: 'primary' as const,
        priority: 0,
      })),
    );
    await promise;
    engine.release(search);
    return { tokens, rows: engine.counts.rows - rowsBefore };
  };
  const name = draft === undefined ? 'engine contract' : `drafts: ${draft.where}`;
  return { name, engine, round: (batch) => timeRound(() => round(batch)), close: () => engine.close() };
}

/** node-llama-cpp in a process of its own, installed into a folder outside the project. */
async function peer(model: string, prompt: string, sampling: BenchSampling): Promise<Runner> {
  const folder = join(tmpdir(), 'coppice-bench-peer');
  const { directory } = findLibrary();
  const platform = directory.match(/@node-llama-cpp[\\/]([^\\/]+)/)![1]!;
  mkdirSync(folder, { recursive: true });
  const packages = [`node-llama-cpp@${peerVersion}`, `@node-llama-cpp/${platform}@${peerVersion}`];
  const options = ['--prefix', folder, '--no-save', '--omit=optional', '--ignore-scripts', '--no-audit', '--no-fund'];
  execFileSync('npm', ['install', ...options, ...packages], { stdio: 'ignore' });
  const child: ChildProcess = fork(fileURLToPath(new URL('./engine-throughput-peer.ts', import.meta.url)), {
    env: { ...process.env, PEER: JSON.stringify({ folder, model, prompt, tokens: stepTokens, sampling }) },
  });
  await once(child, 'message');
  const round = async (batch: number): Promise<Round> => {
    child.send(batch);
    const [result] = (await once(child, 'message')) as [Round];
    return result;
  };
  const close = async () => {
    child.disconnect();
    await once(child, 'exit');
  };
  return { name: `node-llama-cpp ${peerVersion}`, round, close };
}

/** Questions one after the other, cut where they have the wanted number of tokens. */
function promptOf(path: string): string {
  const model = Model.load(loadBinding(findLibrary()), path);
  let text = 'Make 24 from 4 7 8 8.\n'.repeat(promptTokens / 4);
  while (model.tokenizePrompt({ kind: 'text', text }).length > promptTokens) text = text.slice(0, -1);
  model.close();
  return text;
}
