// One search on an exact task, kept as one line: whether its answer is right, what it cost and how many lines were false. A search ends with its
// first right answer, so what it had spent then says under which budgets of tokens it would have found it.

import { defineVerifier, questionOf, type ScoreRequest } from '@coppice/core/verifier';
import { type SearchModel, type SearchOptions, search } from 'coppice';
import { type LineTask, linePrompt } from './line-prompts.ts';
import { isAnswerRight, isLineRight, type LineQuestion } from './line-tasks.ts';

/** `samples` are whole; `cut-samples` end at their first false line, as the paths of trees do. */
export const linePrograms = ['samples', 'cut-samples', 'best-first', 'mcts'] as const;
export type LineProgram = (typeof linePrograms)[number];

export interface LineSearch {
  readonly task: LineTask;
  readonly program: LineProgram;
  readonly seed: number;
  readonly question: string;
}

export interface SearchedLines extends LineSearch {
  readonly right: boolean;
  /** Generated, whatever became of it. */
  readonly tokens: number;
  /** Of prompts and paths: computed, and found in the cache. */
  readonly promptTokens: number;
  readonly cachedTokens: number;
  readonly lines: number;
  readonly falseLines: number;
  /** Paths that came to an end of their own, or to a false line. */
  readonly paths: number;
  readonly exit: string;
  readonly ms: number;
  readonly fault?: string;
  readonly texts?: readonly string[];
}

export const lineChecker = defineVerifier({
  name: 'lines',
  summary: 'the shipped checker of the task, for lines as chat models write them',
  exact: true,
  make:
    () =>
    ({ prompt, path, step }: ScoreRequest) => {
      const lines = [...path.map((each) => each.step.text), step.text];
      return Number(isLineRight(questionOf(prompt), lines, step.end === 'eos'));
    },
});

/** Rollouts bound no search here, its tokens do. */
const manyRollouts = 2000;

export function optionsOf(program: LineProgram): SearchOptions {
  const shared = { rollouts: manyRollouts, threshold: 1, stepTokens: 64, maxTokens: 320, maxDepth: 16 } as const;
  // Left to itself a budget opens as many samples as it has strands: their tokens would be spent when the first passes.
  const one = { program: 'best-of-n', 'best-of-n': { window: 1 }, policy: 'positive' } as const;
  if (program === 'samples') return { ...shared, ...one };
  if (program === 'cut-samples') return { ...shared, ...one, boundPrune: 'threshold' };
  return { ...shared, program, policy: 'positive', boundPrune: 'threshold', branching: program === 'mcts' ? 4 : 8 };
}

interface Setting {
  readonly model: SearchModel;
  readonly options: SearchOptions;
  readonly keepsTexts: boolean;
}

export async function searchLines(
  { task, program, seed }: LineSearch,
  { id, question }: LineQuestion,
  { model, options, keepsTexts }: Setting,
): Promise<SearchedLines> {
  const drawn: { text: string; score: number }[] = [];
  const onEvent: SearchOptions['onEvent'] = ({ event }, tree) => {
    if (event.type !== 'grown' && event.type !== 'adopted' && event.type !== 'merged') return;
    const { depth, step, score } = tree.node(event.type === 'merged' ? event.into : event.node);
    drawn.push({ text: `${depth} ${score} ${step!.end} ${step!.text}`, score });
  };
  const prompt = { kind: 'chat', messages: linePrompt(task, question) } as const;
  const found = await search(prompt, { ...options, model, seed, onEvent });
  const { cost, exit, fault, steps, rollouts } = found;
  return {
    task,
    program,
    seed,
    question: id,
    right: found.complete && isAnswerRight(question, steps),
    tokens: cost.committedTokens + cost.discardedTokens + cost.speculativeTokens,
    promptTokens: cost.promptTokens,
    cachedTokens: cost.cachedTokens,
    lines: drawn.length,
    falseLines: drawn.filter(({ score }) => score === 0).length,
    paths: rollouts,
    exit: exit.kind,
    ms: Math.round(found.searchMs),
    ...(fault === undefined ? {} : { fault: fault.message }),
    ...(keepsTexts ? { texts: [question, ...drawn.map(({ text }) => text)] } : {}),
  };
}
