// Best-of-n by comparison: a judging model is shown two answers at a time, in both orders, until one wins the knockout of the different
// answers. A judge that prefers whatever stands first decides nothing. Answers that all agree are not judged. Without a verifier: a
// verdict is a probe at the root, so it is logged and made once.

import { meaningOf } from '@coppice/core/answer';
import type { Answer } from '@coppice/core/log';
import {
  type Ask,
  answersOf,
  askProbe,
  bestAnswer,
  certainAnswer,
  type Doomed,
  defineProgram,
  followLanded,
  hasWriter,
  landedOf,
  mayAsk,
  openAt,
  type Program,
  RootAnswers,
  readyStrand,
  votesOf,
  type WritingOptions,
  writerAt,
  writingDefaults,
  writingKnobs,
  writingOf,
  writingShape,
  writtenBy,
} from '@coppice/core/program';
import {
  greedySampling,
  isComplete,
  type Manner,
  type Node,
  type PathVote,
  pathText,
  type Tree,
} from '@coppice/core/tree';
import { knockout, type Match } from './knockout.ts';

/** `prompt` has `{first}` and `{second}` where the two stand; the model goes on with the number of the better one. */
interface PairwiseOptions extends WritingOptions {
  /** Names of the answering models; the search's own where empty. */
  readonly models: readonly string[];
  /** The judge; the search's own model where unset. */
  readonly judge?: string | undefined;
  /** Samples of all models together. */
  readonly samples: number;
}

const pairwiseDefaults: PairwiseOptions = {
  ...writingDefaults,
  models: [],
  samples: 15,
  prompt: '{first}\n\n{second}\n\n',
};

const verdictTokens = 8;

export const pairwise = defineProgram({
  ...writingShape,
  name: 'pairwise',
  summary:
    'independent samples, of which a judging model prefers one, two at a time and in both orders; needs no verifier',
  samplesIndependently: true,
  asksModels: true,
  options: writingKnobs,
  prompts: ['pairwise'],
  create: (size, options) => {
    const { rollouts, models = [], own, synthesizer: judge = own } = size;
    // One sample fewer: the last rollout would end the search before anything is compared.
    const samples = Math.max(1, rollouts - 1);
    return createPairwise({ ...writingOf(size, options, size.prompts.pairwise), models, judge, samples });
  },
});

export function createPairwise(given: Partial<PairwiseOptions> = {}): Program {
  return new Pairwise({ ...pairwiseDefaults, ...given });
}

class Pairwise extends RootAnswers implements Program {
  readonly name = 'pairwise';
  readonly samplesIndependently = true;
  readonly #options: PairwiseOptions;
  readonly #judges: readonly string[];

  constructor(options: PairwiseOptions) {
    super(options.samples, options.sampling);
    this.#options = options;
    this.#judges = options.judge === undefined ? [] : [...new Set([options.judge, ...options.models])];
  }

  /** Samples first, then comparisons. Only samples are foreseen: comparisons depend on them. */
  override ask(tree: Tree, mayOpen: boolean, doomed?: Doomed): Ask | undefined {
    for (let ready = readyStrand(tree, followLanded); ; ready = readyStrand(tree, followLanded)) {
      const [sample] = this.free(tree);
      const [match] = sample === undefined ? this.#open(tree) : [];
      if (sample === undefined && match === undefined) {
        if (ready === undefined) return undefined;
        tree.record({ type: 'closed', strand: ready.id, closing: 'ended' });
        continue;
      }
      if (!mayAsk(tree, ready, mayOpen, doomed)) return undefined;
      const strand = ready ?? openAt(tree, tree.root);
      if (match !== undefined) return askProbe(tree, strand, inquiry(match, writerAt(tree, this.#judges, 0)));
      return this.askFor(tree, strand, sample!);
    }
  }

  protected votes(tree: Tree): PathVote[] {
    return votesOf(answersOf(tree, 0, landedOf(tree, this.#options.samples)));
  }

  /** Leader of the knockout; before it has begun, the answer with the most samples. */
  answer(tree: Tree): Answer | undefined {
    const { leader } = knockout(this.#candidates(tree), tree.root.probes);
    return leader === undefined ? bestAnswer(tree) : certainAnswer(tree, leader.id);
  }

  compose(_tree: Tree, [first, second]: readonly Node[]): string {
    const { prompt } = this.#options;
    const shown = (node: Node | undefined) => (node ? pathText(node).trim() : '');
    const values: Readonly<Record<string, string>> = { first: shown(first), second: shown(second) };
    return prompt.replace(/\{(first|second)\}/g, (_, name: string) => values[name]!);
  }

  protected round(tree: Tree): number[] {
    if (!hasWriter(tree, this.#options.models)) return [];
    return Array.from({ length: this.#options.samples }, (_, at) => at);
  }

  protected mannerOf(tree: Tree, index: number): Manner {
    const { models, answerTokens: maxTokens } = this.#options;
    return writtenBy(writerAt(tree, models, index), { stops: [], maxTokens });
  }

  /** Open comparisons that no strand waits for; none before the last sample has come. */
  #open(tree: Tree): Match[] {
    const { samples } = this.#options;
    if (landedOf(tree, samples) < samples || !hasWriter(tree, this.#judges)) return [];
    const asked = new Set(Array.from(tree.strands.values(), ({ probing }) => probing?.index));
    const { open } = knockout(this.#candidates(tree), tree.root.probes);
    return open.filter(({ probe }) => !asked.has(probe));
  }

  /** One path of each different answer, those with the most samples first; paths without an answer count alone. */
  #candidates(tree: Tree): Node[] {
    const finished = answersOf(tree, 0, this.#options.samples).filter(isComplete);
    const groups = [...Map.groupBy(finished, (node) => meaningOf(node) ?? node.key).values()];
    return groups.sort((a, b) => b.length - a.length).map(([first]) => first!);
  }
}

function inquiry({ probe, shown }: Match, judge: string | undefined) {
  const manner: Manner = { stops: ['\n'], maxTokens: verdictTokens, sources: shown.map(({ key }) => key) };
  return { index: probe, sampling: greedySampling, manner: writtenBy(judge, manner) };
}
