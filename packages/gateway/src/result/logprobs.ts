// Tokens and log probabilities of the chosen path, for clients that ask. Values are the model's own, before temperature and cuts. The
// tokens of a text add up to that text.

import type { SearchPlan } from '@coppice/core/answering';
import { answerText, type Node, type Step } from '@coppice/core/tree';
import type { LogprobsJson, TokenLogprob } from '../wire/result-json.ts';
import { answerSteps, hasThought, repeatsStep, splitPath } from './chosen-path.ts';

/** Null if not asked for, or if a step of the path has none. */
export function pathLogprobs(plan: SearchPlan, path: readonly Node[], complete: boolean): LogprobsJson | null {
  if (plan.logprobs === undefined || !path.every(hasPieces)) return null;
  const { content, reasoning } = splitPath(plan, path, complete);
  if (hasThought(path) && plan.reasoning === 'separate') return thoughtLogprobs(path, content);
  const said = plan.mode === 'search' && plan.reasoning === 'inline' ? path : answerSteps(plan, path);
  const before = repeatsStep(plan, path, complete) ? path : path.slice(0, path.length - said.length);
  return {
    content: tokensOf(said, content),
    ...(reasoning === '' ? {} : { reasoning_content: tokensOf(before, reasoning) }),
    refusal: null,
  };
}

/** Tokens of the thinking, tags included, and those after it as far as their text is sent. */
function thoughtLogprobs(path: readonly Node[], told: string): LogprobsJson {
  const parts = path.map(({ step }) => ({ step, chars: step?.thought?.chars ?? 0 }));
  const reasoning = parts.flatMap(({ step, chars }) => (chars === 0 ? [] : tokensOfStep(step!, 0, chars)));
  let left = answerText(path.at(-1)!).search(/[^\n]|$/) + told.length;
  const content = parts.flatMap(({ step, chars }) => {
    const upTo = Math.min(step!.text.length, chars + left);
    left -= upTo - chars;
    return tokensOfStep(step!, chars, upTo);
  });
  return { content, reasoning_content: reasoning, refusal: null };
}

function tokensOfStep({ pieces = [], logprobs = [] }: Step, from: number, upTo: number): TokenLogprob[] {
  let at = 0;
  return pieces.flatMap((piece, index) => {
    const begins = at;
    at += piece.length;
    const token = piece.slice(Math.max(0, from - begins), Math.max(0, upTo - begins));
    if (token === '') return [];
    return [{ token, logprob: logprobs[index]!, bytes: [...Buffer.from(token)], top_logprobs: [] }];
  });
}

function hasPieces({ step }: Node): boolean {
  return step?.pieces !== undefined && step.logprobs?.length === step.pieces.length;
}

/** Ends with the text: tokens of end-of-sequence and stop strings are not in it. */
function tokensOf(path: readonly Node[], text: string): TokenLogprob[] {
  const tokens: TokenLogprob[] = [];
  let left = text.length;
  for (const { step } of path) {
    for (const [at, piece] of (step?.pieces ?? []).entries()) {
      if (left <= 0) return tokens;
      const token = piece.slice(0, left);
      left -= token.length;
      tokens.push({ token, logprob: step!.logprobs![at]!, bytes: [...Buffer.from(token)], top_logprobs: [] });
    }
  }
  return tokens;
}
