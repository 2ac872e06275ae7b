// Wider or deeper (AB-MCTS, arXiv 2503.04412): a tree of whole answers. At each answer, from the root down, Thompson sampling chooses between
// a new answer below it and one of those already there; a place without answers gets one. A new answer below the root is fresh. Below
// another answer it is a repair, written after a user turn with the verifier's words. With several models, sampling also chooses the
// writer. Chance follows from place and strand, so a resumed log makes the same choices.

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
import { descend, writerByScores } from './thompson.ts';

/** `maxDepth` counts the first answer and its repairs; `{feedback}` in `prompt` stands for the verifier's words. */
interface RefineOptions extends WritingOptions, Pick<ProgramSize, 'rollouts' | 'maxDepth' | 'choose'> {
  /** Names of the writers; empty for the search's own model alone. */
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

/** Most answers at a time: more only make the tree wider, since each is chosen without the scores of the others. */
const mostAtATime = 5;

export const refine = defineProgram({
  name: 'refine',
  summary: 'whole answers, new ones or repairs of those there are by what the verifier says (AB-MCTS)',
  needsVerifier: true,
  expandsOnce: false,
  asksModels: true,
  takesTemperature: true,
  // A repair is scored by itself.
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

  /** The places where the next strands would open without further scores. */
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

  /** Answers that may still begin; preempted and failed ones do not count. 0 if no model is left to write. */
  #left(tree: Tree): number {
    const { closed, strands } = tree;
    if (!hasWriter(tree, this.#options.models)) return 0;
    return Math.max(0, this.#options.rollouts - closed.completed - closed.pruned - strands.size);
  }

  /** How a strand's answer is drawn at its place, and which model writes it. */
  #mannerAt(tree: Tree, { id, node }: Pick<Strand, 'id' | 'node'>): Manner {
    const { models, posterior, prompt, answerTokens: maxTokens } = this.#options;
    const there = models.filter((model) => !tree.absences.has(model));
    const writer = writerByScores(posterior, tree, there, new Random('refine-writer', node.key, id)) ?? models[0];
    const plain = writtenBy(writer, { stops: [], maxTokens });
    return node.parent === undefined ? plain : { ...plain, suffix: prompt, sources: [node.key], byUser: true };
  }

  /** Descends from the root to a node that gets a new answer: one where sampling chooses that, or one without answers below it. */
  #place(tree: Tree, turn: number): Node {
    let node = tree.root;
    for (;;) {
      const next = descend(this.#options.posterior, node, new Random('refine', seedOf(node), turn), tree.learned);
      if (next === undefined) return node;
      node = next;
    }
  }
}

/** Seed of a node's choices. All roots have the same key, so a root uses that of its first answer, which differs between searches. */
function seedOf({ key, byIndex }: Node): number {
  return byIndex?.get(0)?.key ?? key;
}

/** The next strand without a draw. A log may stop between the events of one outcome: records the missing ones first. */
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
