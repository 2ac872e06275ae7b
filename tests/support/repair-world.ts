// A simulated world of whole answers and repairs, as refine sees it: an answer or a repair passes or fails its tests, and costs
// tokens. Every search has the same budget in tokens, and ends at the first answer that passes. Fresh answers depend only on
// question and number, so that programs can be compared question by question.

import { Random } from '../../packages/core/src/base/random.ts';
import type { Program } from '../../packages/core/src/program/program.ts';
import { type Learned, plantedEvent } from '../../packages/core/src/tree/events.ts';
import { formKey } from '../../packages/core/src/tree/keys.ts';
import type { Node } from '../../packages/core/src/tree/node.ts';
import { Tree } from '../../packages/core/src/tree/tree.ts';

export interface RepairWorld {
  /** Beta distribution of a question's chance that a fresh answer passes. */
  readonly fresh: readonly [number, number];
  /** Chance that a repair of a failed answer passes, given that of a fresh one. */
  repairPasses(fresh: number, depth: number, question: number): number;
  /** Share of failed answers that pass some of several tests; if missing, there is one test. */
  readonly passSome?: number;
}

const tokenBudget = 2000;
/** Mean and standard deviation, measured on code with Qwen2.5-Coder-1.5B (2,869 searches of HumanEval and MBPP). */
const tokens = { fresh: [154, 108], repair: [274, 118] } as const;

function written(world: RepairWorld, question: number, { key, depth }: Node, index: number) {
  const {
    fresh: [a, b],
    repairPasses,
    passSome = 0,
  } = world;
  const ease = new Random('question', question).beta(a, b);
  const chance = depth === 0 ? ease : repairPasses(ease, depth + 1, question);
  const random = new Random('answer', question, key, index);
  const [mean, deviation] = depth === 0 ? tokens.fresh : tokens.repair;
  const shape = (mean / deviation) ** 2;
  const passes = random.chance(chance);
  const used = Math.max(1, Math.round((random.gamma(shape) * mean) / shape));
  const some = random.chance(passSome) ? (1 + random.integer(3)) / 4 : 0;
  return { reward: passes ? 1 : some, tokens: used };
}

export interface Searched {
  readonly passed: boolean;
  readonly tree: Tree;
}

export function searchOnce(program: Program, world: RepairWorld, question: number, learned?: Learned): Searched {
  const tree = Tree.replay([plantedEvent('last', undefined, learned)]);
  while (tree.tokens < tokenBudget) {
    const asked = program.ask(tree, true);
    if (asked === undefined) break;
    const { node, indices, sampling, manner } = asked;
    const [index] = indices;
    const { reward, tokens: used } = written(world, question, node, index!);
    const step = { text: `${question} ${node.id} ${index}`, tokens: used, meanLogprob: 0, end: 'eos' } as const;
    program.tell(tree, { ok: true, node: node.id, index: index!, form: formKey(sampling, manner), step, reward });
    if (reward === 1) return { passed: true, tree };
  }
  return { passed: false, tree };
}

export interface Run {
  readonly questions: number;
  /** Number of the first question, to draw other questions of the same world. */
  readonly from?: number;
  readonly learns: boolean;
  /** Number of concurrent searches. */
  readonly atATime?: number;
}

/** If `learns`, each search knows the lessons of those that ended before it began. A search lasts as long as its tokens. */
export function searchAll(
  create: () => Program,
  worldOf: (at: number) => RepairWorld,
  { questions, from = 0, learns, atATime = 1 }: Run,
): Searched[] {
  let learned: Learned | undefined;
  let now = 0;
  const running: { readonly tree: Tree; readonly until: number }[] = [];
  const endFirst = () => {
    const first = running.reduce((soonest, each) => (each.until < soonest.until ? each : soonest));
    running.splice(running.indexOf(first), 1);
    now = first.until;
    if (learns) learned = create().learn!(first.tree, learned);
  };
  return Array.from({ length: questions }, (_, at) => {
    if (running.length === atATime) endFirst();
    const searched = searchOnce(create(), worldOf(at), from + at, learned);
    running.push({ tree: searched.tree, until: now + searched.tree.tokens });
    return searched;
  });
}
