// `npm run lab -- honesty`: runs the shipped model on questions of its own kind and on questions in forms outside its training, one search
// each, as `coppice ask` does. Counts right, wrong and refused answers by verdict. Never reads a gold answer before the verdict.

import { fileURLToPath } from 'node:url';
import { extractAnswer as extractWritten } from '@coppice/core/answer';
import {
  buildSearch,
  closeModel,
  type GoldQuestion,
  isRight,
  noteFor,
  type OpenModel,
  openModel,
  ownModel,
  ownPlan,
  readQuestions,
  requestOf,
  runSearch,
} from '@coppice/core/answering';
import { budgetOf, requestKnobs } from '@coppice/core/config';
import { verdictOf } from '@coppice/core/log';
import { createScheduler } from '@coppice/core/policy';
import { FaultError } from 'coppice';
import { type CommandHelp, flagOf, helpFlag, readArguments } from '../flags.ts';

const flags = {
  known: {
    type: 'string',
    takes: 'FILE',
    default: fileOf('packages/llama/tasks/word-problem.test.jsonl'),
    about: 'of its own kind',
  },
  unknown: {
    type: 'string',
    takes: 'FILE',
    default: fileOf('tests/fixtures/unknown-forms.jsonl'),
    about: 'in forms that it was not trained on',
  },
  edge: { type: 'string', takes: 'N', default: '100', about: 'so many from the beginning and from the end of --known' },
  seed: { type: 'string', takes: 'N', default: '1', about: 'of all draws' },
  verbose: { type: 'boolean', default: false, about: 'a line for every question' },
  ...helpFlag,
} as const;

export const help: CommandHelp = {
  starts: 'npm run lab --',
  usage: 'honesty [options]',
  about:
    'Counts right, wrong and refused answers of the shipped model by verdict, on known and on unknown forms of questions.',
  groups: [['options', flags]],
  examples: ['honesty', 'honesty --edge 10 --verbose'],
};

export async function run(args: readonly string[]): Promise<number> {
  const { values } = readArguments({ args: [...args], options: flags });
  const seed = flagOf('seed', values.seed, requestKnobs.seed);
  const edge = Number(values.edge);
  const all = readQuestions(values.known);
  const known = edge * 2 >= all.length ? all : [...all.slice(0, edge), ...all.slice(all.length - edge)];
  const model = await openModel(ownModel({}), process.env);
  try {
    console.log(noteFor(model));
    await count('known forms', model, known, seed, values.verbose);
    await count('unknown forms', model, readQuestions(values.unknown), seed, values.verbose);
    return 0;
  } finally {
    await closeModel(model);
  }
}

async function count(
  title: string,
  model: OpenModel,
  questions: readonly GoldQuestion[],
  seed: number,
  verbose: boolean,
): Promise<void> {
  const counts = new Map<string, number>();
  for (const gold of questions) {
    const told = await outcomeOf(model, gold, seed);
    counts.set(told, (counts.get(told) ?? 0) + 1);
    if (verbose) console.log(`${told.padEnd(24)} ${gold.question}`);
  }
  const lines = [...counts].sort().map(([told, times]) => `  ${told.padEnd(24)} ${times}`);
  console.log([`${title}, ${questions.length} questions, seed ${seed}`, ...lines].join('\n'));
}

/** In two words: right or wrong, and the verdict that a user reads; `refused` where no search was made. */
async function outcomeOf(model: OpenModel, gold: GoldQuestion, seed: number): Promise<string> {
  try {
    const plan = ownPlan(model, gold.question, {}, seed);
    const { result } = await runSearch({
      engine: model.engine,
      verifier: model.verifier,
      scheduler: createScheduler(plan.policy, plan.policyOptions),
      budget: budgetOf(model.config),
      request: requestOf(buildSearch(plan), 'honesty', model.extract ?? extractWritten),
    });
    const { answer } = result;
    const verdict = verdictOf({ ...plan, answer });
    return `${isRight(gold, answer?.answer) ? 'right' : 'wrong'}, ${verdict}`;
  } catch (error) {
    if (!(error instanceof FaultError)) throw error;
    return 'refused';
  }
}

function fileOf(path: string): string {
  return fileURLToPath(new URL(`../../../${path}`, import.meta.url));
}
