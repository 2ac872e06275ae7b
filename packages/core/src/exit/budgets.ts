// Limits of a search: rollouts, tokens, money, nodes; and the deadline since arrival. A search that runs
// out gives the best answer so far. The program opens no more strands than the rollouts allow, so when the last one is
// completed or pruned nothing of it is in flight; preempted and failed strands are not counted and may be run again.

import { type ExitRule, readable } from './exit.ts';

export const rolloutBudget: ExitRule = {
  name: 'rollouts',
  check({ tree, limits }) {
    const { completed, pruned } = tree.closed;
    const used = completed + pruned;
    // A search with a price may still read its samples: its own rule ends it.
    if (used < limits.rollouts || tree.terms !== undefined) return undefined;
    return { kind: 'exhausted', rule: 'rollouts', evidence: { used, limit: limits.rollouts, pruned } };
  },
};

export const tokenBudget: ExitRule = {
  name: 'tokens',
  check({ tree, limits }) {
    if (limits.tokens === undefined || tree.tokens < limits.tokens) return undefined;
    return { kind: 'exhausted', rule: 'tokens', evidence: { used: tree.tokens, limit: limits.tokens } };
  },
};

/** Read between expansions, as the tokens are: what is on its way when the last is spent is still paid for. */
export const moneyBudget: ExitRule = {
  name: 'money',
  check({ limits, spent }) {
    const used = limits.money === undefined ? undefined : spent?.();
    if (limits.money === undefined || used === undefined || used < limits.money) return undefined;
    return { kind: 'exhausted', rule: 'money', evidence: { used: Number(used.toPrecision(4)), limit: limits.money } };
  },
};

export const deadline: ExitRule = {
  name: 'deadline',
  readsClock: true,
  check({ limits, nowMs, arrivalMs }) {
    const waitedMs = nowMs - arrivalMs;
    if (limits.deadlineMs === undefined || waitedMs < limits.deadlineMs) return undefined;
    return {
      kind: 'deadline',
      rule: 'deadline',
      evidence: { waitedMs: readable(waitedMs), limitMs: limits.deadlineMs },
    };
  },
};

export const nodeBudget: ExitRule = {
  name: 'nodes',
  check({ tree, limits: { nodes: limit } }) {
    const { length: nodes } = tree.nodes;
    if (limit === undefined || nodes < limit) return undefined;
    return { kind: 'exhausted', rule: 'nodes', evidence: { nodes, limit } };
  },
};

export const budgets: readonly ExitRule[] = [rolloutBudget, tokenBudget, moneyBudget, deadline, nodeBudget];
