// `npm run bench -- offload [--model NAME]`: P4 §4.3.2 on the embedded engine. Instead of splitting one KV memory between generator and
// reward model, each could have all of it while the other's cache is stored away (the state of its sequences saved and restored).
// Measures the time of that beside computing the tokens again, and compares a round both ways, as P4 chooses. Without a GPU the stored state
// lies in the same memory as the cache: the last column is the worth of that memory as cells.

import { createRequire } from 'node:module';
import { parseArgs } from 'node:util';
import { assert } from '@coppice/core/base';
import { modelPath, rewardModelOf } from '@coppice/llama';
import { Context } from '@coppice/llama/batch';
import { findLibrary, loadBinding, Model } from '@coppice/llama/native';
import { type KvSplitProblem, measuredRound, openEmbedded, splitKv, timedSplit } from '@coppice/llama/open';
import { LlamaPrm } from '@coppice/llama/prm';

interface StateFunctions {
  size(context: bigint, sequence: number): number;
  save(context: bigint, to: Uint8Array, bytes: number, sequence: number): number;
  restore(context: bigint, from: Uint8Array, bytes: number, sequence: number): number;
}

/** Of a cache that is put away: per token, the shortest of many. */
interface CacheMoves {
  readonly saveMs: number;
  readonly restoreMs: number;
  readonly computeMs: number;
  readonly bytes: number;
}

const cachedTokens = 256;
const repetitions = 40;
const anyToken = 5;

export async function report(print: (line: string) => void, args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: { model: { type: 'string', default: 'sapling' } },
  });
  const moves = [values.model, rewardModelOf(values.model)].map((name) => {
    const measured = movesOf(modelPath(name));
    print(`${name}, ${cachedTokens} tokens, us per token: ${movesText(measured)}`);
    return measured;
  });
  const embedded = await openEmbedded({ model: values.model, kvTokens: 2048 });
  try {
    assert(embedded.verifier instanceof LlamaPrm, 'a shipped generator has a reward model');
    const round = await measuredRound(embedded.engine, embedded.verifier);
    print('| KV memory, MiB | split, ms a round | offloaded | of that moving | twice the memory, nothing moved |');
    print('|--:|--:|--:|--:|--:|');
    const leastBytes =
      round.leastGeneratorTokens * round.generatorTokenBytes + round.leastVerifierTokens * round.verifierTokenBytes;
    for (const times of [1, 1.5, 2, 4, 8]) print(roundLine({ ...round, memoryBytes: times * leastBytes }, moves));
  } finally {
    await embedded.close();
  }
}

function movesText({ saveMs, restoreMs, computeMs, bytes }: CacheMoves): string {
  const us = (ms: number) => (1000 * ms).toFixed(2);
  return `save ${us(saveMs)}, restore ${us(restoreMs)}, compute again ${us(computeMs)}; ${bytes.toFixed(0)} bytes a token`;
}

/** A round with the best split, and with all of the memory for each side and two moves of what both hold. */
function roundLine(problem: KvSplitProblem, moves: readonly CacheMoves[]): string {
  const { memoryBytes, generatorTokenBytes, verifierTokenBytes } = problem;
  const split = splitKv(problem)!;
  const sizes = [generatorTokenBytes, verifierTokenBytes].map((bytes) => Math.floor(memoryBytes / bytes));
  const alone = timedSplit(problem, sizes[0]!, sizes[1]!);
  const movingMs = moves.reduce((sum, { saveMs, restoreMs }, at) => sum + sizes[at]! * (saveMs + restoreMs), 0);
  const figures = [memoryBytes / 1_048_576, split.totalMs, alone.totalMs + movingMs, movingMs, alone.totalMs];
  return `| ${figures.map((each) => each.toFixed(1)).join(' | ')} |`;
}

function movesOf(path: string): CacheMoves {
  const files = findLibrary();
  const binding = loadBinding(files);
  const model = Model.load(binding, path);
  const context = Context.create(binding, model, { cells: 1024, threads: 1, rows: 512, flashAttention: true });
  const state = stateFunctions(files.llama);
  const rows = Array.from({ length: cachedTokens }, (_, position) => {
    return { token: anyToken, position, sequence: 0, wanted: false };
  });
  const computeMs = shortestMs(() => {
    context.remove(0, 0);
    context.decode(rows);
  });
  const bytes = Number(state.size(context.handle, 0));
  const kept = new Uint8Array(bytes);
  const saveMs = shortestMs(() => void state.save(context.handle, kept, bytes, 0));
  const restoreMs = shortestMs(() => {
    context.remove(0, 0);
    assert(Number(state.restore(context.handle, kept, bytes, 0)) === bytes, 'all of the cache comes back');
  });
  context.close();
  model.close();
  const perToken = (value: number) => value / cachedTokens;
  const times = { saveMs: perToken(saveMs), restoreMs: perToken(restoreMs), computeMs: perToken(computeMs) };
  return { ...times, bytes: perToken(bytes) };
}

function shortestMs(act: () => void): number {
  let shortest = Number.POSITIVE_INFINITY;
  for (let repetition = 0; repetition < repetitions; repetition += 1) {
    const startMs = performance.now();
    act();
    shortest = Math.min(shortest, performance.now() - startMs);
  }
  return shortest;
}

function stateFunctions(library: string): StateFunctions {
  const llama = createRequire(import.meta.url)('koffi').load(library);
  const moving = ['void *', 'void *', 'size_t', 'int32'];
  return {
    size: llama.func('llama_state_seq_get_size', 'size_t', ['void *', 'int32']),
    save: llama.func('llama_state_seq_get_data', 'size_t', moving),
    restore: llama.func('llama_state_seq_set_data', 'size_t', moving),
  };
}
