// The suite that every program passes: late, double, reordered and failed outcomes are normal; foresee touches nothing;
// the answer can be had at any time; a tree read back from its log goes on in the same way.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FaultError, fault } from '../../src/base/fault.ts';
import { hash, Random } from '../../src/base/random.ts';
import type { Ask, ChildOutcome, Outcome, Program } from '../../src/program/program.ts';
import { plantedEvent, type TreeEvent } from '../../src/tree/events.ts';
import { byKey, drawKey, formKey, nodeKey } from '../../src/tree/keys.ts';
import { namedSteps } from '../../src/tree/readings/named-steps.ts';
import { mannerAt } from '../../src/tree/step.ts';
import { leastPromising } from '../../src/tree/strand.ts';
import { Tree } from '../../src/tree/tree.ts';
import { digestTree } from '../support/digest.ts';
import { readExpansions } from '../support/expansions.ts';

/** What a child says depends on its draw alone, and what that is worth on what it says: three in ten are twins. */
function outcomeOf(ask: Ask, index: number, seed: number, scored: boolean): Outcome {
  if (ask.probe) return replyOf(ask, index, seed);
  const form = formKey(ask.sampling, ask.manner);
  const draw = drawKey(ask.node.key, index, form);
  const drawn = new Random(seed, draw);
  const text = drawn.chance(0.4) ? `the same ${drawn.integer(2)}` : hash(seed, draw).toString(36);
  const random = new Random(seed, nodeKey(ask.node.key, { text, end: 'delimiter' }));
  // What no string ends goes on to the end of the answer.
  const byChance = random.chance(0.4) && ask.node.depth >= 1;
  const ends = byChance || mannerAt(ask.manner, index)?.stops?.length === 0;
  const tokens = 1 + random.integer(9);
  const step = { text, tokens, meanLogprob: -random.uniform(), end: ends ? 'eos' : 'delimiter' } as const;
  const reward = scored ? { reward: random.beta(4, 1) } : {};
  return { ok: true, node: ask.node.id, index, form, step, ...reward, ...(ends ? { answer: String(tokens) } : {}) };
}

/** Hardly ever the same answer, so that a chain goes on to its end. */
function replyOf({ node, manner }: Ask, index: number, seed: number): Outcome {
  const random = new Random(seed, 'probe', node.key, index);
  const answer = String(random.integer(1000));
  // A list of up to four thoughts, some of them the same; one in five names nothing.
  const list = Array.from({ length: random.integer(5) }, () => `thought ${random.integer(6)}`).join('\n');
  const text = manner?.proposed ? list : answer;
  const scored = manner?.scored
    ? { reward: random.beta(4, 1), ...(random.chance(0.3) ? { ends: true as const } : {}) }
    : {};
  const reply = { text, tokens: 1, whole: random.chance(0.8), answer, entropy: random.uniform(), ...scored };
  return { probe: true, node: node.id, index, reply };
}

function failed({ node, index, probe }: Outcome): Outcome {
  if (probe) return { probe, node, index };
  return { ok: false, node, index, fault: fault('internal', 'test') };
}

function withoutAnswer(outcome: Outcome): Outcome {
  if (!outcome.probe) {
    const { answer: _, ...rest } = { answer: undefined, ...outcome };
    return rest;
  }
  const { answer: _, ...reply } = outcome.reply ?? { text: '', tokens: 0, whole: true };
  return { ...outcome, reply };
}

interface Run {
  readonly tree: Tree;
  readonly events: TreeEvent[];
  readonly asks: Ask[];
}

/** Drives a program at a fixed width; `random` decides order, doubling, failing and preempting. */
function drive(
  program: Program,
  seed: number,
  width: number,
  random: Random,
  chaos: number,
  preempting = chaos / 10,
  said: (outcome: Outcome) => Outcome = (outcome) => outcome,
  log: readonly TreeEvent[] = [plantedEvent('product', program.fullAt)],
): Run {
  const events: TreeEvent[] = [...log];
  const tree = Tree.replay(log, (event) => events.push(event));
  const asks: Ask[] = [];
  const mail: Outcome[] = [];
  /** A step that a probe has named says what it was named. */
  const namedOutcome = (ask: Ask, index: number): Outcome | undefined => {
    if (ask.probe || !ask.manner?.proposed) return undefined;
    const step = namedSteps(ask.node)[index]!;
    const reward = new Random(seed, nodeKey(ask.node.key, step)).beta(4, 1);
    return { ok: true, node: ask.node.id, index, form: formKey(ask.sampling, ask.manner), step, reward };
  };
  const post = (ask: Ask) => {
    const outcomes = ask.indices.map(
      (index) => namedOutcome(ask, index) ?? outcomeOf(ask, index, seed, program.needsVerifier),
    );
    mail.push(...outcomes.map(said));
  };
  for (const ask of awaited(tree)) post(ask);
  for (let turn = 0; turn < 10_000; turn += 1) {
    for (;;) {
      const open = tree.strands.size;
      const ask = program.ask(tree, open < width);
      // It may have closed a strand that it found complete: then there is room again.
      if (ask === undefined && tree.strands.size < open) continue;
      if (ask === undefined) break;
      expect(tree.strands.size).toBeLessThanOrEqual(Math.max(open + 1, width));
      expect(ask.indices.length).toBeGreaterThan(0);
      asks.push(ask);
      post(ask);
    }
    if (mail.length === 0) return { tree, events, asks };
    const [outcome] = mail.splice(random.integer(mail.length), 1);
    const told = random.chance(chaos / 3) ? failed(outcome!) : outcome!;
    program.tell(tree, told);
    if (random.chance(chaos)) program.tell(tree, told);
    if (random.chance(preempting)) closeOne(tree);
  }
  throw new Error('a program did not come to its end');
}

/** What a log leaves in flight is asked for again. */
function awaited(tree: Tree): Ask[] {
  const late = [...tree.stragglers.values()].map((each) => ({
    ...each,
    indices: [...(each.node.inFlight?.keys() ?? [])],
  }));
  const own = [...tree.strands.values()].map(({ id, node, sampling, manner, probing }) => {
    if (probing !== undefined) return { node, ...probing, indices: [probing.index], probe: true as const };
    const indices = [...(node.inFlight ?? [])].filter(([, owner]) => owner === id).map(([index]) => index);
    return { node, indices, sampling: sampling!, manner };
  });
  return [...late, ...own].flatMap(({ manner, ...each }): Ask[] => {
    return each.indices.length === 0 ? [] : [{ strand: 0, ...each, ...(manner === undefined ? {} : { manner }) }];
  });
}

/** The tree by what it is, and its answer: numbers of nodes only say in which order they came. */
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

/** Answers come as they were asked for. */
const inOrder = { integer: () => 0, chance: () => false } as unknown as Random;

/** A preemption in the middle: what the strand waited for will come late. */
function closeOne(tree: Tree): void {
  const [strand] = leastPromising(tree, 1);
  if (strand !== undefined) tree.record({ type: 'closed', strand, closing: 'preempted' });
}

/** `followsFolds`: what it grows may depend on the order of folds, which the log has, even at width one. */
export function testProgram(name: string, create: () => Program, { followsFolds = false } = {}): void {
  const seeds = fc.integer({ min: 0, max: 1_000_000 });
  const check = (property: (seed: number, width: number) => void, runs = 30) =>
    fc.assert(fc.property(seeds, fc.integer({ min: 1, max: 6 }), property), { numRuns: runs });

  describe(`the program ${name}`, () => {
    it('comes to an end with an answer and no strand left open', () => {
      check((seed, width) => {
        const program = create();
        const { tree } = drive(program, seed, width, new Random(seed), 0);
        expect(tree.strands.size).toBe(0);
        expect(program.answer(tree)?.complete).toBe(true);
      });
    });

    it('ends with its best text where no answer can be read off any', () => {
      check((seed, width) => {
        const program = create();
        const { tree } = drive(program, seed, width, new Random(seed), 0, 0, (outcome) => withoutAnswer(outcome));
        const answer = program.answer(tree);
        expect(answer).toMatchObject({ complete: true, answer: undefined });
        expect(answer?.text).not.toBe('');
        expect(program.belief?.(tree).certainty().agreement ?? 0).toBe(0);
      }, 8);
    });

    it('takes late, double, reordered and failed outcomes', () => {
      check((seed, width) => {
        const { tree, events } = drive(create(), seed, width, new Random(seed), 0.3);
        expect(tree.strands.size).toBe(0);
        expect(digestTree(Tree.replay(events))).toEqual(digestTree(tree));
      });
    });

    it.skipIf(followsFolds)('goes on from its log, wherever that ends, to the same tree and the same answer', () => {
      check((seed) => {
        const whole = drive(create(), seed, 1, inOrder, 0);
        for (let cut = 1; cut <= whole.events.length; cut += 7) {
          const program = create();
          const { tree } = drive(program, seed, 1, inOrder, 0, 0, undefined, whole.events.slice(0, cut));
          expect(essenceOf(program, tree)).toEqual(essenceOf(create(), whole.tree));
        }
      }, 4);
    });

    it('gives the best so far at any moment: a text once there is a step, a whole path once there is one', () => {
      check((seed, width) => {
        const program = create();
        const { events } = drive(program, seed, width, new Random(seed), 0.1);
        for (let cut = 1; cut <= events.length; cut += 3) {
          const tree = Tree.replay(events.slice(0, cut));
          const answer = program.answer(tree);
          expect(answer === undefined).toBe(tree.nodes.length === 1);
          if (tree.best !== undefined) expect(answer?.complete).toBe(true);
        }
      }, 10);
    });

    // Skipped for samples: each of their expansions is one child, and a preempted sample is replaced by a new one.
    it.runIf(create().expandsOnce)('completes a preempted expansion before anything is asked below it', () => {
      let halved = 0;
      let wide = false;
      check((seed, width) => {
        const { tree, events, asks } = drive(create(), seed, width, new Random(seed), 0.1, 0.2);
        wide ||= asks.some(({ indices }) => indices.length > 1);
        const expansions = readExpansions(events);
        expect(expansions.passedOver).toBeUndefined();
        expect(new Set(tree.nodes.filter((node) => node.cut).map((node) => node.id))).toEqual(expansions.cut);
        halved += expansions.halved;
      });
      // An expansion of one child cannot be half done.
      if (wide) expect(halved).toBeGreaterThan(10);
    });

    it.skipIf(followsFolds)(
      'does not depend on the order in which siblings come, beyond the numbering of nodes',
      () => {
        check((seed) => {
          const first = drive(create(), seed, 1, new Random('one', seed), 0).tree;
          const second = drive(create(), seed, 1, new Random('other', seed), 0).tree;
          const shape = (tree: Tree) =>
            tree.nodes.map((node) => `${node.step?.text}:${node.visits}:${node.value}`).sort();
          expect(shape(second)).toEqual(shape(first));
        });
      },
    );

    it('foresees without touching the tree', () => {
      check((seed, width) => {
        const program = create();
        const { events } = drive(program, seed, width, new Random(seed), 0.1);
        for (let cut = 1; cut <= events.length; cut += 5) {
          const recorded: TreeEvent[] = [];
          const tree = Tree.replay(events.slice(0, cut), (event) => recorded.push(event));
          const before = digestTree(tree);
          for (const { node, indices } of program.foresee(tree, 5)) {
            expect(node.terminal).toBe(false);
            for (const index of indices) expect(node.byIndex?.has(index)).not.toBe(true);
          }
          program.answer(tree);
          expect(recorded).toEqual([]);
          expect(digestTree(tree)).toEqual(before);
        }
      }, 10);
    });

    it('refuses an outcome for a node that does not exist, and keeps its tree', () => {
      const program = create();
      const tree = Tree.plant('product', undefined, program.fullAt);
      const ask = program.ask(tree, true)!;
      const before = digestTree(tree);
      const lost = { ...(outcomeOf(ask, 0, 1, true) as ChildOutcome), node: 99 };
      expect(() => program.tell(tree, lost)).toThrow(FaultError);
      expect(digestTree(tree)).toEqual(before);
    });
  });
}
