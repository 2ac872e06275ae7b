// Samples of questions from files that hold more than samples: a recording of trees (`record`, training/real) and the searches of a `contest` of
// best-of-n. A question's samples keep the order of their draw if the file has it. A contest has the order of arrival, with short ones first,
// so its samples are shuffled.

import { canonical } from '@coppice/core/answer';
import { type GoldQuestion, isRight } from '@coppice/core/answering';
import { hash, raise } from '@coppice/core/base';
import type { RecordedTree } from '../service/index.ts';
import { drawnPaths, readTrees } from '../service/index.ts';
import type { Grown } from './grown-trees.ts';
import { keptLines } from './kept-lines.ts';
import type { Sample } from './rivals.ts';
import { checkQuestions, type GradedAnswer } from './same-questions.ts';

/** By id of the question; samples of later files come after those of earlier ones. */
export function samplesIn(files: readonly string[], questions: readonly GoldQuestion[]): Map<string, Sample[]> {
  const found = new Map<string, Sample[]>();
  for (const file of files) {
    for (const [question, own] of isRecording(file) ? recorded(file, questions) : contested(file, questions)) {
      found.set(question, [...(found.get(question) ?? []), ...own]);
    }
  }
  return found;
}

function isRecording(file: string): boolean {
  return /\.trees(\.gz)?$/.test(file);
}

/** A recording names a question by its set and its place there. */
function recorded(file: string, questions: readonly GoldQuestion[]): [string, Sample[]][] {
  const named = readTrees(file, 'SAMPLES').trees.map((tree) => {
    const question = questions[Number(tree.question.split(' ').at(-1))];
    if (question === undefined)
      return raise('bad-setting', `${file} has a question that is not in QUESTIONS: ${tree.question}`);
    return { tree, question };
  });
  checkQuestions(
    file,
    named.flatMap(({ tree, question }) => firstRight(tree, question)),
    questions,
  );
  return named.map(({ tree, question }) => {
    return [question.id, drawnPaths(tree).map((path) => sampleOfPath(path, question))];
  });
}

/** As recorded, question by question, for rules that need not read the questions. */
export function recordedSamples(file: string): Sample[][] {
  return readTrees(file, 'SAMPLES').trees.map((tree) => drawnPaths(tree).map((path) => sampleOfPath(path)));
}

function firstRight({ nodes }: RecordedTree, { id }: GoldQuestion): GradedAnswer[] {
  const found = nodes.find(({ right }) => right);
  return found === undefined ? [] : [{ question: id, answer: found.answer, correct: true }];
}

function sampleOfPath(path: readonly RecordedTree['nodes'][number][], question?: GoldQuestion): Sample {
  const { answer, reward = 0, right = question !== undefined && isRight(question, answer) } = path.at(-1)!;
  const tokens = path.reduce((sum, { step }) => sum + (step?.tokens ?? 0), 0);
  return sampleWith(answer, tokens, reward, right);
}

function contested(file: string, questions: readonly GoldQuestion[]): [string, Sample[]][] {
  const searches = keptLines<Grown & GradedAnswer>(file);
  checkQuestions(file, searches, questions);
  return searches.map((grown) => [grown.question, mixed(grown, endsOf(grown))]);
}

/** Paths of a tree without branches below the root: each end is a sample, once per draw. */
export function endsOf({ nodes }: Grown): Sample[] {
  const parents = new Set(nodes.map(([parent]) => parent));
  return nodes.flatMap(([, , reward, count, answer, right], at) => {
    if (parents.has(at + 1)) return [];
    const sample = sampleWith(answer ?? undefined, tokensTo(nodes, at + 1), Math.max(0, reward) / 1000, right === 1);
    return Array<Sample>(count).fill(sample);
  });
}

function tokensTo(nodes: Grown['nodes'], end: number): number {
  let tokens = 0;
  for (let at = end; at > 0; at = nodes[at - 1]![0]) tokens += nodes[at - 1]![1];
  return tokens;
}

function sampleWith(answer: string | undefined, tokens: number, score: number, right: boolean): Sample {
  return { tokens, group: answer === undefined ? undefined : canonical(answer), right, score };
}

function mixed({ question }: Grown, samples: readonly Sample[]): Sample[] {
  const placed = samples.map((sample, at) => ({ sample, place: hash(question, at) }));
  return placed.sort((a, b) => a.place - b.place).map(({ sample }) => sample);
}
