// Best-of-n by comparison: whole answers of one or several models, and a judging model that is shown two at a time, in both orders, until one
// has beaten its way through (a knockout of the different answers). A judge that prefers whatever stands first says nothing so. Answers
// that all agree are not judged. No verifier: a verdict is a probe at the root, so it stands in the log and is asked for once.

import { meaningOf } from '../answer/groups.ts';
import type { Answer } from '../log/end.ts';
import { type Certainty, certaintyOf, type PathVote, voteOf } from '../tree/certaindex.ts';
import { isComplete, type Node, pathText, saysSomething } from '../tree/node.ts';
import { greedySampling, type Manner, type Sampling } from '../tree/step.ts';
import type { Strand } from '../tree/strand.ts';
import type { Tree } from '../tree/tree.ts';
import { answerTokensKnob } from './answer-tokens.ts';
import { attemptTokensKnob, lastWords } from './attempts.ts';
import { bestAnswer, certainAnswer } from './choice.ts';
import { defineProgram } from './definition.ts';
import { askBelow, askProbe, foldOutcome, follow, leastPromising, openAt, readyStrand } from './growth.ts';
import { knockout, type Match } from './knockout.ts';
import type { Ask, Doomed, Expansion, Outcome, Program } from './program.ts';

interface PairwiseOptions {
  /** Who answers, by name; the search's own model alone where there is none. */
  readonly models: readonly string[];
  /** Who compares; the search's own model where unset. */
  readonly judge?: string | undefined;
  /** Of all models together. */
  readonly samples: number;
  readonly answerTokens: number;
  readonly attemptTokens: number;
  readonly sampling: Sampling;
  /** With `{first}` and `{second}` where the two stand; the model goes on with the number of the better one. */
  readonly prompt: string;
}

const pairwiseDefaults: PairwiseOptions = {
  models: [],
  samples: 15,
  answerTokens: 1024,
  attemptTokens: 0,
  sampling: { temperature: 0.8 },
  prompt: '{first}\n\n{second}\n\n',
};

/** A number, and what a model may put around it. */
const verdictTokens = 8;

export const pairwise = defineProgram({
  name: 'pairwise',
  summary:
    'independent samples, of which a judging model prefers one, two at a time and in both orders; needs no verifier',
  needsVerifier: false,
  expandsOnce: false,
  samplesIndependently: true,
  asksModels: true,
  takesTemperature: true,
  options: { answerTokens: answerTokensKnob, attemptTokens: attemptTokensKnob },
  prompts: ['pairwise'],
  create: (size, { answerTokens, attemptTokens }) => {
    const { rollouts, sampling, maxPathTokens, prompts, models = [], synthesizer: judge } = size;
    return createPairwise({
      models,
      judge,
      // The last rollout would end the search before anything is compared.
      samples: Math.max(1, rollouts - 1),
      sampling,
      prompt: prompts.pairwise,
      answerTokens: Math.min(answerTokens, maxPathTokens ?? answerTokens),
      attemptTokens,
    });
  },
});

export function createPairwise(given: Partial<PairwiseOptions> = {}): Program {
  return new Pairwise({ ...pairwiseDefaults, ...given });
}

class Pairwise implements Program {
  readonly name = 'pairwise';
  readonly needsVerifier = false;
  readonly readsLogprobs = false;
  readonly expandsOnce = false;
  readonly samplesIndependently = true;
  readonly naturalWidth: number;
  readonly #options: PairwiseOptions;

  constructor(options: PairwiseOptions) {
    this.naturalWidth = options.samples;
    this.#options = options;
  }

  ask(tree: Tree, mayOpen: boolean, doomed?: Doomed): Ask | undefined {
    for (let ready = readyStrand(tree, advance); ; ready = readyStrand(tree, advance)) {
      const [sample] = this.#free(tree);
      const [match] = sample === undefined ? this.#open(tree) : [];
      if (sample === undefined && match === undefined) {
        if (ready === undefined) return undefined;
        tree.record({ type: 'closed', strand: ready.id, closing: 'ended' });
        continue;
      }
      if (ready === undefined && (!mayOpen || doomed?.(tree.root))) return undefined;
      const strand = ready ?? openAt(tree, tree.root);
      if (match !== undefined) return askProbe(tree, strand, inquiry(match, this.#options.judge));
      return askBelow(tree, strand, [sample!], this.#options.sampling, this.#mannerOf(sample!));
    }
  }

  tell(tree: Tree, outcome: Outcome): boolean {
    const strand = foldOutcome(tree, outcome, { maxDepth: 1 });
    if (strand !== undefined) advance(tree, strand);
    return strand !== undefined || outcome.probe === true;
  }

  /** Samples that have not been opened: whom the judge compares next is known when they are there. */
  foresee(tree: Tree, count: number, doomed?: Doomed): Expansion[] {
    if (doomed?.(tree.root)) return [];
    const { sampling } = this.#options;
    const free = this.#free(tree).slice(0, count);
    return free.map((index) => ({ node: tree.root, indices: [index], sampling, manner: this.#mannerOf(index) }));
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

  votes(tree: Tree): PathVote[] {
    return this.#attempts(tree, this.#landed(tree)).filter(saysSomething).map(voteOf);
  }

  /** The answer that leads the knockout: before it has begun, the one with the most samples. */
  answer(tree: Tree): Answer | undefined {
    const { leader } = knockout(this.#candidates(tree, this.#options.samples), tree.root.probes);
    return leader === undefined ? bestAnswer(tree) : certainAnswer(tree, leader.id);
  }

  compose(_tree: Tree, [first, second]: readonly Node[]): string {
    const { prompt, attemptTokens } = this.#options;
    const shown = (node: Node | undefined) => (node ? lastWords(pathText(node).trim(), attemptTokens) : '');
    const values: Readonly<Record<string, string>> = { first: shown(first), second: shown(second) };
    return prompt.replace(/\{(first|second)\}/g, (_, name: string) => values[name]!);
  }

  #free({ root: { byIndex, inFlight } }: Tree): number[] {
    const all = Array.from({ length: this.#options.samples }, (_, at) => at);
    return all.filter((index) => !byIndex?.has(index) && !inFlight?.has(index));
  }

  /** Comparisons that can be made now and that no strand waits for; none before the last sample has come. */
  #open(tree: Tree): Match[] {
    const { samples } = this.#options;
    if (this.#landed(tree) < samples) return [];
    const asked = new Set(Array.from(tree.strands.values(), ({ probing }) => probing?.index));
    const { open } = knockout(this.#candidates(tree, samples), tree.root.probes);
    return open.filter(({ probe }) => !asked.has(probe));
  }

  #landed({ root }: Tree): number {
    let landed = 0;
    while (landed < this.#options.samples && root.byIndex?.has(landed)) landed += 1;
    return landed;
  }

  #attempts({ root }: Tree, count: number): Node[] {
    return Array.from({ length: count }, (_, at) => root.byIndex?.get(at)).filter((node) => node !== undefined);
  }

  /** One finished path of each different answer, those with the most samples first; what gives no answer stands for itself. */
  #candidates(tree: Tree, count: number): Node[] {
    const finished = this.#attempts(tree, count).filter(isComplete);
    const groups = [...Map.groupBy(finished, (node) => meaningOf(node) ?? node.key).values()];
    return groups.sort((a, b) => b.length - a.length).map(([first]) => first!);
  }

  #mannerOf(index: number): Manner {
    const { models, answerTokens: maxTokens } = this.#options;
    return named({ stops: [], maxTokens }, models[index % Math.max(1, models.length)]);
  }
}

function inquiry({ probe, shown }: Match, judge: string | undefined) {
  const manner: Manner = { stops: ['\n'], maxTokens: verdictTokens, sources: shown.map(({ key }) => key) };
  return { index: probe, sampling: greedySampling, manner: named(manner, judge) };
}

function named(manner: Manner, model: string | undefined): Manner {
  return model === undefined ? manner : { ...manner, model };
}

function advance(tree: Tree, strand: Strand): void {
  const [next] = strand.landed;
  if (next === undefined) tree.record({ type: 'closed', strand: strand.id, closing: 'failed' });
  else follow(tree, strand, next);
}
