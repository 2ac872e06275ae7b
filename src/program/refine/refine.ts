// Wider or deeper (AB-MCTS-A, arXiv 2503.04412): a tree of whole answers. At each answer, from the root down, Thompson sampling chooses
// between a new one below it (GEN) and going on to one of those that are there (CONT), then which; a place without answers below it gets
// one. Below the root that is a fresh answer; below an answer it is its repair, written after a turn of the user with the verifier's
// words. Chance follows from the place and the number of the strand, so that a log that is taken up again goes on in the same way.

import { Random } from '../../base/random.ts';
import type { Answer } from '../../log/end.ts';
import { isComplete, type Node } from '../../tree/node.ts';
import type { Manner, Sampling } from '../../tree/step.ts';
import type { Strand } from '../../tree/strand.ts';
import type { Tree } from '../../tree/tree.ts';
import { answerTokensKnob } from '../answer-tokens.ts';
import { type Choice, chosenAnswer } from '../choice.ts';
import { defineProgram } from '../definition.ts';
import { askBelow, foldOutcome, freeIndices, leastPromising, openAt } from '../growth.ts';
import type { Ask, Doomed, Expansion, Outcome, Program } from '../program.ts';
import { drawMean, type PosteriorName, posteriorNames, type ScoreSums } from './posterior.ts';

interface RefineOptions {
  /** Answers in all. */
  readonly rollouts: number;
  /** Repairs of repairs, the first answer counted. */
  readonly maxDepth: number;
  readonly answerTokens: number;
  readonly posterior: PosteriorName;
  readonly sampling: Sampling;
  readonly choose: Choice;
  /** With `{feedback}` where the verifier's words stand. */
  readonly prompt: string;
}

const refineDefaults: RefineOptions = {
  rollouts: 16,
  maxDepth: 8,
  answerTokens: 1024,
  posterior: 'gaussian',
  sampling: { temperature: 0.8 },
  choose: 'best',
  prompt: '{feedback}',
};

/** More at a time only makes the tree wider: each chooses without knowing what the others bring. */
const mostAtATime = 5;

export const refine = defineProgram({
  name: 'refine',
  summary: 'whole answers, new ones or repairs of those there are by what the verifier says (AB-MCTS-A)',
  needsVerifier: true,
  expandsOnce: false,
  takesTemperature: true,
  // A repair is judged by itself.
  aggregation: 'last',
  options: {
    answerTokens: answerTokensKnob,
    posterior: {
      default: refineDefaults.posterior,
      values: posteriorNames,
      client: 'coppice',
      unit: 'distribution',
      why: 'what refine believes of scores: gaussian as its authors have it; beta for scores that are shares',
    },
  },
  prompts: ['refine'],
  create: ({ rollouts, maxDepth, sampling, maxPathTokens, choose, prompts }, { answerTokens, posterior }) =>
    createRefine({
      rollouts,
      maxDepth: Math.min(maxDepth, refineDefaults.maxDepth),
      sampling,
      choose,
      posterior: posterior as PosteriorName,
      prompt: prompts.refine,
      answerTokens: Math.min(answerTokens, maxPathTokens ?? answerTokens),
    }),
});

export function createRefine(given: Partial<RefineOptions> = {}): Program {
  return new Refine({ ...refineDefaults, ...given });
}

class Refine implements Program {
  readonly name = 'refine';
  readonly needsVerifier = true;
  readonly readsLogprobs = false;
  readonly expandsOnce = false;
  readonly naturalWidth = 1;
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
    return askBelow(tree, strand, freeIndices(place, 1), this.#options.sampling, this.#mannerAt(place));
  }

  tell(tree: Tree, outcome: Outcome): boolean {
    const { maxDepth, answerTokens: maxPathTokens } = this.#options;
    const strand = foldOutcome(tree, outcome, { maxDepth, maxPathTokens, answersGoOn: true });
    if (strand !== undefined) advance(tree, strand);
    return strand !== undefined;
  }

  /** Where the next strands would open if nothing came before them. */
  foresee(tree: Tree, count: number, doomed?: Doomed): Expansion[] {
    const { sampling } = this.#options;
    const wanted = new Map<Node, number>();
    for (let at = 0; at < Math.min(count, this.#left(tree)); at += 1) {
      const place = this.#place(tree, tree.nextStrand + at);
      if (!doomed?.(place)) wanted.set(place, (wanted.get(place) ?? 0) + 1);
    }
    return [...wanted].flatMap(([node, more]) =>
      freeIndices(node, more).map((index) => ({ node, indices: [index], sampling, manner: this.#mannerAt(node) })),
    );
  }

  demand(tree: Tree): number {
    return Math.max(1, Math.min(mostAtATime, this.#left(tree) + tree.strands.size));
  }

  yield(tree: Tree, count: number): number[] {
    return leastPromising(tree, count);
  }

  answer(tree: Tree): Answer | undefined {
    return chosenAnswer(tree, this.#options.choose);
  }

  compose(_tree: Tree, [source]: readonly Node[]): string {
    const { feedback, reward = 0 } = source ?? {};
    const words = feedback ?? `It was judged to be worth ${reward.toFixed(2)} of 1.`;
    return this.#options.prompt.replace('{feedback}', () => words);
  }

  /** Answers that may still be begun; what was preempted or has failed does not count. */
  #left({ closed, strands }: Tree): number {
    return Math.max(0, this.#options.rollouts - closed.completed - closed.pruned - strands.size);
  }

  #mannerAt(place: Node): Manner {
    const plain: Manner = { stops: [], maxTokens: this.#options.answerTokens };
    return place.parent === undefined ? plain : { ...plain, sources: [place.key], byUser: true };
  }

  /** Down from the root until a new answer is chosen, or a place is reached that has none below it. */
  #place(tree: Tree, turn: number): Node {
    let node = tree.root;
    for (;;) {
      const next = this.#choose(node, new Random('refine', node.key, turn));
      if (next === undefined) return node;
      node = next;
    }
  }

  /** The answer to go on to, or nothing where a new one is to be written here. */
  #choose(node: Node, random: Random): Node | undefined {
    const open = node.children.filter((child) => !child.terminal && isComplete(child));
    if (open.length === 0) return undefined;
    const { posterior } = this.#options;
    const draw = (scores: ScoreSums) => drawMean(posterior, scores, random);
    const here = generatedAt(node);
    if (draw(here) >= draw(less(open.map(reachedBy).reduce(more), generatedAt({ children: open })))) return undefined;
    const drawn = open.map((child) => ({ child, worth: draw(reachedBy(child)) }));
    return drawn.reduce((best, each) => (each.worth > best.worth ? each : best)).child;
  }
}

/** Scores of the answers that were written at a place itself, twins counted. */
function generatedAt({ children }: Pick<Node, 'children'>): ScoreSums {
  return children
    .map(({ count, score }) => ({ count, sum: count * score, squares: count * score * score }))
    .reduce(more, nothing);
}

/** Scores of an answer and of all that were written below it. */
function reachedBy({ visits, value, squares }: Node): ScoreSums {
  return { count: visits, sum: value, squares };
}

const nothing: ScoreSums = { count: 0, sum: 0, squares: 0 };

function more(a: ScoreSums, b: ScoreSums): ScoreSums {
  return { count: a.count + b.count, sum: a.sum + b.sum, squares: a.squares + b.squares };
}

function less(a: ScoreSums, b: ScoreSums): ScoreSums {
  return {
    count: Math.max(0, a.count - b.count),
    sum: Math.max(0, a.sum - b.sum),
    squares: Math.max(0, a.squares - b.squares),
  };
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
