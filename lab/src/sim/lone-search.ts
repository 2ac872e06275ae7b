// Searches with one strand each, grown without runtime, engine and clock. Their answers depend only on their questions, so tens of
// thousands are affordable. They answer like `runTrial` with a budget of one (lone-search.test.ts). Gives no times.

import { assert } from '@coppice/core/base';
import { doomedBy, pruningsOf, spentAt } from '@coppice/core/exit';
import { bestAnswer } from '@coppice/core/program';
import { formKey, pathTo, Tree, treeBelief } from '@coppice/core/tree';
import type { Ask, Exit, SearchRequest, SearchView } from 'coppice';
import { modelConfig, questionRequest, type SimulatedQuestions } from '../service/index.ts';
import { trialSearch } from './contenders.ts';
import { erringQuestions } from './reward-habits.ts';
import type { TrialSpec } from './trial.ts';

export type LoneSpec = Pick<TrialSpec, 'setting' | 'seed' | 'profile' | 'contender' | 'rollouts' | 'threshold'> &
  Pick<TrialSpec, 'aggregation' | 'choose' | 'trees'> & { readonly questions: readonly number[] };

export interface LoneAnswer {
  readonly right: boolean;
  /** Generated. */
  readonly tokens: number;
  readonly exit: Exit['kind'];
}

export function loneAnswers(spec: LoneSpec): LoneAnswer[] {
  const questions = erringQuestions(spec);
  const { rollouts, threshold, aggregation, choose } = spec;
  const verifier = { capabilities: { aggregation: 'product' } } as const;
  const model = { config: modelConfig, engine: { capabilities: {} }, verifier };
  const size = { rollouts, threshold, ...(aggregation && { aggregation }), ...(choose && { choose }) };
  const search = trialSearch(spec.contender, model, size);
  return spec.questions.map((at) => {
    const request = questionRequest(search, questions, at, String(at));
    const lone = new LoneSearch(request, questions);
    const { kind: exit } = lone.run();
    return { ...lone.standing(exit === 'accepted'), exit };
  });
}

class LoneSearch {
  readonly tree: Tree;
  readonly #request: SearchRequest;
  readonly #questions: SimulatedQuestions;
  readonly #view: SearchView;
  #exit: Exit | undefined;

  constructor(request: SearchRequest, questions: SimulatedQuestions) {
    const { aggregation = 'product', program, limits } = request;
    this.#request = request;
    this.#questions = questions;
    this.tree = Tree.plant(aggregation, undefined, program.fullAt);
    const belief = program.belief?.(this.tree) ?? treeBelief(this.tree);
    this.#view = { tree: this.tree, belief, limits, nowMs: 0, arrivalMs: 0, admittedMs: 0 };
  }

  run(): Exit {
    const { program, rules } = this.#request;
    const { tree } = this;
    while (this.#exit === undefined) {
      const ask = program.ask(tree, tree.strands.size === 0, doomedBy(rules.prunes, this.#view));
      if (ask === undefined) return { kind: 'exhausted', rule: 'nothing-left', evidence: {} };
      const spent = spentAt(rules.prunes, this.#view, ask.node);
      if (spent === undefined) for (const index of ask.indices) this.#draw(ask, index);
      else this.#spend({ strand: ask.strand, ...spent });
    }
    return this.#exit;
  }

  standing(accepted: boolean): Pick<LoneAnswer, 'right' | 'tokens'> {
    const { program, prompt } = this.#request;
    const found = accepted ? bestAnswer(this.tree) : program.answer(this.tree);
    const answer = found?.complete === true ? found.answer : undefined;
    return { right: answer !== undefined && this.#questions.isRight(prompt, answer), tokens: this.tree.tokens };
  }

  #close({ strand, value }: ReturnType<typeof pruningsOf>[number]): void {
    this.tree.record({ type: 'closed', strand, closing: 'pruned', ...(value === undefined ? {} : { value }) });
  }

  #spend(pruning: ReturnType<typeof pruningsOf>[number]): void {
    this.#close(pruning);
    this.#checkExits();
  }

  #draw({ node, sampling, manner }: Ask, index: number): void {
    // What was wanted of an expansion that a rule has ended, or that an eager rollout has left, comes to nothing here.
    if (this.#exit !== undefined) return;
    const { program, prompt, delimiters, stepTokens, extract, seed } = this.#request;
    const path = pathTo(node).map(({ key, step }) => ({ key, step: step! }));
    const request = { id: 0, search: '', prompt, path, parent: node.key, index, sampling, seed, delimiters };
    const step = this.#questions.draw({ ...request, maxTokens: stepTokens, lane: 'primary', priority: 0 });
    const reward = this.#questions.reward(prompt, path, step);
    const text = path.map((each) => each.step.text).join('') + step.text;
    const answer = step.end === 'eos' ? extract(text) : undefined;
    const isWhole = program.tell(this.tree, {
      ok: true,
      node: node.id,
      index,
      form: formKey(sampling, manner),
      step,
      reward,
      answer,
    });
    if (isWhole) this.#judge();
  }

  #checkExits(): void {
    for (const rule of this.#request.rules.exits) this.#exit ??= rule.check(this.#view);
  }

  #judge(): void {
    for (const rule of this.#request.rules.prunes) {
      for (const pruning of pruningsOf(rule, this.#view)) this.#close(pruning);
    }
    this.#checkExits();
    assert(this.tree.failuresInARow === 0, 'a simulated step does not fail');
  }
}
