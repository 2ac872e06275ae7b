// A long chain of thought with probes (P1 §6.7): every so many tokens a probe asks the model for its answer so far, and the chain ends when the last
// answers agree. `entropy` draws one token instead and reads its entropy (EAT, arXiv 2509.26522); once that is stable, a probe asks for the answer.
// Probes are no part of the chain, which waits for each; meanwhile speculation grows the next step. Inside a model's thinking, a probe closes the
// thinking first, a step is as long as the distance between probes, and a chain that is certain ends its thinking and gives its answer.

import { AnswerTally, canonical } from '@coppice/core/answer';
import { defaultsOf, type Knobs, type OptionsOf } from '@coppice/core/base';
import type { Answer } from '@coppice/core/log';
import {
  type Ask,
  askBelow,
  askProbe,
  bestAnswer,
  type Doomed,
  defineProgram,
  type Expansion,
  endThinking,
  foldOutcome,
  followLanded,
  freeIndex,
  type GrowthLimits,
  isInThought,
  type Outcome,
  openAt,
  type PathLimits,
  type Program,
  type ProgramThinking,
  readyStrand,
} from '@coppice/core/program';
import {
  type Belief,
  type Conclusion,
  greedySampling,
  type Manner,
  type Node,
  type ProbeReply,
  pathText,
  pathTo,
  type Sampling,
  type Tree,
} from '@coppice/core/tree';

const chainKnobs = {
  probe: {
    default: 'answer',
    values: ['answer', 'entropy', 'off'],
    client: 'coppice',
    unit: 'what is asked',
    why: "its paper asks for the answer; 'entropy' costs one token and needs an engine that tells entropies; 'off' lets the chain run to its end",
  },
  probeEvery: {
    default: 64,
    low: 1,
    high: 100_000,
    whole: true,
    client: 'coppice',
    unit: 'tokens',
    why: "asked at the first end of a step so many tokens after the last probe: the authors' middle setting",
  },
  probeAgree: {
    default: 3,
    low: 2,
    high: 1000,
    whole: true,
    client: 'coppice',
    unit: 'probes',
    why: "probes in a row that must agree, or entropies before their variance is read: the authors' middle setting",
  },
} as const satisfies Knobs;

/** Beginnings of sentences that the model completes. */
interface ChainPrompts {
  readonly probe: string;
  readonly 'probe-entropy': string;
}

export interface ChainOptions extends GrowthLimits, OptionsOf<typeof chainKnobs> {
  /** Token limit of an answer in a probe; doubled after each answer that was cut, up to 16 times. */
  readonly probeTokens: number;
  /** Running variance of `entropy` below which the model counts as decided, in square nats. */
  readonly probeVariance: number;
  readonly sampling: Sampling;
  readonly prompts: ChainPrompts;
  readonly thinking?: ProgramThinking | undefined;
}

export const chain = defineProgram({
  name: 'chain',
  summary: 'one long chain of thought, asked for its answer in the middle; ends where the answers agree (P1 §6.7)',
  needsVerifier: false,
  expandsOnce: true,
  takesTemperature: true,
  options: chainKnobs,
  prompts: ['probe', 'probe-entropy'],
  readsEntropy: ({ probe }) => probe === 'entropy',
  create: ({ maxDepth, maxPathTokens, sampling, prompts, thinking }, options) =>
    createChain({ maxDepth, maxPathTokens, sampling, prompts, thinking, ...options }),
});

/** The limit of 20 tokens is the authors'. */
const chainDefaults: ChainOptions = {
  ...defaultsOf(chainKnobs),
  probeTokens: 20,
  probeVariance: 0.01,
  maxDepth: 400,
  sampling: { temperature: 0.6 },
  prompts: { probe: 'The final answer is', 'probe-entropy': '</think>' },
};

export function createChain(given: Partial<ChainOptions> = {}): Program {
  return new Chain({ ...chainDefaults, ...given });
}

/** An answer ends at the end of its line or sentence. */
const answerStops = ['\n', '. '];
/** Most doublings of a probe's token limit. */
const mostDoublings = 4;
/** Weight of the newest entropy in the running mean and variance. */
const newestWeight = 0.2;
/** Whole words only, so that `another` does not count as hesitation. */
const hesitation = /\b(?:wait|hold on|hmm|not sure|unsure|unclear)\b/i;

const answerProbe = 0;
const entropyProbe = 1;

class Chain implements Program {
  readonly name = 'chain';
  readonly needsVerifier = false;
  readonly expandsOnce = true;
  readonly naturalWidth = 1;
  readonly paths: PathLimits;
  readonly #options: ChainOptions;

  constructor(options: ChainOptions) {
    this.paths = options;
    this.#options = options;
  }

  ask(tree: Tree, mayOpen: boolean, doomed?: Doomed): Ask | undefined {
    const tip = tipOf(tree);
    const opens = mayOpen && isOpen(tree, tip) && !doomed?.(tip);
    const strand = readyStrand(tree, followLanded) ?? (opens ? openAt(tree, tip) : undefined);
    if (strand === undefined) return undefined;
    const probe = this.#probeDue(strand.node);
    if (probe !== undefined) return askProbe(tree, strand, { ...probe, sampling: greedySampling });
    return askBelow(tree, strand, [freeIndex(strand.node)], this.#options.sampling, this.#move(strand.node));
  }

  tell(tree: Tree, outcome: Outcome): boolean {
    const strand = foldOutcome(tree, outcome, this.#options);
    if (strand !== undefined) followLanded(tree, strand);
    return outcome.probe === true || strand !== undefined;
  }

  /** Only the next step below the tip: a later one depends on its text. */
  foresee(tree: Tree, count: number): Expansion[] {
    const tip = tipOf(tree);
    if (count < 1 || !isOpen(tree, tip)) return [];
    return [{ node: tip, indices: [freeIndex(tip)], sampling: this.#options.sampling, manner: this.#move(tip) }];
  }

  demand(): number {
    return 1;
  }

  /** Counts the answers of probes. They are no votes, since they depend on each other. */
  belief(tree: Tree): Belief {
    const certainty = (upTo?: number) => {
      const tally = new AnswerTally();
      const answers = answersAlong(tipOf(tree)).flatMap(({ answer }) => answer ?? []);
      for (const answer of answers.slice(0, upTo)) tally.add({ answer });
      return { answers: tally.answers, agreement: tally.agreement };
    };
    return { votes: () => [], certainty, conclusion: () => this.#conclusion(tree) };
  }

  #conclusion(tree: Tree): Conclusion | undefined {
    const tip = tipOf(tree);
    // A thinking chain that is certain does not end here: it still has to give its answer.
    if (tree.best !== undefined || tip.thoughtTokens > 0 || !this.#isCertain(tip)) return undefined;
    const { probeTokens, tokens } = tree;
    return {
      rule: this.#options.probe === 'entropy' ? 'entropy' : 'probes',
      evidence: { agreeing: this.#needed, probeTokens, tokens },
    };
  }

  get #needed(): number {
    return this.#options.probe === 'entropy' ? 1 : this.#options.probeAgree;
  }

  #isCertain(node: Node): boolean {
    const last = answersAlong(node).slice(-this.#needed);
    return last.length >= this.#needed && agree(last);
  }

  /** How the next step is drawn: inside the thinking up to the next probe, or the end of the thinking. */
  #move(node: Node): Manner | undefined {
    const { thinking, probe, probeEvery } = this.#options;
    if (!isInThought(node, thinking)) return undefined;
    if (probe !== 'off' && this.#isCertain(node)) return endThinking(thinking);
    return probe === 'off' ? undefined : { maxTokens: probeEvery };
  }

  /** Text before a probe's own words; closes the thinking if the node is inside it. */
  #probePrefix(node: Node): string {
    const { thinking } = this.#options;
    return isInThought(node, thinking) ? `\n${thinking.close}\n\n` : '';
  }

  /** The answer of the finished chain, or else of the last probe. */
  answer(tree: Tree): Answer | undefined {
    const asked = pathTo(tipOf(tree)).findLast((node) => node.probes?.get(answerProbe)?.answer !== undefined);
    const reply = asked?.probes?.get(answerProbe);
    if (tree.best !== undefined || asked === undefined || reply === undefined) return bestAnswer(tree);
    const text = pathText(asked) + this.#probePrefix(asked) + this.#options.prompts.probe + reply.text;
    const complete = this.#conclusion(tree) !== undefined;
    return { node: asked.id, text, answer: reply.answer, score: undefined, complete };
  }

  /** The probe that this node needs before the chain continues. */
  #probeDue(node: Node): { readonly index: number; readonly manner: Manner } | undefined {
    const { probe, probeEvery, thinking } = this.#options;
    // After the thinking comes the answer itself: no probe is needed.
    if (node.thoughtTokens > 0 && !isInThought(node, thinking)) return undefined;
    if (probe === 'off' || node.depth === 0 || node.probes?.has(answerProbe)) return undefined;
    if (node.probes === undefined && tokensSinceProbe(node) < probeEvery) return undefined;
    if (probe === 'answer') return { index: answerProbe, manner: this.#answerManner(node) };
    const suffix = this.#probePrefix(node) || this.#options.prompts['probe-entropy'];
    if (node.probes === undefined)
      return { index: entropyProbe, manner: { suffix, stops: [], maxTokens: 1, entropy: true } };
    return this.#isEntropyStable(node) ? { index: answerProbe, manner: this.#answerManner(node) } : undefined;
  }

  #answerManner(node: Node): Manner {
    const { prompts, probeTokens } = this.#options;
    const cut = answersAlong(node).filter(({ whole }) => !whole).length;
    const suffix = this.#probePrefix(node) + prompts.probe;
    return { suffix, stops: answerStops, maxTokens: probeTokens * 2 ** Math.min(cut, mostDoublings) };
  }

  /** True if the running variance of the entropies, corrected for its start at 0, is below its bound. */
  #isEntropyStable(node: Node): boolean {
    const entropies = pathTo(node).flatMap(({ probes }) => probes?.get(entropyProbe)?.entropy ?? []);
    const { probeAgree, probeVariance } = this.#options;
    if (entropies.length < probeAgree) return false;
    let [mean, variance] = [entropies[0]!, 0];
    for (const entropy of entropies.slice(1)) {
      mean += newestWeight * (entropy - mean);
      variance += newestWeight * ((entropy - mean) ** 2 - variance);
    }
    return variance / (1 - (1 - newestWeight) ** (entropies.length - 1)) < probeVariance;
  }
}

/** True if every reply states the same answer. A cut, failed, empty or hesitant reply agrees with none. */
function agree(replies: readonly ProbeReply[]): boolean {
  const answers = replies.map(({ answer, text }) => (hesitation.test(text) ? undefined : answer));
  return answers.every((answer) => answer !== undefined) && new Set(answers.map((each) => canonical(each!))).size === 1;
}

const failedReply: ProbeReply = { text: '', tokens: 0, whole: true };

/** Replies along a path, first to last. */
function answersAlong(node: Node): ProbeReply[] {
  return pathTo(node).flatMap(({ probes }) =>
    probes?.has(answerProbe) ? [probes.get(answerProbe) ?? failedReply] : [],
  );
}

function tokensSinceProbe(node: Node): number {
  let at: Node | undefined = node;
  while (at !== undefined && at.probes === undefined) at = at.parent;
  return node.pathTokens - (at?.pathTokens ?? 0);
}

function tipOf({ root }: Tree): Node {
  let at = root;
  while (at.children[0] !== undefined) at = at.children[0];
  return at;
}

function isOpen({ strands, closed }: Tree, tip: Node): boolean {
  return strands.size === 0 && !tip.terminal && closed.pruned === 0;
}
