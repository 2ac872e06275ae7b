// From a plan to what the runtime takes. A plan's rules are made once, by the check that lets it pass; a search is built once, and both are
// handed on, never made again.

import { readingFor } from '../../answer/asked.ts';
import { extractAnswer } from '../../answer/extract.ts';
import { defaultsOf } from '../../base/knob.ts';
import type { PartOptions } from '../../base/part.ts';
import { agreed } from '../../exit/agreed.ts';
import type { ExitRule } from '../../exit/exit.ts';
import { positive, positiveAnswers, positiveSaid } from '../../exit/positive.ts';
import { createRules } from '../../policy/create.ts';
import type { PolicyDefinition } from '../../policy/definition.ts';
import { policyOf } from '../../policy/policies.ts';
import type { Rules } from '../../policy/policy.ts';
import type { ProgramDefinition } from '../../program/definition.ts';
import type { Program } from '../../program/program.ts';
import { programOf } from '../../program/registry/programs.ts';
import type { Experiment, SearchRequest } from '../../runtime/search/request.ts';
import { lastAsked } from '../question.ts';
import type { SearchPlan } from './search-plan.ts';

export type Extract = (pathText: string) => string | undefined;

export interface BuiltSearch {
  readonly plan: SearchPlan;
  readonly program: Program;
  readonly rules: Rules;
  readonly experiment?: Experiment;
}

/** A policy that is not in the list, and values for the options of its own parts. */
export interface OwnPolicy {
  readonly definition: PolicyDefinition;
  readonly options: PartOptions;
}

/** The rules that a plan was checked with. They keep nothing between two looks at a tree, so that searches of one plan share them. */
const rulesByPlan = new WeakMap<SearchPlan, Rules>();

export function carryRules(plan: SearchPlan, rules: Rules): void {
  rulesByPlan.set(plan, rules);
}

/** Of a plan that was journalled, or that asks for no search, they are made anew. */
export function rulesOf(plan: SearchPlan): Rules {
  return rulesByPlan.get(plan) ?? createRules(policyOf(plan.policy), plan.policyOptions);
}

/** `definition` of a program and `own` policy that are not in the lists: a plan names only those that are. */
export function buildSearch(
  plan: SearchPlan,
  definition: ProgramDefinition = programOf(plan.program),
  own?: OwnPolicy,
): BuiltSearch {
  const { rollouts, branching, maxDepth, maxTokens: maxPathTokens, tokenBudget, sampling, choose, thinking } = plan;
  const { panel: models, synthesizer, prompts = {} } = plan;
  const { eagerReward: eager } = plan.policyOptions;
  const size = {
    rollouts,
    branching,
    maxDepth,
    maxPathTokens,
    tokenBudget,
    sampling,
    choose,
    eager,
    thinking,
    prompts,
    models,
    own: models && plan.model,
    synthesizer,
  };
  const { exits, ...rules } =
    own === undefined ? rulesOf(plan) : createRules(own.definition, plan.policyOptions, own.options);
  return {
    plan,
    program: definition.create(size, { ...defaultsOf(definition.options), ...plan.programOptions }),
    rules: { ...rules, exits: [...exits.flatMap((rule) => forAnswers(rule, plan)), nodeLimit(plan.nodes)] },
  };
}

/** A deadline counts on from the first arrival, however long ago that was. */
export function requestOf(
  { plan, program, rules, experiment }: BuiltSearch,
  id: string,
  extract: Extract,
  waitedMs = 0,
): SearchRequest {
  const { threshold, rollouts, tokenBudget: tokens } = plan;
  return {
    id,
    prompt: plan.prompt,
    model: plan.model,
    writers: plan.writers,
    program,
    rules,
    limits: {
      threshold,
      rollouts,
      tokens,
      money: plan.moneyBudget,
      deadlineMs: Math.max(0, plan.deadlineMs - waitedMs),
    },
    aggregation: plan.aggregation,
    seed: plan.seed,
    repeatable: plan.repeatable,
    firstGreedy: plan.firstGreedy,
    priority: plan.priority,
    idle: plan.idle,
    delimiters: plan.delimiters,
    maxStepTokens: plan.stepTokens,
    shape: plan.shape && { ...plan.shape, maxDepth: plan.maxDepth },
    logprobs: plan.logprobs,
    recordTokens: plan.recordTokens,
    groupSimilarity: plan.groupSimilarity,
    thinking: plan.thinking,
    tests: plan.tests,
    experiment,
    marked: plan.marked,
    extract: readerOf(plan, extract),
  };
}

/** A conversation that asks for a number is answered by one, marked or not. A model's own rule, and text, are left alone. */
function readerOf({ prompt }: SearchPlan, extract: Extract): Extract {
  return extract === extractAnswer && prompt.kind === 'chat' ? readingFor(lastAsked(prompt), extract) : extract;
}

/** The positive exit of a search for several answers waits for them all, and that one answer is agreed on does not end it. */
function forAnswers(rule: ExitRule, { answers = 1, marked }: SearchPlan): readonly ExitRule[] {
  if (answers === 1 && marked && rule === positive) return [positiveSaid];
  if (answers === 1 || (rule !== positive && rule !== agreed)) return [rule];
  return rule === positive ? [positiveAnswers(answers)] : [];
}

/** A tree may not outgrow its share of memory, whatever its other limits allow. */
function nodeLimit(limit: number): ExitRule {
  return {
    name: 'nodes',
    check({ tree }) {
      const { length: nodes } = tree.nodes;
      return nodes < limit ? undefined : { kind: 'exhausted', rule: 'nodes', evidence: { nodes, limit } };
    },
  };
}
