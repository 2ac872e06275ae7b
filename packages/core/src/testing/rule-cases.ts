// The suites that every exit rule and every prune rule passes: pure readings of a search, at each moment of trees that two programs grew from
// made-up outcomes. The contract is exit/exit.ts.

import assert from 'node:assert/strict';
import { Random } from '../base/random.ts';
import type { ExitRule, PruneRule, SearchView } from '../exit/exit.ts';
import { type Evidence, type Exit, exitKinds } from '../log/end.ts';
import { bestOfN } from '../program/best-of-n.ts';
import { mcts } from '../program/mcts/mcts.ts';
import { treeBelief } from '../tree/readings/certaindex.ts';
import { Tree } from '../tree/tree.ts';
import { type Checks, type ConformanceCase, casesOf, type Skips } from './case/conformance-case.ts';
import { same } from './case/same.ts';
import { digestTree } from './program/digest.ts';
import { drive } from './program/drive.ts';

/** `create` gives a new rule each time: a rule keeps nothing between two readings. */
export function exitCases(create: () => ExitRule, skips: Skips = {}): readonly ConformanceCase[] {
  const read = (rule: ExitRule, view: SearchView) => rule.check(view);
  const checks: Checks<void> = {
    ...readingChecks(create, read),
    'ends a search by an exit that there is, with evidence that a log can hold': () => {
      forEachView((view) => {
        const exit: Partial<Exit> | undefined = create().check(view);
        if (exit === undefined) return;
        const { kind, rule, evidence } = exit;
        assert.ok(
          kind !== undefined && exitKinds.includes(kind),
          `'${kind}' is no exit; there are ${exitKinds.join(', ')}`,
        );
        assert.ok(rule, 'the exit names no rule');
        checkEvidence(evidence);
      });
    },
  };
  return casesOf(checks, async (check) => check(), skips);
}

export function pruneCases(create: () => PruneRule, skips: Skips = {}): readonly ConformanceCase[] {
  const read = (rule: PruneRule, view: SearchView) => {
    const judge = rule.judge(view);
    return judge && view.tree.nodes.map((node) => judge(node));
  };
  const checks: Checks<void> = {
    ...readingChecks(create, read),
    'ends a strand with evidence that a log can hold': () => {
      forEachView((view) => {
        for (const evidence of read(create(), view) ?? []) if (evidence !== undefined) checkEvidence(evidence);
      });
    },
  };
  return casesOf(checks, async (check) => check(), skips);
}

function readingChecks<Rule>(create: () => Rule, read: (rule: Rule, view: SearchView) => unknown): Checks<void> {
  return {
    'changes nothing in the tree that it reads': () => {
      forEachView((view) => {
        const before = structuredClone(digestTree(view.tree));
        read(create(), view);
        same(digestTree(view.tree), before, 'the tree after the rule has read it');
      });
    },
    'keeps nothing: after other searches it says of a search what a new rule says': () => {
      const used = create();
      forEachView((view) => same(read(used, view), read(create(), view), 'what it says'));
    },
  };
}

/** Each search as it is after every event, the first of them with nothing but a root. */
function forEachView(look: (view: SearchView) => void): void {
  const size = { rollouts: 6, branching: 3, maxDepth: 6, sampling: { temperature: 0.8 }, choose: 'best' } as const;
  for (const [seed, { name, options, create }] of [mcts, bestOfN].entries()) {
    const values = Object.fromEntries(Object.entries(options).map(([option, knob]) => [option, knob.default]));
    const { events } = drive(create(size, values as never), { seed, width: 3, random: new Random(seed), chaos: 0.2 });
    for (let end = 1; end <= events.length; end += 1) {
      const tree = Tree.replay(events.slice(0, end));
      const limits = { threshold: 0.7, rollouts: size.rollouts, tokens: 1000, price: 0.001, deadlineMs: 1000 };
      const times = { nowMs: 10 * end, arrivalMs: 0, admittedMs: 0 };
      try {
        look({ tree, belief: treeBelief(tree), limits, ...times, spent: () => tree.tokens });
      } catch (error) {
        if (error instanceof Error) error.message = `${name}, after event ${end}: ${error.message}`;
        throw error;
      }
    }
  }
}

function checkEvidence(evidence: Evidence | undefined): void {
  assert.ok(typeof evidence === 'object' && evidence !== null, 'there is no evidence');
  for (const [name, value] of Object.entries(evidence))
    assert.ok(
      typeof value === 'string' || Number.isFinite(value),
      `evidence '${name}' is ${value}; it must be a number or a text`,
    );
}
