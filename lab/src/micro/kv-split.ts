// `npm run bench -- kv-split [--model NAME] [--cells N] [--searches N] [--rounds N]`: runs the same searches on one scarce KV memory, split
// between generator and reward model by measured costs (P4 §4.3), in halves, and as one-sidedly as possible. Compares computed tokens (with
// too few cells a path is computed again) and their time. The splits take turns within each round.

import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { isRight, ownModel, readQuestions } from '@coppice/core/answering';
import { embeddedModel, measuredSplit, openEmbedded } from '@coppice/llama/open';
import { LlamaPrm } from '@coppice/llama/prm';
import { runBlock } from 'coppice/bench';
import type { BenchContest, BenchTrial } from '../contest-shapes.ts';
import { percentile } from '../statistics.ts';

type OpenedPair = Awaited<ReturnType<typeof openEmbedded>>;
type MeasuredShare = Awaited<ReturnType<typeof measuredSplit>>;

export interface ScarceRun {
  readonly trials: readonly BenchTrial[];
  /** Rows of its decodes: each token that it computed, as often as it did. */
  readonly generatorTokens: number;
  readonly verifierTokens: number;
  readonly decodes: number;
  readonly generatedTokens: number;
  readonly wallMs: number;
  readonly processorMs: number;
}

const prmName = 'sapling-prm';
const contender = { name: 'mcts', program: 'mcts', policy: 'vanilla', rollouts: 16 } as const;
const wish = { branching: 8, threshold: 0.99, choose: 'best', boundPrune: 'off' } as const;
const settings = { wish: wish, budget: 16, seed: 1 };
/** Five numbers: the trees grow until the rollouts are used up. */
const hard = 3;

/** Bytes of a KV memory with this many tokens, half of them for each model. */
export function bytesOf(cells: number, { engine, verifier }: OpenedPair): number {
  return (cells / 2) * (engine.info.kvTokenBytes + prmOf({ verifier }).info.kvTokenBytes);
}

/** The measured split, and those without measurement: half the bytes each, and all but the minimum to one side. */
export async function splitsOf(
  embedded: OpenedPair,
  kvBytes: number,
): Promise<Readonly<Record<string, MeasuredShare>>> {
  const { info: generator } = embedded.engine;
  const { info: verifier } = prmOf(embedded);
  const share = (verifierBytes: number): MeasuredShare => {
    const verifierTokens = Math.floor(verifierBytes / verifier.kvTokenBytes);
    const left = kvBytes - verifierTokens * verifier.kvTokenBytes;
    return { generatorTokens: Math.floor(left / generator.kvTokenBytes), verifierTokens };
  };
  return {
    measured: await measuredSplit(embedded, kvBytes),
    halves: share(kvBytes / 2),
    'most to generator': share(verifier.contextTokens * verifier.kvTokenBytes),
    'most to verifier': share(kvBytes - generator.contextTokens * generator.kvTokenBytes),
  };
}

/** Runs hard puzzles, all at once, on caches of these sizes. */
export async function searchUnder(model: string, kvSplit: MeasuredShare, searches: number): Promise<ScarceRun> {
  const embedded = await openEmbedded({ model, prm: prmName, kvSplit });
  try {
    const contest: BenchContest = {
      model: embeddedModel(ownModel({ model: 'sapling', prm: prmName }), embedded),
      settings: { ...settings, concurrency: searches },
      isCorrect: isRight,
    };
    const trials: BenchTrial[] = [];
    const startMs = performance.now();
    const before = process.cpuUsage();
    await runBlock(contest, contender, hardQuestions(searches), (trial) => trials.push(trial));
    const { user, system } = process.cpuUsage(before);
    const wallMs = performance.now() - startMs;
    const [generator, verifier] = [embedded.engine.counts, prmOf(embedded).counts];
    return {
      trials,
      generatorTokens: generator.rows,
      verifierTokens: verifier.rows,
      decodes: generator.decodes + verifier.decodes,
      generatedTokens: trials.reduce((sum, each) => sum + each.generatedTokens, 0),
      wallMs,
      processorMs: (user + system) / 1000,
    };
  } finally {
    await embedded.close();
  }
}

export async function report(print: (line: string) => void, args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      model: { type: 'string', default: 'sapling' },
      cells: { type: 'string', default: '1400' },
      searches: { type: 'string', default: '8' },
      rounds: { type: 'string', default: '3' },
    },
  });
  const [cells, searches, rounds] = [Number(values.cells), Number(values.searches), Number(values.rounds)];
  const trial = await openEmbedded({ model: values.model, prm: prmName });
  const kvBytes = bytesOf(cells, trial);
  const splits = await splitsOf(trial, kvBytes).finally(() => trial.close());
  const runs = Object.keys(splits).map((): ScarceRun[] => []);
  for (let round = 0; round < rounds; round += 1) {
    for (const [at, split] of Object.values(splits).entries()) {
      runs[at]!.push(await searchUnder(values.model, split, searches));
    }
  }
  print(
    `${values.model} and ${prmName}, ${kvBytes} bytes of KV memory, ${searches} searches at once, medians of ${rounds}`,
  );
  print(`${'split'.padEnd(18)}${columns.map((column) => column.padStart(width)).join('')}`);
  for (const [at, [name, split]] of Object.entries(splits).entries()) print(lineOf(name, split, runs[at]!, runs[0]!));
}

const columns = ['generator', 'verifier', 'computed', 'by verifier', 'decodes', 'processor s', 'wall s', '/ measured'];
const width = 13;

/** Cells of both, computed tokens per generated one, decodes, times, and processor time against the measured split's. */
function lineOf(
  name: string,
  split: MeasuredShare,
  runs: readonly ScarceRun[],
  measured: readonly ScarceRun[],
): string {
  const of = (value: (run: ScarceRun) => number) => percentile(runs.map(value), 50);
  const ratios = runs.map((run, at) => run.processorMs / measured[at]!.processorMs);
  const values = [
    String(split.generatorTokens),
    String(split.verifierTokens),
    of((run) => (run.generatorTokens + run.verifierTokens) / run.generatedTokens).toFixed(2),
    of((run) => run.verifierTokens / run.generatedTokens).toFixed(2),
    of((run) => run.decodes).toFixed(0),
    of((run) => run.processorMs / 1000).toFixed(1),
    of((run) => run.wallMs / 1000).toFixed(1),
    percentile(ratios, 50).toFixed(2),
  ];
  return `${name.padEnd(18)}${values.map((value) => value.padStart(width)).join('')}`;
}

function hardQuestions(count: number) {
  const file = fileURLToPath(new URL('../../../packages/llama/tasks/countdown.calibration.jsonl', import.meta.url));
  return readQuestions(file)
    .filter(({ solvable, difficulty }) => solvable && difficulty === hard)
    .slice(0, count);
}

function prmOf({ verifier }: Pick<OpenedPair, 'verifier'>): LlamaPrm {
  if (verifier instanceof LlamaPrm) return verifier;
  throw new TypeError('this benchmark needs a reward model of its own');
}
