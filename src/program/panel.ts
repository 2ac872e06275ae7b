// A panel: several models answer, one sample of each in a round, until more than half of all samples agree or no longer can. Agreement
// ends it, by the exit rule `certain` (a certificate by default) or because the majority is decided; only where none is possible is a named
// model shown the attempts and writes the answer. No verifier. An answer is one draw below the root, as in aggregate.ts.

import { groupAnswers } from '../answer/groups.ts';
import type { Answer } from '../log/end.ts';
import { type Certainty, certaintyOf, type PathVote, voteOf } from '../tree/certaindex.ts';
import { type Node, saysSomething } from '../tree/node.ts';
import type { Manner, Sampling } from '../tree/step.ts';
import type { Strand } from '../tree/strand.ts';
import type { Tree } from '../tree/tree.ts';
import { answerTokensKnob } from './answer-tokens.ts';
import { attemptsText, attemptTokensKnob } from './attempts.ts';
import { bestAnswer, certainAnswer } from './choice.ts';
import { defineProgram } from './definition.ts';
import { askBelow, foldOutcome, follow, leastPromising, openAt, readyStrand } from './growth.ts';
import type { Ask, Conclusion, Doomed, Expansion, Outcome, Program } from './program.ts';

interface PanelOptions {
  /** Who answers, by name; the search's own model alone where there is none. */
  readonly models: readonly string[];
  /** Who is shown the attempts; the search's own model where unset. */
  readonly synthesizer?: string | undefined;
  /** Of each model. */
  readonly samples: number;
  readonly answerTokens: number;
  readonly attemptTokens: number;
  readonly sampling: Sampling;
  /** With `{attempts}` where they stand. */
  readonly prompt: string;
}

const panelDefaults: PanelOptions = {
  models: [],
  samples: 3,
  answerTokens: 1024,
  attemptTokens: 0,
  sampling: { temperature: 0.8 },
  prompt: '{attempts}\n\n',
};

/** Most attempts that the synthesizer is shown: as many as aggregate shows. */
const mostShown = 4;

export const panel = defineProgram({
  name: 'panel',
  summary:
    'several models answer; agreement ends it, and only disagreement is put together by one of them; needs no verifier',
  needsVerifier: false,
  expandsOnce: false,
  samplesIndependently: true,
  asksModels: true,
  takesTemperature: true,
  policySettings: { certain: 'certificate' },
  options: { answerTokens: answerTokensKnob, attemptTokens: attemptTokensKnob },
  prompts: ['aggregate'],
  create: (size, { answerTokens, attemptTokens }) => {
    const { rollouts, sampling, maxPathTokens, prompts, models = [], synthesizer } = size;
    return createPanel({
      models,
      synthesizer,
      // One rollout is kept for the synthesis.
      samples: Math.max(1, Math.floor((rollouts - 1) / Math.max(1, models.length))),
      sampling,
      prompt: prompts.aggregate,
      answerTokens: Math.min(answerTokens, maxPathTokens ?? answerTokens),
      attemptTokens,
    });
  },
});

export function createPanel(given: Partial<PanelOptions> = {}): Program {
  return new PanelOfModels({ ...panelDefaults, ...given });
}

class PanelOfModels implements Program {
  readonly name = 'panel';
  readonly needsVerifier = false;
  readonly readsLogprobs = false;
  readonly expandsOnce = false;
  /** Its votes are: the synthesis, which is written from them, is none. */
  readonly samplesIndependently = true;
  readonly naturalWidth: number;
  readonly #options: PanelOptions;
  readonly #samples: number;

  constructor(options: PanelOptions) {
    this.naturalWidth = Math.max(1, options.models.length);
    this.#options = options;
    this.#samples = this.naturalWidth * options.samples;
  }

  ask(tree: Tree, mayOpen: boolean, doomed?: Doomed): Ask | undefined {
    const ready = readyStrand(tree, advance);
    const [next] = this.#free(tree);
    if (next === undefined || (ready === undefined && (!mayOpen || doomed?.(tree.root)))) return undefined;
    const strand = ready ?? openAt(tree, tree.root);
    return askBelow(tree, strand, [next], this.#options.sampling, this.#mannerOf(tree, next));
  }

  tell(tree: Tree, outcome: Outcome): boolean {
    const strand = foldOutcome(tree, outcome, { maxDepth: 1 });
    if (strand !== undefined) advance(tree, strand);
    return strand !== undefined;
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

  yield(tree: Tree, count: number): number[] {
    return leastPromising(tree, count);
  }

  certainty(tree: Tree, upTo?: number): Certainty {
    const { answers, agreement } = certaintyOf(this.votes(tree).slice(0, upTo), 'mean');
    return { answers, agreement };
  }

  /** Of whole rounds: each model has spoken as often as the others, which is what a test of a lead among them rests on. */
  votes(tree: Tree): PathVote[] {
    return this.#attempts(tree, this.#landed(tree)).filter(saysSomething).map(voteOf);
  }

  conclusion(tree: Tree): Conclusion | undefined {
    const { lead, left } = this.#standing(tree);
    if (2 * lead <= this.#samples) return undefined;
    return { rule: 'majority', evidence: { leader: lead, samples: this.#samples, left } };
  }

  /** The synthesis, where there is one that says something; else what most samples say. */
  answer(tree: Tree): Answer | undefined {
    const synthesis = tree.root.byIndex?.get(this.#samples);
    if (synthesis !== undefined && saysSomething(synthesis)) return certainAnswer(tree, synthesis.id);
    const votes = this.#attempts(tree, this.#samples).filter(saysSomething).map(voteOf);
    const [leader] = groupAnswers(votes);
    if (leader === undefined) return bestAnswer(tree);
    return { ...certainAnswer(tree, leader.votes[0]!.node.id), support: leader.weight / votes.length };
  }

  compose(_tree: Tree, sources: readonly Node[]): string {
    return attemptsText(this.#options.prompt, sources, this.#options.attemptTokens);
  }

  /** Indices that may be asked for now: those of the round, or that of the synthesis. */
  #free(tree: Tree): number[] {
    const { byIndex, inFlight } = tree.root;
    const { lead, left, landed } = this.#standing(tree);
    if (2 * lead > this.#samples) return [];
    const isSettled = 2 * (lead + left) <= this.#samples;
    const round = isSettled ? [this.#samples] : Array.from({ length: this.naturalWidth }, (_, at) => landed + at);
    return round.filter((index) => !byIndex?.has(index) && !inFlight?.has(index));
  }

  /** How far the vote is. A sample without an answer is no vote, and none is left of it. */
  #standing(tree: Tree) {
    const landed = this.#landed(tree);
    const [leader] = groupAnswers(this.votes(tree));
    return { landed, lead: leader?.votes.length ?? 0, left: this.#samples - landed };
  }

  /** Samples of the rounds that are whole. */
  #landed({ root }: Tree): number {
    let landed = 0;
    while (landed < this.#samples && root.byIndex?.has(landed)) landed += 1;
    return landed - (landed % this.naturalWidth);
  }

  /** In the order of their indices; twins are one node that stands here as often. */
  #attempts({ root }: Tree, count: number): Node[] {
    return Array.from({ length: count }, (_, at) => root.byIndex?.get(at)).filter((node) => node !== undefined);
  }

  #mannerOf(tree: Tree, index: number): Manner {
    const { models, synthesizer, answerTokens: maxTokens } = this.#options;
    const plain = { stops: [], maxTokens };
    if (index < this.#samples) return named(plain, models[index % this.naturalWidth]);
    const sources = this.#shown(tree).map(({ key }) => key);
    return named(sources.length === 0 ? plain : { ...plain, sources }, synthesizer);
  }

  /** Different answers first, those with the most votes before the others; then what has no answer. */
  #shown(tree: Tree): Node[] {
    const attempts = this.#attempts(tree, this.#landed(tree));
    const groups = groupAnswers(attempts.filter(saysSomething).map(voteOf));
    const first = groups.map(({ votes }) => votes[0]!.node);
    return [...new Set([...first, ...attempts])].slice(0, mostShown);
  }
}

function named(manner: Manner, model: string | undefined): Manner {
  return model === undefined ? manner : { ...manner, model };
}

function advance(tree: Tree, strand: Strand): void {
  const [next] = strand.landed;
  if (next === undefined) tree.record({ type: 'closed', strand: strand.id, closing: 'failed' });
  else follow(tree, strand, next);
}
