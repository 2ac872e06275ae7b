// A panel: several models answer, one sample of each in a round, until the samples that are left cannot change the vote. Where a synthesizer is named and no majority is possible, it is shown
// the attempts and writes the answer. Another stands in for a model that is absent. No verifier. An answer is one draw below the root.

import { groupAnswers } from '../../answer/groups.ts';
import type { Answer } from '../../log/end.ts';
import { type Node, saysSomething } from '../../tree/node.ts';
import { type Belief, type Conclusion, countedBelief, type PathVote, voteOf } from '../../tree/readings/certaindex.ts';
import type { Manner } from '../../tree/step.ts';
import type { Tree } from '../../tree/tree.ts';
import { bestAnswer, certainAnswer } from '../choice.ts';
import { defineProgram } from '../definition.ts';
import { askBelow, foldLanded, followLanded, isTaken, openAt, readyStrand } from '../growth.ts';
import type { Ask, Doomed, Expansion, Outcome, Program } from '../program.ts';
import {
  hasWriter,
  type WritingOptions,
  writerAt,
  writingDefaults,
  writingKnobs,
  writingOf,
  writingShape,
  writtenBy,
} from './writing.ts';

/** `prompt` has `{attempts}` where they stand. */
interface PanelOptions extends WritingOptions {
  /** Writers by name; empty for the search's own model alone. */
  readonly models: readonly string[];
  /** Model that is shown attempts that disagree and writes the answer; where unset the vote decides. */
  readonly synthesizer?: string | undefined;
  /** Per model. */
  readonly samples: number;
}

const panelDefaults: PanelOptions = {
  ...writingDefaults,
  models: [],
  samples: 3,
  prompt: '{attempts}\n\n',
};

/** Most attempts that the synthesizer is shown: as many as aggregate shows. */
const mostShown = 4;

export const panel = defineProgram({
  ...writingShape,
  name: 'panel',
  summary:
    'several models answer until they agree; the vote decides, or a named model puts together what disagrees; needs no verifier',
  asksModels: true,
  options: writingKnobs,
  prompts: ['aggregate'],
  create: (size, writing) => {
    const { rollouts, models = [], synthesizer } = size;
    return createPanel({
      ...writingOf(size, writing, size.prompts.aggregate),
      models,
      synthesizer,
      // A synthesis takes one rollout.
      samples: Math.max(1, Math.floor((rollouts - (synthesizer === undefined ? 0 : 1)) / Math.max(1, models.length))),
    });
  },
});

export function createPanel(given: Partial<PanelOptions> = {}): Program {
  return new PanelOfModels({ ...panelDefaults, ...given });
}

class PanelOfModels implements Program {
  readonly name = 'panel';
  readonly needsVerifier = false;
  readonly expandsOnce = false;
  readonly naturalWidth: number;
  readonly #options: PanelOptions;
  readonly #samples: number;
  /** Possible writers, the synthesizer first. */
  readonly #asked: readonly string[];

  constructor(options: PanelOptions) {
    this.naturalWidth = Math.max(1, options.models.length);
    this.#options = options;
    this.#samples = this.naturalWidth * options.samples;
    this.#asked = [
      ...new Set([...(options.synthesizer === undefined ? [] : [options.synthesizer]), ...options.models]),
    ];
  }

  ask(tree: Tree, mayOpen: boolean, doomed?: Doomed): Ask | undefined {
    const ready = readyStrand(tree, followLanded);
    const [next] = this.#free(tree);
    if (next === undefined || (ready === undefined && (!mayOpen || doomed?.(tree.root)))) return undefined;
    const strand = ready ?? openAt(tree, tree.root);
    return askBelow(tree, strand, [next], this.#options.sampling, this.#mannerOf(tree, next));
  }

  tell(tree: Tree, outcome: Outcome): boolean {
    return foldLanded(tree, outcome, { maxDepth: 1 }) || outcome.probe === true;
  }

  foresee(tree: Tree, count: number, doomed?: Doomed): Expansion[] {
    if (doomed?.(tree.root)) return [];
    const { sampling } = this.#options;
    const free = this.#free(tree).slice(0, count);
    return free.map((index) => ({ node: tree.root, indices: [index], sampling, manner: this.#mannerOf(tree, index) }));
  }

  demand(): number {
    return this.naturalWidth;
  }

  belief(tree: Tree): Belief {
    return { ...countedBelief(() => this.#votes(tree), 'none'), conclusion: () => this.#conclusion(tree) };
  }

  #conclusion(tree: Tree): Conclusion | undefined {
    const standing = this.#standing(tree);
    const { lead, rival, left } = standing;
    if (!this.#isDecided(standing)) return undefined;
    return { rule: 'majority', evidence: { leader: lead, rival, samples: this.#samples, left } };
  }

  /** The synthesis, where there is one that says something; else what most samples say. */
  answer(tree: Tree): Answer | undefined {
    const synthesis = tree.root.byIndex?.get(this.#samples);
    if (synthesis !== undefined && saysSomething(synthesis)) return certainAnswer(tree, synthesis.id);
    const votes = votesOf(answersOf(tree, 0, this.#samples));
    const [leader] = groupAnswers(votes);
    if (leader === undefined) return bestAnswer(tree);
    return { ...certainAnswer(tree, leader.votes[0]!.node.id), support: leader.weight / votes.length };
  }

  /** Draws of the round that are neither there nor on their way. */
  #free(tree: Tree): number[] {
    return this.#round(tree).filter((index) => !isTaken(tree.root, index));
  }

  /** A sample of each model, the synthesis, or nothing where the vote is all there is. */
  #round(tree: Tree): number[] {
    const standing = this.#standing(tree);
    const { lead, left, landed } = standing;
    if (this.#isDecided(standing) || !hasWriter(tree, this.#asked)) return [];
    const isSynthesized = this.#options.synthesizer !== undefined && 2 * (lead + left) <= this.#samples;
    if (isSynthesized) return [this.#samples];
    return Array.from({ length: Math.min(this.naturalWidth, left) }, (_, at) => landed + at);
  }

  /** Writer of a draw, and the attempts that it is shown. */
  #mannerOf(tree: Tree, index: number): Manner {
    const { models, prompt, answerTokens: maxTokens } = this.#options;
    const plain = { stops: [], maxTokens };
    if (index < this.#samples) return writtenBy(writerAt(tree, models, index), plain);
    const sources = shownAttempts(answersOf(tree, 0, this.#landed(tree))).map(({ key }) => key);
    return writtenBy(
      writerAt(tree, this.#asked, 0),
      sources.length === 0 ? plain : { ...plain, suffix: prompt, sources },
    );
  }

  /** Votes of whole rounds: each model has spoken as often as the others, which is what a test of a lead among them rests on. */
  #votes(tree: Tree): PathVote[] {
    return votesOf(answersOf(tree, 0, this.#landed(tree)));
  }

  /** Counts the vote. A sample without an answer is no vote, and none is left of it. */
  #standing(tree: Tree) {
    const landed = this.#landed(tree);
    const [lead = 0, rival = 0] = groupAnswers(this.#votes(tree)).map(({ votes }) => votes.length);
    return { landed, lead, rival, left: this.#samples - landed };
  }

  /** The samples that are left cannot change the vote. Before a synthesis it must be a majority: less is a disagreement. */
  #isDecided({ lead, rival, left }: { lead: number; rival: number; left: number }): boolean {
    return this.#options.synthesizer === undefined ? lead - rival > left : 2 * lead > this.#samples;
  }

  /** Samples of the rounds that are whole. */
  #landed(tree: Tree): number {
    const landed = landedOf(tree, this.#samples);
    return landed - (landed % this.naturalWidth);
  }
}

/** Different answers first, those with the most votes before the others; then what has no answer. */
export function shownAttempts(attempts: readonly Node[]): Node[] {
  const groups = groupAnswers(votesOf(attempts));
  const first = groups.map(({ votes }) => votes[0]!.node);
  return [...new Set([...first, ...attempts])].slice(0, mostShown);
}

/** Counts the first draws that have come without a gap. */
export function landedOf({ root }: Tree, most = Number.POSITIVE_INFINITY): number {
  let landed = 0;
  while (landed < most && root.byIndex?.has(landed)) landed += 1;
  return landed;
}

/** In the order of their draws, from one up to before another; twins are one node that stands here as often. */
export function answersOf({ root }: Tree, from: number, to: number): Node[] {
  const draws = Array.from({ length: to - from }, (_, at) => root.byIndex?.get(from + at));
  return draws.filter((node) => node !== undefined);
}

export function votesOf(answers: readonly Node[]): PathVote[] {
  return answers.filter(saysSomething).map(voteOf);
}
