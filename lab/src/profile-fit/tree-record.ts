// Records a real model's draws: for each question a tree of independent samples, with every draw's tokens, both readings of the
// verifier, the answer and whether it is right. Identical draws are one node, named once per draw. The simulator
// replays the file at any load (service/recorded-trees.ts).

import { createHash } from 'node:crypto';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { extractAnswer as extractWritten } from '@coppice/core/answer';
import {
  buildSearch,
  type GoldQuestion,
  type OpenModel,
  ownPlan,
  requestOf,
  runSearch,
  type Wish,
} from '@coppice/core/answering';
import { hash } from '@coppice/core/base';
import { modelPath } from '@coppice/llama';
import { createScheduler, type Node, type Step, type Tree } from 'coppice';
import { type RecordedTree, type TreesHeader, treesFormat, treesVersion } from '../service/index.ts';

interface TreeRecording {
  readonly file: string;
  readonly model: OpenModel;
  /** As the command named it: a shipped model or a path. */
  readonly modelName: string;
  readonly wish: Wish;
  readonly samples: number;
  readonly seed: number;
  isCorrect(question: GoldQuestion, answer: string | undefined): boolean;
}

/** No sample is ended before its end. */
const wholeSamples = { boundPrune: 'off' } as const;

export async function recordTrees(recording: TreeRecording, questions: readonly GoldQuestion[]): Promise<void> {
  const { file, model, modelName, samples, seed } = recording;
  const header: TreesHeader = {
    format: treesFormat,
    version: treesVersion,
    model: modelName,
    modelHash: hashOf(modelName),
    verifier: model.verifier?.capabilities.name ?? 'none',
    samples,
    seed,
  };
  writeFileSync(file, `${JSON.stringify(header)}\n`);
  for (const question of questions) {
    const tree = await drawTree(recording, question);
    appendFileSync(file, `${JSON.stringify(recordOf(recording, question, tree))}\n`);
  }
}

function hashOf(model: string): string {
  return createHash('sha256')
    .update(readFileSync(modelPath(model)))
    .digest('hex');
}

async function drawTree({ model, wish, samples, seed }: TreeRecording, question: GoldQuestion): Promise<Tree> {
  const asked = { ...wish, ...wholeSamples, program: 'best-of-n', policy: 'vanilla', rollouts: samples } as const;
  const plan = ownPlan(model, question.question, asked, hash(seed, question.id));
  const request = requestOf(buildSearch(plan), question.id, model.extract ?? extractWritten);
  const { engine, verifier } = model;
  const scheduler = createScheduler('vanilla', {});
  const run = { engine, scheduler, budget: samples, request, ...(verifier === undefined ? {} : { verifier }) };
  const { tree } = await runSearch(run);
  return tree;
}

function recordOf({ isCorrect }: TreeRecording, question: GoldQuestion, tree: Tree): RecordedTree {
  const nodes = tree.nodes.map((node): RecordedTree['nodes'][number] => {
    const { step, reward, answer, terminal } = node;
    const found = { reward, answer, ...(terminal ? { right: isCorrect(question, answer) } : {}) };
    return { ...(step === undefined ? {} : { step: plainStep(step) }), ...definedOf(found), draws: drawsOf(node) };
  });
  // The engine does not say how long a prompt is; the shipped vocabulary has about two characters a token.
  return { question: question.question, promptTokens: Math.ceil(question.question.length / 2), nodes };
}

/** Without what only its own engine can use again. */
function plainStep({ text, tokens, meanLogprob, end }: Step): Step {
  return { text, tokens, meanLogprob, end };
}

function drawsOf({ byIndex }: Node): number[] {
  return [...(byIndex ?? [])].sort(([a], [b]) => a - b).map(([, child]) => child.id);
}

function definedOf(values: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}
