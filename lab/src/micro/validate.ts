// `npm run bench -- validate`: the simulator against the embedded engine, with the same questions under the same policies. The engine runs for real;
// the simulator then runs with the cost table that the engine measured in this run, and with its steps and rewards. Repetitions are interleaved, each
// with a table of its own, since a machine's speed varies; figures are medians over them. Misses are printed as such.

import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { type GoldQuestion, isRight, ownModel, readQuestions } from '@coppice/core/answering';
import { median } from '@coppice/core/base';
import { type CostModel, decodeMs, tableCost } from '@coppice/core/cost';
import { embeddedModel, openEmbedded } from '@coppice/llama/open';
import { LlamaPrm } from '@coppice/llama/prm';
import { type PolicyName, policyNames } from 'coppice';
import { runBlock } from 'coppice/bench';
import type { BenchContender, BenchContest, BenchTrial } from '../contest-shapes.ts';
import { othersShare, processorMs } from '../open-load/neighbours.ts';
import { Recording } from '../open-load/recording.ts';
import { type BlockCosts, virtualBlock } from '../open-load/virtual-block.ts';
import { percentile } from '../statistics.ts';

const measurementMs = 4_000;
const wish = { branching: 4, threshold: 0.9, choose: 'best' } as const;
const settings = { wish, budget: 8, concurrency: 4, seed: 1 };

export async function report(print: (line: string) => void, args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      model: { type: 'string', default: 'sapling' },
      questions: { type: 'string' },
      size: { type: 'string', default: '24' },
      repetitions: { type: 'string', default: '5' },
      policies: { type: 'string', default: 'vanilla,positive,boost' },
    },
  });
  const policies = values.policies
    .split(',')
    .filter((name): name is PolicyName => policyNames().includes(name as PolicyName));
  const all = values.questions === undefined ? puzzles() : readQuestions(values.questions);
  const size = Math.min(Number(values.size), all.length);
  const questions = Array.from({ length: size }, (_, at) => all[Math.floor((at * all.length) / size)]!);
  const embedded = await openEmbedded({ model: values.model });
  try {
    const { engine, verifier } = embedded;
    if (!(verifier instanceof LlamaPrm)) throw new Error('validation needs a reward model');
    const recording = new Recording();
    const contest: BenchContest = {
      model: {
        ...embeddedModel(ownModel({ model: values.model }), embedded),
        engine: recording.listenTo(engine),
        verifier: recording.listenToVerifier(verifier),
      },
      settings,
      isCorrect: isRight,
    };
    const before = processorMs();
    const contenders = policies.map((policy): BenchContender => {
      return { name: policy, program: 'mcts', policy, rollouts: 16 };
    });
    const measured = contenders.map((): ComparedLatencies[] => []);
    const costs: BlockCosts[] = [];
    for (let repetition = 0; repetition < Number(values.repetitions); repetition += 1) {
      costs.push({
        engine: tableCost(await engine.measure(measurementMs)),
        verifier: tableCost(await verifier.measure(measurementMs)),
      });
      for (const [at, contender] of contenders.entries()) {
        const trials: BenchTrial[] = [];
        await runBlock(contest, contender, questions, (trial) => trials.push(trial));
        measured[at]!.push(latenciesOf(trials));
      }
    }
    const others = othersShare(before);
    const predicted = contenders.map((contender) =>
      costs.map((each) => latenciesOf(virtualBlock(contest, recording, each, contender, questions))),
    );
    const { hits, misses } = recording;
    print(
      `${size} questions, ${embedded.note}, ${settings.concurrency} searches at a time, ${values.repetitions} repetitions`,
    );
    print(`steps not recorded, and stood in for: ${((100 * misses) / Math.max(1, hits + misses)).toFixed(1)} %`);
    for (const name of ['engine', 'verifier'] as const)
      print(`${name}: ${costInWords(costs.map((each) => each[name]))}`);
    print(`processor time that others took meanwhile: ${(100 * others).toFixed(0)} % of ${cpus().length} cores`);
    printTable(policies, measured, predicted, print);
  } finally {
    await embedded.close();
  }
}

/** The two things that a decode's time depends on most: its rows, and how much of others lies in the cache. */
function costInWords(costs: readonly CostModel[]): string {
  const ms = (others: number) => median(costs.map((cost) => decodeMs(cost, 16, 16 * 64, 64 + others))).toFixed(1);
  return `16 rows over 64 tokens take ${ms(0)} ms, beside 700 tokens of others ${ms(700)} ms`;
}

interface ComparedLatencies {
  readonly p50: number;
  readonly p95: number;
}

function latenciesOf(trials: readonly BenchTrial[]): ComparedLatencies {
  const latencies = trials.map(({ latencyMs }) => latencyMs);
  return { p50: percentile(latencies, 50), p95: percentile(latencies, 95) };
}

function printTable(
  policies: readonly PolicyName[],
  measured: readonly (readonly ComparedLatencies[])[],
  predicted: readonly (readonly ComparedLatencies[])[],
  print: (line: string) => void,
): void {
  print('policy             figure      measured  predicted   error');
  for (const [at, policy] of policies.entries()) {
    for (const name of ['p50', 'p95'] as const) {
      const seconds = (of: readonly ComparedLatencies[]) => median(of.map((each) => each[name])) / 1000;
      line(
        print,
        policy,
        `${name} s`,
        seconds(measured[at]!),
        seconds(predicted[at]!),
        name === 'p50' ? 0.3 : undefined,
      );
    }
  }
  for (const [at, policy] of policies.entries()) {
    if (at === 0) continue;
    for (const name of ['p50', 'p95'] as const) {
      const ratio = (of: readonly (readonly ComparedLatencies[])[]) =>
        median(of[at]!.map((each, repetition) => each[name] / of[0]![repetition]![name]));
      line(print, policy, `${name} / ${policies[0]}`, ratio(measured), ratio(predicted), 0.2);
    }
  }
}

function line(
  print: (line: string) => void,
  policy: string,
  figure: string,
  measured: number,
  predicted: number,
  bound: number | undefined,
): void {
  const error = predicted / measured - 1;
  const verdict = bound === undefined || Math.abs(error) <= bound ? '' : `  misses ${100 * bound} %`;
  const cells = [
    measured.toFixed(2).padStart(9),
    predicted.toFixed(2).padStart(10),
    `${(100 * error).toFixed(0)} %`.padStart(7),
  ];
  print(`${policy.padEnd(18)} ${figure.padEnd(14)}${cells.join(' ')}${verdict}`);
}

/** Some puzzles of four numbers, where no question file is given; every one is different. */
function puzzles(): GoldQuestion[] {
  return Array.from({ length: 48 }, (_, at) => {
    const numbers = [1 + (at % 9), 2 + ((at * 5) % 11), 3 + ((at * 7) % 10), 4 + ((at * 3) % 9)].sort((a, b) => a - b);
    const question = `Make ${20 + ((at * 13) % 40)} from ${numbers.join(' ')}.`;
    return { id: String(at), question, answer: undefined, solvable: true, difficulty: undefined };
  });
}
