// Wider or deeper (AB-MCTS, arXiv 2503.04412): a tree of whole answers. At each answer, from the root down, Thompson sampling chooses
// between a new one below it and going on to one of those that are there; a place without answers below it gets one. Below the root that
// is a fresh answer; below an answer it is its repair, written after a turn of the user with the verifier's words. Of several models it
// chooses which to ask in the same way. Chance follows from place and strand, so that a log that is taken up again goes on as it would have.

import { Random } from '@coppice/core/base';
import type { Answer } from '@coppice/core/log';
import {
  type Ask,
  askBelow,
  chosenAnswer,
  type Doomed,
  defineProgram,
  type Expansion,
  foldOutcome,
  freeIndices,
  hasWriter,
  type Outcome,
  openAt,
  type Program,
  type ProgramSize,
  type WritingOptions,
  writingDefaults,
  writingKnobs,
  writingOf,
  writtenBy,
} from '@coppice/core/program';
import type { Manner, Node, Strand, Tree } from '@coppice/core/tree';
import { lessonOf } from './lessons.ts';
import { type PosteriorName, posteriorNames } from './posterior.ts';
import { goOnTo, writerByScores } from './thompson.ts';

/** `maxDepth` counts repairs of repairs, the first answer too; `prompt` has `{feedback}` where the verifier's words stand. */
interface RefineOptions extends WritingOptions, Pick<ProgramSize, 'rollouts' | 'maxDepth' | 'choose'> {
  /** Writers by name; empty for the search's own model alone. */
  readonly models: readonly string[];
  readonly posterior: PosteriorName;
}

const refineDefaults: RefineOptions = {
  ...writingDefaults,
  models: [],
  rollouts: 16,
  maxDepth: 8,
  posterior: 'gaussian',
  choose: 'best',
  prompt: '{feedback}',
};

/** More at a time only makes the tree wider: each chooses without knowing what the others bring. */
const mostAtATime = 5;

export const refine = defineProgram({
  name: 'refine',
  summary: 'whole answers, new ones or repairs of those there are by what the verifier says (AB-MCTS)',
  needsVerifier: true,
  expandsOnce: false,
  asksModels: true,
  takesTemperature: true,
  // A repair is judged by itself.
  aggregation: 'last',
  options: {
    ...writingKnobs,
    posterior: {
      default: refineDefaults.posterior,
      values: posteriorNames,
      client: 'coppice',
      unit: 'distribution',
      why: 'what refine believes of scores: gaussian (AB-MCTS-A), or beta for scores that are shares',
    },
  },
  prompts: ['refine'],
  create: (size, { posterior, ...writing }) => {
    const { rollouts, choose, models = [] } = size;
    const maxDepth = Math.min(size.maxDepth, refineDefaults.maxDepth);
    return createRefine({
      ...writingOf(size, writing, size.prompts.refine),
      models,
      rollouts,
      maxDepth,
      choose,
      posterior,
    });
  },
});

export function createRefine(given: Partial<RefineOptions> = {}): Program {
  return new Refine({ ...refineDefaults, ...given });
}

class Refine implements Program {
  readonly name = 'refine';
  readonly needsVerifier = true;
  readonly expandsOnce = false;
  readonly naturalWidth = 1;
  readonly learn = lessonOf;
  readonly #options: RefineOptions;

  constructor(options: RefineOptions) {
    this.#options = options;
  }

  ask(tree: Tree, mayOpen: boolean, doomed?: Doomed): Ask | undefined {
    const ready = readyStrand(tree);
    if (ready === undefined && !(mayOpen && this.#left(tree) > 0)) return undefined;
    const place = ready?.node ?? this.#place(tree, tree.nextStrand);
    if (ready === undefined && doomed?.(place)) return undefined;
    const strand = ready ?? openAt(tree, place);
    return askBelow(tree, strand, freeIndices(place, 1), this.#options.sampling, this.#mannerAt(tree, strand));
  }

  tell(tree: Tree, outcome: Outcome): boolean {
    const { maxDepth, answerTokens: maxPathTokens } = this.#options;
    const strand = foldOutcome(tree, outcome, { maxDepth, maxPathTokens, answersGoOn: true });
    if (strand !== undefined) advance(tree, strand);
    return strand !== undefined;
  }

  /** Places where the next strands would open if nothing came before them. */
  foresee(tree: Tree, count: number, doomed?: Doomed): Expansion[] {
    const { sampling } = this.#options;
    const next = Array.from({ length: Math.min(count, this.#left(tree)) }, (_, at) => {
      const id = tree.nextStrand + at;
      return { id, node: this.#place(tree, id) };
    });
    const wanted = Map.groupBy(
      next.filter(({ node }) => !doomed?.(node)),
      ({ node }) => node,
    );
    return [...wanted].flatMap(([node, strands]) =>
      freeIndices(node, strands.length).map((index, at) => {
        return { node, indices: [index], sampling, manner: this.#mannerAt(tree, strands[at]!) };
      }),
    );
  }

  demand(tree: Tree): number {
    return Math.max(1, Math.min(mostAtATime, this.#left(tree) + tree.strands.size));
  }

  answer(tree: Tree): Answer | undefined {
    return chosenAnswer(tree, this.#options.choose);
  }

  /** Answers that may still be begun; what was preempted or has failed does not count. None where no model is left to write them. */
  #left(tree: Tree): number {
    const { closed, strands } = tree;
    if (!hasWriter(tree, this.#options.models)) return 0;
    return Math.max(0, this.#options.rollouts - closed.completed - closed.pruned - strands.size);
  }

  /** Manner and writer of a strand's answer at its place. */
  #mannerAt(tree: Tree, { id, node }: Pick<Strand, 'id' | 'node'>): Manner {
    const { models, posterior, prompt, answerTokens: maxTokens } = this.#options;
    const there = models.filter((model) => !tree.absences.has(model));
    const writer = writerByScores(posterior, tree, there, new Random('refine-writer', node.key, id)) ?? models[0];
    const plain = writtenBy(writer, { stops: [], maxTokens });
    return node.parent === undefined ? plain : { ...plain, suffix: prompt, sources: [node.key], byUser: true };
  }

  /** Down from the root until a new answer is chosen, or a place is reached that has none below it. */
  #place(tree: Tree, turn: number): Node {
    let node = tree.root;
    for (;;) {
      const next = goOnTo(this.#options.posterior, node, new Random('refine', chanceOf(node), turn), tree.learned);
      if (next === undefined) return node;
      node = next;
    }
  }
}

/** All roots have one key: by it alone every search would choose alike. Its first answer is its own. */
function chanceOf({ key, byIndex }: Node): number {
  return byIndex?.get(0)?.key ?? key;
}

/** A log may end between the events of one outcome: what was left undone is made up for. */
function readyStrand(tree: Tree): Strand | undefined {
  for (const strand of tree.strands.values()) {
    if (strand.awaiting > 0) continue;
    if (strand.node !== strand.start) close(tree, strand);
    else if (strand.landed.length > 0) advance(tree, strand);
    else return strand;
  }
  return undefined;
}

function advance(tree: Tree, strand: Strand): void {
  const [next] = strand.landed;
  if (next === undefined) return tree.record({ type: 'closed', strand: strand.id, closing: 'failed' });
  tree.record({ type: 'moved', strand: strand.id, node: next.id });
  close(tree, strand);
}

function close(tree: Tree, { id, node }: Strand): void {
  tree.record({ type: 'closed', strand: id, closing: 'completed', value: node.score });
}
