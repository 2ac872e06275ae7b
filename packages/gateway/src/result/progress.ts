// Describes an undecided search in short lines for people. Lines follow from the log and its times alone: a response that is read again
// has the same ones.

import { groupAnswers } from '@coppice/core/answer';
import type { SearchPlan } from '@coppice/core/answering';
import { roundedScore, type SearchFold } from '@coppice/core/log';
import { saysSomething, type Tree } from '@coppice/core/tree';
import { isHeldBack } from './unaccepted.ts';

/** Pause between two lines, unless the best path changes. */
const quietMs = 2000;
const answerLength = 60;

/** Answers that samples have given, those with most votes first. */
export function votesIn({ nodes }: Tree) {
  const said = nodes.filter((node) => node.terminal && saysSomething(node));
  return groupAnswers(said.map(({ answer, group, count }) => ({ answer, group, weight: count })));
}

export class Progress {
  readonly #fold: SearchFold;
  readonly #plan: SearchPlan;
  #spokeMs: number | undefined;
  #best: string | undefined;
  #line = '';

  constructor(fold: SearchFold, plan: SearchPlan) {
    this.#fold = fold;
    this.#plan = plan;
  }

  /** `atMs`: time of the event that the fold has just applied. */
  next(atMs: number): string | undefined {
    this.#spokeMs ??= atMs;
    const { best } = this.#fold.tree ?? {};
    const isOther = best?.answer !== undefined && best.answer !== this.#best;
    if (!isOther && atMs - this.#spokeMs < quietMs) return undefined;
    this.#spokeMs = atMs;
    this.#best = best?.answer;
    const line = this.#now();
    if (line === this.#line) return undefined;
    this.#line = line;
    return line;
  }

  /** Said after a while without events. */
  still(): string {
    return this.#fold.admittedMs === undefined ? 'Waiting in the queue.\n' : `Still going: ${this.#now()}`;
  }

  #now(): string {
    const { rollouts, nodes, openStrands, bestScore, tree } = this.#fold;
    if (rollouts === 0 && tree?.best === undefined) return `${nodes - 1} steps, paths open: ${openStrands}.\n`;
    // The first path may have ended before its rollout is counted.
    const made = `${Math.max(1, rollouts)} of ${this.#plan.rollouts}`;
    if (this.#plan.scoring === 'verifier' && tree?.best?.reward !== undefined)
      return `${made} rollouts, ${nodes - 1} steps: ${this.#shown(tree.best.answer)} has the best score, ${roundedScore(bestScore)}.\n`;
    const [first] = tree === undefined ? [] : votesIn(tree);
    if (first === undefined) return `${made} samples.\n`;
    return `${made} samples: ${this.#shown(first.votes[0]?.answer)} leads with ${first.weight} vote${first.weight === 1 ? '' : 's'}.\n`;
  }

  #shown(answer: string | undefined): string {
    if (answer === undefined || isHeldBack(this.#plan)) return 'one answer';
    return `answer ${answer.replace(/\s+/g, ' ').slice(0, answerLength).toWellFormed()}`;
  }
}
