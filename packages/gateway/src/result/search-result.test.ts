import { describe, expect, test } from 'vitest';
import type { SearchPlan } from '../../../core/src/answering/plan/search-plan.ts';
import type { SearchRecord } from '../../../core/src/journal/journal.ts';
import type { Cost, ExitKind } from '../../../core/src/log/end.ts';
import type { SearchEvent } from '../../../core/src/log/events.ts';
import { SearchFold } from '../../../core/src/log/fold.ts';
import { optionsOf } from '../../../core/src/policy/create.ts';
import { makeResult } from './search-result.ts';
import { endOfRecord } from './told-end.ts';

const plan: SearchPlan = {
  model: 'm',
  prompt: { kind: 'text', text: 'q' },
  mode: 'search',
  program: 'mcts',
  programOptions: {},
  policy: 'positive',
  policyOptions: optionsOf('boost', {}),
  aggregation: 'product',
  scoring: 'verifier',
  rollouts: 4,
  threshold: 0.5,
  tokenBudget: 1000,
  nodes: 100,
  deadlineMs: 1000,
  priority: 0,
  seed: 1,
  repeatable: false,
  sampling: { temperature: 1 },
  branching: 2,
  choose: 'best',
  maxDepth: 9,
  delimiters: ['\n'],
  stepTokens: 50,
  onUnaccepted: 'best',
  reasoning: 'separate',
  title: 'q',
};

const cost: Cost = {
  committedTokens: 0,
  discardedTokens: 5,
  speculativeTokens: 7,
  promptTokens: 8,
  cachedTokens: 40,
  verifierTokens: 30,
  verifierCachedTokens: 2,
  engineCalls: 4,
  verifierCalls: 3,
};

/** One step of 10 tokens, twice the same; an answer of 3 tokens below it; a ghost of 7; 5 discarded. */
function foldOf(kind: ExitKind, complete = true): SearchFold {
  const step = { meanLogprob: 0, end: 'delimiter' } as const;
  const sampling = { temperature: 1 };
  const events: SearchEvent[] = [
    { type: 'submitted' },
    { type: 'planted', aggregation: 'product' },
    { type: 'admitted' },
    { type: 'opened', strand: 0, node: 0 },
    { type: 'asked', strand: 0, node: 0, indices: [0, 1], sampling },
    {
      type: 'grown',
      key: 11,
      node: 1,
      parent: 0,
      index: 0,
      step: { ...step, text: 'think\n', tokens: 10 },
      reward: 0.8,
      terminal: false,
    },
    { type: 'merged', into: 1, parent: 0, index: 1, tokens: 10 },
    { type: 'moved', strand: 0, node: 1 },
    { type: 'asked', strand: 0, node: 1, indices: [0], sampling },
    {
      type: 'grown',
      key: 12,
      node: 2,
      parent: 1,
      index: 0,
      step: { ...step, text: 'say 24', tokens: 3, end: 'eos' },
      reward: 0.5,
      terminal: true,
      answer: '24',
    },
    {
      type: 'ghosted',
      key: 13,
      parentKey: 11,
      index: 1,
      form: 0,
      step: { ...step, text: 'g', tokens: 7 },
      terminal: false,
    },
    { type: 'moved', strand: 0, node: 2 },
    { type: 'closed', strand: 0, closing: 'completed' },
    {
      type: 'exited',
      exit: { kind, rule: 'r', evidence: {} },
      answer: complete
        ? { node: 2, text: 'think\nsay 24', answer: '24', score: 0.4, complete }
        : { node: 1, text: 'think\n', answer: undefined, score: 0.8, complete },
      cost,
    },
  ];
  const fold = new SearchFold();
  events.forEach((event, sequence) => {
    fold.apply({ search: 's', sequence, atMs: 100 + sequence, event });
  });
  expect(fold.fault).toBeUndefined();
  return fold;
}

describe('the result of a search', () => {
  test('counts every generated token once, by where it went', () => {
    const { texts, outcome } = makeResult(plan, foldOf('accepted'), 12, 90);
    expect(texts).toEqual({ content: 'say 24', reasoning_content: 'think\n', refusal: null, answer: '24' });
    // 10 + 10 + 3 in the tree, 5 discarded, 7 of a ghost.
    expect(outcome.usage).toEqual({
      prompt_tokens: 12,
      completion_tokens: 35,
      total_tokens: 47,
      prompt_tokens_details: { cached_tokens: 4 },
      completion_tokens_details: { reasoning_tokens: 32 },
    });
    expect(outcome.tokens).toMatchObject({ committed: 23, discarded: 5, speculative: 7, path: 13, answer: 3 });
    expect(outcome).toMatchObject({
      complete: true,
      finish_reason: 'stop',
      rollouts: 1,
      nodes: 3,
      queue_ms: 12,
      search_ms: 11,
    });
  });

  test('an incomplete path is all reasoning, and its last step is repeated as the answer', () => {
    const { texts, outcome } = makeResult(plan, foldOf('deadline', false), 12, 90);
    expect(texts).toEqual({ content: 'think\n', reasoning_content: 'think\n', refusal: null, answer: null });
    expect(outcome).toMatchObject({ complete: false, finish_reason: 'length', verdict: 'none' });
  });

  test('a limit on tokens cuts at the end of a step', () => {
    const { texts, outcome } = makeResult({ ...plan, maxTokens: 12 }, foldOf('accepted'), 12, 90);
    expect(texts).toMatchObject({ content: 'think\n', answer: null });
    expect(outcome).toMatchObject({ complete: false, finish_reason: 'length', tokens: { path: 10 } });
  });

  test('a search without any answer has no text, and nothing was cut', () => {
    const fold = new SearchFold();
    const exit = { kind: 'deadline', rule: 'deadline', evidence: {} } as const;
    fold.apply({ search: 's', sequence: 0, atMs: 1, event: { type: 'exited', exit, cost } });
    const { texts, outcome } = makeResult(plan, fold, 0, 0);
    expect(texts).toEqual({ content: '', reasoning_content: null, refusal: null, answer: null });
    expect(outcome).toMatchObject({ finish_reason: 'stop', verdict: 'none', score: null, queue_ms: null });
  });

  test('a deadline that finds a finished path cuts nothing', () => {
    expect(makeResult(plan, foldOf('deadline'), 12, 90).outcome).toMatchObject({
      complete: true,
      finish_reason: 'stop',
    });
  });

  test('the verdict compares the score with the threshold; an answer without a score shows none', () => {
    const judge = (given: Partial<SearchPlan>) =>
      makeResult({ ...plan, ...given }, foldOf('exhausted'), 12, 90).outcome;
    expect(judge({ scoring: 'verifier', threshold: 0.4 })).toMatchObject({ verdict: 'accepted', score: 0.4 });
    expect(judge({ scoring: 'verifier', threshold: 0.5 })).toMatchObject({ verdict: 'unsure', score: 0.4 });
    expect(judge({ accepts: 'never', threshold: 0.4 })).toMatchObject({ verdict: 'unsure', score: 0.4 });
    expect(judge({ scoring: 'confidence', threshold: 0.4 })).toMatchObject({ verdict: 'unsure', score: null });
    const refused = makeResult({ ...plan, onUnaccepted: 'refuse' }, foldOf('futile'), 12, 90);
    expect(refused).toMatchObject({ outcome: { verdict: 'unsure', score: 0.4 }, texts: { content: null } });
  });

  test("an outcome of an older journal gets today's verdicts", () => {
    const { verdict: _, confidence: __, ...outcome } = makeResult(plan, foldOf('exhausted'), 12, 90).outcome;
    const choices = [{ index: 0, node: 2, verdict: 'unscored', score: null }];
    const record = { state: 'done', outcome: { ...outcome, verdict: 'below-threshold', choices }, texts: undefined };
    const told = endOfRecord(record as unknown as SearchRecord).outcome!;
    expect(told).toMatchObject({ verdict: 'unsure', confidence: null, choices: [{ verdict: 'unsure' }] });
  });
});
