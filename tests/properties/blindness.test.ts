// Speculation is blind: programs, rules and answers never see a ghost. With the ghosts taken out of its log, a search asks, folds,
// prunes, ends and answers at every moment as it did with them, whatever the program, the policy, the width and the weather:
// the log without them is a run that could have been. (That it is the *same* run as without speculation is promised of some
// programs and widths only: speculation.test.ts.)

import { expect, it } from 'vitest';
import { FaultError } from '../../packages/core/src/base/fault.ts';
import { pruningsOf } from '../../packages/core/src/exit/prune.ts';
import { isTreeEvent } from '../../packages/core/src/log/events.ts';
import { checkRules } from '../../packages/core/src/policy/check.ts';
import { createRules } from '../../packages/core/src/policy/create.ts';
import type { PolicyOptions } from '../../packages/core/src/policy/knobs.ts';
import { type PolicyName, policyNames } from '../../packages/core/src/policy/policies.ts';
import type { Rules } from '../../packages/core/src/policy/policy.ts';
import type { ProgramDefinition } from '../../packages/core/src/program/definition.ts';
import type { Program } from '../../packages/core/src/program/program.ts';
import { createProgram, programs } from '../../packages/core/src/program/registry/programs.ts';
import type { SearchRequest } from '../../packages/core/src/runtime/search/request.ts';
import { Search } from '../../packages/core/src/runtime/search/search.ts';
import type { TreeEvent } from '../../packages/core/src/tree/events.ts';
import { Tree } from '../../packages/core/src/tree/tree.ts';
import { redrive } from '../support/redrive.ts';
import { run } from '../support/toy-run.ts';
import { withoutGhosts } from '../support/without-ghosts.ts';

/** Options that change how a program goes about it, and rules that no policy has by itself. */
const variants: Readonly<Record<string, readonly Record<string, string | number>[]>> = {
  mcts: [{}, { selection: 'uct' }],
  'best-first': [{}],
  chain: [{ probeEvery: 12, probeAgree: 2 }],
};
const turned: readonly Partial<PolicyOptions>[] = [
  {},
  { boundPrune: 'best', certain: 'threshold', certainAnswers: 2 } as Partial<PolicyOptions>,
  { boundPrune: 'threshold', certain: 'margin' } as Partial<PolicyOptions>,
];

function created({ name, prompts = [] }: ProgramDefinition, options: Record<string, string | number>): Program {
  const words = Object.fromEntries(prompts.map((each) => [each, `${each}:`]));
  const size = { rollouts: 12, branching: 3, maxDepth: 8, sampling: { temperature: 1 }, choose: 'best' } as const;
  return createProgram(name, { ...size, prompts: words }, options);
}

/** Undefined where they do not go together. */
function ruled(policy: PolicyName, options: Partial<PolicyOptions>, program: Program): Rules | undefined {
  try {
    const rules = createRules(policy, options);
    checkRules(rules, program, 'product');
    return rules;
  } catch (error) {
    if (error instanceof FaultError) return undefined;
    throw error;
  }
}

const cases = programs().flatMap((definition) =>
  (variants[definition.name] ?? [{}]).flatMap((options) =>
    policyNames().flatMap((policy) =>
      turned.flatMap((knobs) => {
        const rules = ruled(policy, knobs, created(definition, options));
        return rules === undefined ? [] : [{ definition, options, policy, rules }];
      }),
    ),
  ),
);

/** What rules, program and answer say of a tree, all of it as text. */
function sayings(request: SearchRequest, tree: Tree): string {
  const search = new Search(request, { tree, arrivalMs: 0, turn: 0 });
  search.admittedMs = 0;
  const view = search.view(0);
  const { exits, prunes } = request.rules;
  const ask = tree.ahead((fork) => request.program.ask(fork, true, search.doomed(0)));
  return JSON.stringify({
    exits: exits.map((rule) => rule.check(view)),
    prunes: prunes.flatMap((rule) => pruningsOf(rule, view)),
    ask: ask && { key: ask.node.key, indices: ask.indices, sampling: ask.sampling, manner: ask.manner },
    answer: request.program.answer(tree),
    certainty: view.belief.certainty(),
  });
}

interface Compared {
  readonly ghosts: number;
  readonly adopted: number;
  readonly wrong: string | undefined;
}

function compare(at: number, { definition, options, policy, rules }: (typeof cases)[number]): Compared {
  const create = () => created(definition, options);
  const misfortune = at % 4 === 0 ? { fail: 0.1, double: 0.2, untilMs: 1e9 } : {};
  const width = { primary: at % 2 === 0 ? 1 : 1 + (at % 5), speculative: 'random' } as const;
  const threshold = [0.6, 0.8, 1][at % 3]!;
  const { events, request } = run({ create, rules, width, misfortune, seed: at, weather: 31 * at, threshold });
  const plain = withoutGhosts(events);
  const place = `${definition.name} ${JSON.stringify(options)}, ${policy}, case ${at}`;
  const doomed = (tree: Tree) => new Search(request, { tree, arrivalMs: 0, turn: 0 }).doomed(0);
  const driven = redrive(
    create(),
    plain.flatMap((event) => event ?? []),
    doomed,
  );
  const trees = [0, 1].map(() => Tree.replay([events.find(({ type }) => type === 'planted') as TreeEvent]));
  let wrong = driven === undefined ? undefined : `${place}: ${driven}`;
  let ghosts = 0;
  for (let each = 0; each < events.length && wrong === undefined; each += 1) {
    const [real, blind] = [events[each]!, plain[each]];
    if (!isTreeEvent(real) || real.type === 'planted') continue;
    trees[0]!.record(real);
    if (blind !== undefined && isTreeEvent(blind)) trees[1]!.record(blind);
    if (trees[0]!.ghosts.size === 0) continue;
    ghosts += 1;
    const [one, other] = trees.map((tree) => sayings(request, tree));
    if (one !== other) wrong = `${place}, event ${each}: ${one} is ${other} without ghosts`;
  }
  return { ghosts, adopted: events.filter(({ type }) => type === 'adopted').length, wrong };
}

it(`lets ${cases.length} pairs of program and policy do the same with the ghosts taken out of their logs`, () => {
  expect(new Set(cases.map(({ definition }) => definition.name)).size).toBe(programs().length);
  expect(new Set(cases.map(({ policy }) => policy)).size).toBe(policyNames().length);
  const compared = cases.map((each, at) => compare(at, each));
  expect(compared.flatMap(({ wrong }) => wrong ?? [])).toEqual([]);
  const haunted = cases.filter((_, at) => compared[at]!.ghosts > 0);
  expect(haunted.length).toBeGreaterThan(90);
  expect(new Set(haunted.map(({ definition }) => definition.name)).size).toBeGreaterThanOrEqual(7);
  expect(compared.reduce((sum, { adopted }) => sum + adopted, 0)).toBeGreaterThan(250);
});
