// One search on an exact task, as one line. It ends at its first right answer, so its tokens until then show under which budgets it
// would have been right.

import { defineVerifier, questionOf } from '@coppice/core/verifier';
import { type ScoreStep, type SearchOptions, search } from 'coppice';
import { isAnswerRight, isLineRight, type LineTask, linePrompt } from './line-tasks.ts';

/** `samples`: a vote or best-of-n that takes the first whole answer that passes. `cut-samples` end at a false line, like paths of trees. */
export const linePrograms = ['samples', 'cut-samples', 'best-first', 'mcts'] as const;
type LineProgram = (typeof linePrograms)[number];

export interface LineJob {
  readonly task: LineTask;
  readonly program: LineProgram;
  readonly seed: number;
  readonly question: string;
}

export interface LineResult extends LineJob {
  readonly right: boolean;
  /** Generated, whatever became of it. */
  readonly tokens: number;
  /** Of prompts and paths: computed, and found in the cache. */
  readonly promptTokens: number;
  readonly cachedTokens: number;
  readonly lines: number;
  readonly falseLines: number;
  readonly exit: string;
  readonly fault?: string | undefined;
  /** The beginning of the chosen path: what the model writes at all. */
  readonly said: string;
}

const scoreLine: ScoreStep = ({ prompt, path, step }) => {
  const lines = [...path.map((each) => each.step.text), step.text];
  return Number(isLineRight(questionOf(prompt), lines, step.end === 'eos'));
};

const traits = { name: 'lines', summary: 'checks lines', exact: true } as const;
export const lineChecker = defineVerifier({ ...traits, make: () => scoreLine });

/** Tokens bound a search, not rollouts. One path is open at a time, so that nothing is in flight when one is right. */
export function lineOptions(program: LineProgram): SearchOptions {
  const shared = { rollouts: 2000, stepTokens: 64, maxTokens: 320, maxDepth: 16, policy: 'positive', threshold: 1 };
  const cut = { ...shared, boundPrune: 'threshold' } as const;
  if (program === 'best-first') return { ...cut, program };
  // Each of its nodes is expanded once.
  if (program === 'mcts') return { ...cut, program, branching: 8 };
  const oneByOne = { program: 'best-of-n', 'best-of-n': { window: 1 } } as const;
  return program === 'cut-samples' ? { ...cut, ...oneByOne } : { ...shared, ...oneByOne, aggregation: 'last' };
}

export async function searchLines(job: LineJob, options: SearchOptions): Promise<LineResult> {
  const scores: number[] = [];
  const onEvent: SearchOptions['onEvent'] = ({ event }, tree) => {
    if (event.type === 'grown' || event.type === 'merged')
      scores.push(tree.node(event.type === 'merged' ? event.into : event.node).score);
  };
  const prompt = { kind: 'chat', messages: linePrompt(job.task, job.question) } as const;
  const { cost, complete, steps, exit, fault } = await search(prompt, { ...options, seed: job.seed, onEvent });
  const { promptTokens, cachedTokens, committedTokens, discardedTokens, speculativeTokens } = cost;
  return {
    ...job,
    right: complete && isAnswerRight(job.question, steps.at(-1)),
    tokens: committedTokens + discardedTokens + speculativeTokens,
    promptTokens,
    cachedTokens,
    exit: exit.kind,
    fault: fault?.message,
    lines: scores.length,
    said: steps.join('').slice(0, 300),
    falseLines: scores.filter((score) => score === 0).length,
  };
}
