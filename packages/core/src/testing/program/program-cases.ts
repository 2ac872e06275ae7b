// The suite that every program passes: late, double, reordered and failed outcomes are normal; `foresee` changes nothing; `answer` works
// at any time; a tree read back from its log goes on in the same way. The contract is program/program.ts.

import assert from 'node:assert/strict';
import { FaultError } from '../../base/fault.ts';
import { Random } from '../../base/random.ts';
import type { ChildOutcome, Program } from '../../program/program.ts';
import type { TreeEvent } from '../../tree/events.ts';
import { byKey } from '../../tree/keys.ts';
import { Tree } from '../../tree/tree.ts';
import { type Checks, type ConformanceCase, casesOf, type Skips } from '../case/conformance-case.ts';
import { same } from '../case/same.ts';
import { digestTree } from './digest.ts';
import { drive, inOrder, outcomeOf, withoutAnswer } from './drive.ts';
import { readExpansions } from './expansions.ts';

export interface ProgramCaseOptions {
  /** Set if its tree depends on the order of folds, which the log has, even at width one. */
  readonly followsFolds?: boolean;
  /** Draws other examples. */
  readonly seed?: number;
  readonly skips?: Skips;
}

/** `create` gives a new program each time: a program keeps nothing outside its tree. */
export function programCases(
  create: () => Program,
  { followsFolds = false, seed = 1, skips: given }: ProgramCaseOptions = {},
): readonly ConformanceCase[] {
  const trial: ProgramTrial = { create, seed };
  const byFolds = 'what it grows follows the order of folds';
  const skips = {
    ...given,
    // Each expansion of such a program is one child, and a preempted one is replaced by another.
    ...(create().expandsOnce ? {} : { [completesCut]: 'it expands a node more than once' }),
    ...(followsFolds ? { [goesOn]: byFolds, [anyOrder]: byFolds } : {}),
  };
  return casesOf(checks, async (check) => check(trial), skips);
}

interface ProgramTrial {
  readonly create: () => Program;
  readonly seed: number;
}

interface Example {
  readonly seed: number;
  readonly width: number;
  readonly random: Random;
}

/** Holds a property to some seeds and widths; a failure says which. */
function forEach(count: number, seed: number, property: (example: Example) => void): void {
  const draws = new Random('program conformance', seed);
  for (let left = count; left > 0; left -= 1) {
    const example = { seed: draws.integer(1_000_001), width: 1 + draws.integer(6) };
    try {
      property({ ...example, random: new Random(example.seed) });
    } catch (error) {
      if (error instanceof Error) error.message = `seed ${example.seed}, width ${example.width}: ${error.message}`;
      throw error;
    }
  }
}

/** Tree and answer without the numbers of nodes, which only say in which order they came. */
function essenceOf(program: Program, tree: Tree) {
  const nodes = tree.nodes.map(({ key, count, visits, value, cut, pruned }) => ({
    key,
    count,
    visits,
    value,
    cut,
    pruned,
  }));
  const { node: _, ...answer } = program.answer(tree)!;
  return { nodes: nodes.sort(byKey), closed: tree.closed, tokens: tree.tokens, answer };
}

const completesCut = 'completes a preempted expansion before anything is asked below it';
const goesOn = 'goes on from its log, wherever that ends, to the same tree and the same answer';
const anyOrder = 'does not depend on the order in which siblings come, beyond the numbering of nodes';

const checks: Checks<ProgramTrial> = {
  'comes to an end with an answer and no strand left open': ({ create, seed }) => {
    forEach(30, seed, (example) => {
      const program = create();
      const { tree } = drive(program, example);
      same(tree.strands.size, 0, 'open strands at the end');
      same(program.answer(tree)?.complete, true, 'whether its answer is complete');
    });
  },

  'ends with its best text where no answer can be read off any': ({ create, seed }) => {
    forEach(8, seed, (example) => {
      const program = create();
      const { tree } = drive(program, { ...example, said: withoutAnswer });
      const answer = program.answer(tree);
      same([answer?.complete, answer?.answer], [true, undefined], 'whether it is complete, and its answer');
      assert.notEqual(answer?.text, '', 'the text of its answer is empty');
      same(program.belief?.(tree).certainty().agreement ?? 0, 0, 'the agreement of no answers');
    });
  },

  'takes late, double, reordered and failed outcomes': ({ create, seed }) => {
    forEach(30, seed, (example) => {
      const { tree, events } = drive(create(), { ...example, chaos: 0.3 });
      same(tree.strands.size, 0, 'open strands at the end');
      same(digestTree(Tree.replay(events)), digestTree(tree), 'the tree of its log');
    });
  },

  [goesOn]: ({ create, seed }) => {
    forEach(4, seed, (example) => {
      const straight = { ...example, width: 1, random: inOrder };
      const whole = drive(create(), straight);
      for (let cut = 1; cut <= whole.events.length; cut += 7) {
        const program = create();
        const { tree } = drive(program, { ...straight, log: whole.events.slice(0, cut) });
        same(essenceOf(program, tree), essenceOf(create(), whole.tree), `the tree, continued after event ${cut}`);
      }
    });
  },

  'gives the best so far at any moment: a text once there is a step, a whole path once there is one': ({
    create,
    seed,
  }) => {
    forEach(10, seed, (example) => {
      const program = create();
      const { events } = drive(program, { ...example, chaos: 0.1 });
      for (let cut = 1; cut <= events.length; cut += 3) {
        const tree = Tree.replay(events.slice(0, cut));
        const answer = program.answer(tree);
        same(answer !== undefined, tree.nodes.length > 1, `whether there is an answer after event ${cut}`);
        if (tree.best !== undefined) same(answer?.complete, true, `whether the answer after event ${cut} is complete`);
      }
    });
  },

  [completesCut]: ({ create, seed }) => {
    let halved = 0;
    let isWide = false;
    forEach(30, seed, (example) => {
      const { tree, events, asks } = drive(create(), { ...example, chaos: 0.1, preempting: 0.2 });
      isWide ||= asks.some(({ indices }) => indices.length > 1);
      const expansions = readExpansions(events);
      same(expansions.passedOver, undefined, 'a node that was passed over while its expansion was cut');
      const cut = new Set(tree.nodes.filter((node) => node.cut).map((node) => node.id));
      same(cut, expansions.cut, 'nodes whose expansion is cut');
      halved += expansions.halved;
    });
    // An expansion of one child cannot be half done.
    if (isWide) assert.ok(halved > 10, `only ${halved} expansions were preempted half done: more paths are needed`);
  },

  [anyOrder]: ({ create, seed }) => {
    const shape = (tree: Tree) => tree.nodes.map((node) => `${node.step?.text}:${node.visits}:${node.value}`).sort();
    forEach(30, seed, (example) => {
      const [one, other] = ['one', 'other'].map(
        (order) => drive(create(), { ...example, width: 1, random: new Random(order, example.seed) }).tree,
      );
      same(shape(other!), shape(one!), 'the tree in another order of siblings');
    });
  },

  'foresees without touching the tree': ({ create, seed }) => {
    forEach(10, seed, (example) => {
      const program = create();
      const { events } = drive(program, { ...example, chaos: 0.1 });
      for (let cut = 1; cut <= events.length; cut += 5) {
        const recorded: TreeEvent[] = [];
        const tree = Tree.replay(events.slice(0, cut), (event) => recorded.push(event));
        const before = digestTree(tree);
        for (const { node, indices } of program.foresee(tree, 5)) {
          assert.ok(!node.terminal, `it foresees a child of the end of a path, after event ${cut}`);
          const known = indices.filter((index) => node.byIndex?.has(index));
          same(known, [], `children that it foresees after event ${cut} and that are there`);
        }
        program.answer(tree);
        same(recorded, [], 'events that `foresee` and `answer` record');
        same(digestTree(tree), before, 'the tree after `foresee` and `answer`');
      }
    });
  },

  'refuses an outcome for a node that does not exist, and keeps its tree': ({ create }) => {
    const program = create();
    const tree = Tree.plant('product', undefined, program.fullAt);
    const ask = program.ask(tree, true)!;
    const before = digestTree(tree);
    const lost = { ...(outcomeOf(ask, 0, 1, true) as ChildOutcome), node: 99 };
    assert.throws(() => program.tell(tree, lost), FaultError, 'it takes an outcome of node 99, which does not exist');
    same(digestTree(tree), before, 'the tree after it');
  },
};
