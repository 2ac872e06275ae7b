// Drives a program without engine and verifier: made-up outcomes that arrive late, twice, in another order, or as failures.

import assert from 'node:assert/strict';
import { fault } from '../../base/fault.ts';
import { hash, Random } from '../../base/random.ts';
import type { Ask, Outcome, Program } from '../../program/program.ts';
import { plantedEvent, type TreeEvent } from '../../tree/events.ts';
import { drawKey, formKey, nodeKey } from '../../tree/keys.ts';
import { namedSteps } from '../../tree/readings/named-steps.ts';
import { mannerAt } from '../../tree/step.ts';
import { leastPromising } from '../../tree/strand.ts';
import { Tree } from '../../tree/tree.ts';

/** The text of a child depends on its draw alone, and its reward on its text: three in ten are twins. */
export function outcomeOf(ask: Ask, index: number, seed: number, scored: boolean): Outcome {
  if (ask.probe) return replyOf(ask, index, seed);
  const form = formKey(ask.sampling, ask.manner);
  const draw = drawKey(ask.node.key, index, form);
  const drawn = new Random(seed, draw);
  const text = drawn.chance(0.4) ? `the same ${drawn.integer(2)}` : hash(seed, draw).toString(36);
  const random = new Random(seed, nodeKey(ask.node.key, { text, end: 'delimiter' }));
  // A step that no string ends goes on to the end of the answer.
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

export function withoutAnswer(outcome: Outcome): Outcome {
  if (!outcome.probe) {
    const { answer: _, ...rest } = { answer: undefined, ...outcome };
    return rest;
  }
  const { answer: _, ...reply } = outcome.reply ?? { text: '', tokens: 0, whole: true };
  return { ...outcome, reply };
}

export interface Driven {
  readonly tree: Tree;
  readonly events: TreeEvent[];
  readonly asks: Ask[];
}

export interface DriveOptions {
  readonly seed: number;
  /** How many strands may be open. */
  readonly width: number;
  /** Decides order, doubling, failing and preempting. */
  readonly random: Random;
  /** Chance that an outcome is told twice; a third of it that it fails. None unless said. */
  readonly chaos?: number;
  /** Chance of a preemption after each outcome; a tenth of `chaos` unless said. */
  readonly preempting?: number;
  /** Changes what the program is told. */
  readonly said?: (outcome: Outcome) => Outcome;
  /** Log that the run continues. */
  readonly log?: readonly TreeEvent[];
}

/** Runs a program to its end. */
export function drive(program: Program, options: DriveOptions): Driven {
  const { seed, width, random, chaos = 0, preempting = chaos / 10, said = (outcome) => outcome } = options;
  const { log = [plantedEvent('product', program.fullAt)] } = options;
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
      const most = Math.max(open + 1, width);
      assert.ok(tree.strands.size <= most, `${tree.strands.size} strands are open where ${most} may be`);
      assert.ok(ask.indices.length > 0, 'it asks for no child');
      checkLevel(program, tree, ask);
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
  assert.fail('it did not come to its end in 10,000 turns');
}

/** What is foreseen outside of a level is given up: it must never be asked for. */
function checkLevel(program: Program, tree: Tree, { node, indices, probe }: Ask): void {
  const level = probe ? undefined : program.level?.(tree);
  const most = level?.draws.get(node.key) ?? 0;
  const outside = level === undefined ? [] : indices.filter((index) => index >= most);
  assert.deepEqual(outside, [], `child indices of node ${node.id} outside of the level, which has ${most}`);
}

/** Asks again for what a log leaves in flight. */
function awaited(tree: Tree): Ask[] {
  const own = [...tree.strands.values()].map(({ id, node, sampling, manner, probing }) => {
    if (probing !== undefined) return { node, ...probing, indices: [probing.index], probe: true as const };
    const indices = [...(node.inFlight ?? [])].filter(([, owner]) => owner === id).map(([index]) => index);
    return { node, indices, sampling: sampling!, manner };
  });
  return own.flatMap(({ manner, ...each }): Ask[] => {
    return each.indices.length === 0 ? [] : [{ strand: 0, ...each, ...(manner === undefined ? {} : { manner }) }];
  });
}

/** Answers come as they were asked for. */
export const inOrder = { integer: () => 0, chance: () => false } as unknown as Random;

/** Preempts a strand: the children that it waited for come late. */
function closeOne(tree: Tree): void {
  const [strand] = leastPromising(tree, 1);
  if (strand !== undefined) tree.record({ type: 'closed', strand, closing: 'preempted' });
}
