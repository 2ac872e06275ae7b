// From a plan to what the runtime takes: program, rules and limits. The same plan makes the same request after a restart,
// except that a deadline counts on from the first arrival.

import type { ExitRule } from '../exit/exit.ts';
import { createPolicy } from '../policy/create.ts';
import { createBeam } from '../program/beam.ts';
import { createBestOfN, createGreedy, createSelfConsistency } from '../program/best-of-n.ts';
import { createMcts } from '../program/mcts/mcts.ts';
import type { Program, ProgramName } from '../program/program.ts';
import type { SearchRequest } from '../runtime/request.ts';
import type { SearchPlan } from './plan.ts';

/** As in P0 §5.1. */
const mostBeams = 8;

const programs: Readonly<Record<ProgramName, (plan: SearchPlan) => Program>> = {
  mcts: ({ rollouts, branching, maxDepth, sampling }) => createMcts({ rollouts, branching, maxDepth, sampling }),
  beam: ({ rollouts, branching, maxDepth, sampling }) =>
    createBeam({ beams: Math.min(rollouts, mostBeams), candidates: branching, maxDepth, sampling }),
  'best-of-n': ({ rollouts, maxDepth, sampling }) => createBestOfN({ samples: rollouts, maxDepth, sampling }),
  'self-consistency': ({ rollouts, maxDepth, sampling }) =>
    createSelfConsistency({ samples: rollouts, maxDepth, sampling }),
  greedy: ({ maxDepth }) => createGreedy({ maxDepth }),
};

export function makeProgram(plan: SearchPlan): Program {
  return programs[plan.program](plan);
}

/** A program to read its fixed properties from: whether it needs a verifier, which rules it goes with. */
export function exampleOf(name: ProgramName): Program {
  const sampling = { temperature: 0 };
  return programs[name]({ rollouts: 1, branching: 1, maxDepth: 1, sampling } as SearchPlan);
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
