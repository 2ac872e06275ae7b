// From a plan to what the runtime takes: the plan itself, with the program, the rules and the reader of answers that it names.

import { readingFor } from '../../answer/asked.ts';
import { extractAnswer } from '../../answer/extract.ts';
import { turnReader } from '../../answer/turns.ts';
import { defaultsOf } from '../../base/knob.ts';
import type { PartOptions } from '../../base/part.ts';
import { createRules } from '../../policy/create.ts';
import type { PolicyDefinition } from '../../policy/definition.ts';
import { policyOf } from '../../policy/policies.ts';
import type { Rules } from '../../policy/policy.ts';
import type { ProgramDefinition } from '../../program/definition.ts';
import type { Program } from '../../program/program.ts';
import { programOf } from '../../program/registry/programs.ts';
import type { SearchRequest } from '../../runtime/search/request.ts';
import { agentTurn, turnIn } from '../../tree/readings/agent-turn.ts';
import { lastAsked } from '../question.ts';
import type { SearchPlan } from './search-plan.ts';

export type Extract = (pathText: string) => string | undefined;

export interface BuiltSearch {
  readonly plan: SearchPlan;
  readonly program: Program;
  readonly rules: Rules;
}

/** A policy that is not in the list, and values for the options of its own parts. */
export interface OwnPolicy {
  readonly definition: PolicyDefinition;
  readonly options: PartOptions;
}

/** `definition` of a program and `own` policy that are not in the lists: a plan names only those that are. */
export function buildSearch(
  plan: SearchPlan,
  definition: ProgramDefinition = programOf(plan.program),
  own?: OwnPolicy,
): BuiltSearch {
  const { rollouts, branching, maxDepth, maxTokens: maxPathTokens, tokenBudget, sampling, choose, thinking } = plan;
  const { panel: models, synthesizer, prompts = {} } = plan;
  const size = {
    rollouts,
    branching,
    maxDepth,
    maxPathTokens,
    tokenBudget,
    sampling,
    choose,
    thinking,
    prompts,
    models,
    own: models && plan.model,
    synthesizer,
  };
  const { definition: policy = policyOf(plan.policy), options } = own ?? {};
  return {
    plan,
    program: definition.create(size, { ...defaultsOf(definition.options), ...plan.programOptions }),
    rules: createRules(policy, plan.policyOptions, options),
  };
}

/** A deadline counts on from the first arrival, however long ago that was. */
export function requestOf(
  { plan, program, rules }: BuiltSearch,
  id: string,
  extract: Extract,
  waitedMs = 0,
): SearchRequest {
  const { threshold, rollouts, tokenBudget: tokens, moneyBudget: money, price, nodes, answers, marked } = plan;
  const deadlineMs = Math.max(0, plan.deadlineMs - waitedMs);
  return {
    ...plan,
    id,
    program,
    rules,
    limits: { threshold, rollouts, tokens, money, price, nodes, answers, marked, deadlineMs },
    shape: plan.shape && { ...plan.shape, maxDepth: plan.maxDepth },
    extract: readerOf(plan, extract),
  };
}

/** A conversation that asks for a number is answered by one, marked or not. A model's own rule, and text, are left alone. */
function readerOf({ prompt }: SearchPlan, extract: Extract): Extract {
  const turn = agentTurn(prompt);
  if (turn !== undefined) {
    const meaningOf = turnReader(turn, readingFor(lastAsked(prompt), extractAnswer));
    return (text) => {
      const drawn = turnIn(text);
      return drawn && meaningOf(drawn);
    };
  }
  return extract === extractAnswer && prompt.kind === 'chat' ? readingFor(lastAsked(prompt), extract) : extract;
}
