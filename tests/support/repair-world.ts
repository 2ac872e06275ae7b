// A simulated world of whole answers with repair, as far as refine sees one: an answer passes or fails its tests and costs tokens, and
// so does a repair. Every search has the same budget in tokens; the first answer that passes ends it. What a fresh answer comes to
// depends on its question and its number alone, so that programs can be compared question by question.

import { Random } from '../../src/base/random.ts';
import type { Program } from '../../src/program/program.ts';
import { plantedEvent } from '../../src/tree/events.ts';
import { formKey } from '../../src/tree/keys.ts';
import type { Learned } from '../../src/tree/learned.ts';
import type { Node } from '../../src/tree/node.ts';
import { Tree } from '../../src/tree/tree.ts';

export interface RepairWorld {
  /** Beta distribution of the chance with which a fresh answer to a question passes. */
  readonly fresh: readonly [number, number];
  /** Chance that a repair of a failed answer passes, by that of a fresh one. */
  repairPasses(fresh: number, depth: number, question: number): number;
}

const tokenBudget = 2000;
/** Mean and deviation, as measured on code with Qwen2.5-Coder-1.5B (2,869 searches of HumanEval and MBPP). */
const tokens = { fresh: [154, 108], repair: [274, 118] } as const;

function written({ fresh: [a, b], repairPasses }: RepairWorld, question: number, { key, depth }: Node, index: number) {
  const ease = new Random('question', question).beta(a, b);
  const chance = depth === 0 ? ease : repairPasses(ease, depth + 1, question);
  const random = new Random('answer', question, key, index);
  const [mean, deviation] = depth === 0 ? tokens.fresh : tokens.repair;
  const shape = (mean / deviation) ** 2;
  return {
    passes: random.chance(chance),
    tokens: Math.max(1, Math.round((random.gamma(shape) * mean) / shape)),
  };
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
    const { passes, tokens: used } = written(world, question, node, index!);
    const step = { text: `${question} ${node.id} ${index}`, tokens: used, meanLogprob: 0, end: 'eos' } as const;
    const reward = passes ? 1 : 0;
    program.tell(tree, { ok: true, node: node.id, index: index!, form: formKey(sampling, manner), step, reward });
    if (passes) return { passed: true, tree };
  }
  return { passed: false, tree };
}

/** One after the other, each with what those before it have taught where `learns`. */
export function searchAll(create: () => Program, world: RepairWorld, questions: number, learns: boolean): Searched[] {
  let learned: Learned | undefined;
  return Array.from({ length: questions }, (_, question) => {
    const program = create();
    const searched = searchOnce(program, world, question, learned);
    if (learns) learned = program.learn!(searched.tree, learned);
    return searched;
  });
}
