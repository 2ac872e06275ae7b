// From a plan to what the runtime takes: program, rules and limits. The same plan makes the same request after a restart,
// except that a deadline counts on from the first arrival.

import type { ExitRule } from '../../exit/exit.ts';
import { createPolicy } from '../../policy/create.ts';
import type { Program } from '../../program/program.ts';
import { createProgram } from '../../program/registry/programs.ts';
import type { SearchRequest } from '../../runtime/request.ts';
import type { SearchPlan } from '../plan/plan.ts';

export function makeProgram(plan: SearchPlan): Program {
  const { program, rollouts, branching, maxDepth, sampling, choose } = plan;
  return createProgram(program, { rollouts, branching, maxDepth, sampling, choose });
}

export type Extract = (pathText: string) => string | undefined;

export function makeSearchRequest(
  id: string,
  plan: SearchPlan,
  program: Program,
  waitedMs: number,
  extract: Extract,
): SearchRequest {
  const { rules } = createPolicy(plan.policy);
  return {
    id,
    prompt: plan.prompt,
    program,
    rules: { ...rules, exits: [...rules.exits, nodeLimit(plan.nodes)] },
    limits: {
      threshold: plan.threshold,
      rollouts: plan.rollouts,
      tokens: plan.tokenBudget,
      deadlineMs: Math.max(0, plan.deadlineMs - waitedMs),
    },
    ...(plan.aggregation === undefined ? {} : { aggregation: plan.aggregation }),
    seed: plan.seed,
    repeatable: plan.repeatable ?? false,
    priority: plan.priority,
    delimiters: plan.delimiters,
    maxStepTokens: plan.stepTokens,
    extract,
  };
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
