// Guards the parts of one search: program, rules, extractor. Values that would break the loop are checked. Once a search is broken none of
// its parts is called again, except for its answer.

import { raise } from '../../base/fault.ts';
import type { ExitRule, Judge, PruneRule } from '../../exit/exit.ts';
import { type Exit, exitKinds } from '../../log/end.ts';
import type { Rules } from '../../policy/policy.ts';
import type { Ask, OpenLevel, Program } from '../../program/program.ts';
import type { Learned } from '../../tree/events.ts';
import type { Certainty } from '../../tree/readings/certaindex.ts';
import type { Tree } from '../../tree/tree.ts';
import { type Answerable, guard, guardedReading } from './guard.ts';

export interface Breakable extends Answerable {
  readonly isBroken: boolean;
}

/** Makes the compiler ask for every key of the contract. */
type Whole<Contract> = { readonly [Key in keyof Required<Contract>]: Contract[Key] | undefined };

const noCertainty: Certainty = { answers: 0, agreement: 0 };
const noLevel: OpenLevel = { draws: new Map(), needsWhole: false };

export function guardedProgram(program: Program, search: Breakable): Program {
  const { level, belief, learn } = program;
  const call = <Value>(verb: keyof Program, act: () => Value, otherwise: Value): Value =>
    search.isBroken ? otherwise : guard(search, 'program', program, verb, act, otherwise);
  const guarded: Whole<Program> = {
    name: program.name,
    needsVerifier: program.needsVerifier,
    reads: program.reads,
    expandsOnce: program.expandsOnce,
    fullAt: program.fullAt,
    paths: program.paths,
    naturalWidth: program.naturalWidth,
    demand: (tree) => call('demand', () => checkedDemand(program.demand(tree)), program.naturalWidth),
    ask: (tree, mayOpen, doomed) => call('ask', () => checkedAsk(tree, program.ask(tree, mayOpen, doomed)), undefined),
    tell: (tree, outcome) => call('tell', () => program.tell(tree, outcome), false),
    foresee: (tree, count, doomed) => call('foresee', () => program.foresee(tree, count, doomed), []),
    level: level && ((tree) => call('level', () => checkedLevel(level.call(program, tree)), noLevel)),
    belief:
      belief &&
      ((tree) => {
        const own = call('belief', () => belief.call(program, tree), undefined);
        return {
          votes: () => call('belief', () => own!.votes(), []),
          certainty: (upTo) => call('belief', () => own!.certainty(upTo), noCertainty),
          conclusion: () => call('belief', () => own!.conclusion?.(), undefined),
        };
      }),
    learn:
      learn && ((tree, before) => call('learn', () => checkedLearned(learn.call(program, tree, before)), undefined)),
    answer: (tree) => {
      const checked = () => {
        const answer = program.answer(tree);
        if (answer !== undefined) tree.node(answer.node);
        return answer;
      };
      return guard(search, 'program', program, 'answer', checked, undefined);
    },
  };
  return guarded as Program;
}

export function guardedRules(rules: Rules, search: Breakable): Rules {
  return {
    ...rules,
    exits: rules.exits.map((rule) => guardedExit(rule, search)),
    prunes: rules.prunes.map((rule) => guardedPrune(rule, search)),
  };
}

export function guardedExtract(
  extract: (text: string) => string | undefined,
  search: Breakable,
): (text: string) => string | undefined {
  const checked = (text: string) => {
    const answer: unknown = extract(text);
    if (answer === undefined || typeof answer === 'string') return answer;
    return raise('bad-setting', `it gave ${typeof answer}; an answer is a text, or undefined`);
  };
  return (text) => guard(search, 'extractor', extract, 'extract', () => checked(text), undefined);
}

function guardedExit(rule: ExitRule, search: Breakable): ExitRule {
  const guarded: Whole<ExitRule> = {
    name: rule.name,
    needsBound: rule.needsBound,
    needsLeaves: rule.needsLeaves,
    readsLogprobs: rule.readsLogprobs,
    readsClock: rule.readsClock,
    check: (view) =>
      search.isBroken
        ? undefined
        : guard(search, 'exit rule', rule, 'check', () => checkedExit(rule.check(view)), undefined),
  };
  return guarded as ExitRule;
}

function guardedPrune(rule: PruneRule, search: Breakable): PruneRule {
  const guarded: Whole<PruneRule> = {
    name: rule.name,
    needsBound: rule.needsBound,
    readsLogprobs: rule.readsLogprobs,
    spends: rule.spends,
    judge: (view) => {
      if (search.isBroken) return undefined;
      const judge: Judge | undefined = guard(search, 'prune rule', rule, 'judge', () => rule.judge(view), undefined);
      return judge && guardedReading(search, 'prune rule', rule, 'judge', judge, undefined);
    },
  };
  return guarded as PruneRule;
}

function checkedDemand(demand: number): number {
  return demand >= 0 ? demand : raise('bad-setting', `it gave ${demand} strands; a demand is a number from 0`);
}

/** Requests are made of the node's path, so it must belong to this tree. */
function checkedAsk(tree: Tree, ask: Ask | undefined): Ask | undefined {
  if (ask === undefined) return undefined;
  if (tree.nodes[ask.node?.id] !== ask.node) raise('unknown-node', 'it asks below what is no node of its tree');
  if (!(ask.indices?.length > 0)) raise('bad-event', `it asks for no child of node ${ask.node.id}`);
  return ask;
}

function checkedLevel(level: OpenLevel): OpenLevel {
  return level?.draws instanceof Map ? level : raise('bad-setting', 'it gave a level without a map of draws');
}

/** Goes into the logs of later searches, and JSON writes only finite numbers. */
function checkedLearned(learned: Learned | undefined): Learned | undefined {
  for (const [name, { count, sum, squares }] of Object.entries(learned ?? {})) {
    if ([count, sum, squares].every(Number.isFinite)) continue;
    raise('bad-setting', `it learned ${name} as ${count}, ${sum}, ${squares}; these are numbers`);
  }
  return learned;
}

function checkedExit(exit: Exit | undefined): Exit | undefined {
  if (exit === undefined) return undefined;
  if (!exitKinds.includes(exit.kind))
    raise('bad-setting', `it gave the exit '${exit.kind}'; there are ${exitKinds.join(', ')}`);
  if (typeof exit.evidence !== 'object' || exit.evidence === null)
    raise('bad-setting', 'it gave an exit without evidence');
  return exit;
}
