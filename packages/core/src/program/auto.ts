// Samples that vote, drawn while another is worth its price (tree/readings/worth.ts): two first, then waves of half of what the rule
// expects to need, never more than the rollouts. Where they disagree and that is worth it, the judge reads some of them. The exit
// `worth` ends the search; what it does next follows from the tree alone.

import type { Answer } from '../log/end.ts';
import type { Node } from '../tree/node.ts';
import { nextBeginning, readingIndex, scoreOf, wasRead } from '../tree/readings/branching.ts';
import { type Belief, countedBelief, sampleVotes } from '../tree/readings/certaindex.ts';
import { allEnds, courseOf, type SampleCourse, SampleVote, worthConstants } from '../tree/readings/worth.ts';
import type { Tree } from '../tree/tree.ts';
import { Samples, type SamplesOptions, samplesDefaults, samplesShape } from './best-of-n.ts';
import { bestAnswer, described } from './choice.ts';
import { defineProgram } from './definition.ts';
import { askBelow, askProbe, foldOutcome, freeIndex, openAt } from './growth.ts';
import type { Ask, Doomed, Outcome, Program } from './program.ts';

interface AutoOptions extends SamplesOptions {
  /** Words of the user's side about a turn that means nothing, with `{turn}` in its place. */
  readonly repair?: string | undefined;
}

export function createAuto(options: Partial<AutoOptions> = {}): Program {
  const all = { ...samplesDefaults, ...options, window: 0, choose: 'majority' } as const;
  return new Auto(all);
}

export const auto = defineProgram({
  ...samplesShape,
  name: 'auto',
  summary: 'samples that vote, as many as are worth their price: reasoning_effort sets it',
  needsVerifier: false,
  isPriced: true,
  takesTemperature: true,
  options: {},
  create: ({ rollouts: samples, branching: _, prompts, ...size }) => {
    const { repair } = (prompts ?? {}) as Readonly<Record<string, string>>;
    return createAuto({ ...size, samples, repair });
  },
});

class Auto extends Samples {
  readonly #repair: string;

  constructor({ repair = '', ...options }: AutoOptions) {
    super('auto', false, options, worthConstants.firstWave);
    this.#repair = repair;
  }

  override ask(tree: Tree, mayOpen: boolean, doomed?: Doomed): Ask | undefined {
    closeRead(tree);
    if (tree.strands.size === 0 && this.#course(tree).repairs) return mayOpen ? this.#askRepair(tree) : undefined;
    const drawn = super.ask(tree, mayOpen, doomed);
    if (drawn !== undefined || !mayOpen) return drawn;
    const reading = new Set([...tree.strands.values()].map(({ node }) => node));
    const next = this.#course(tree).unread.find((node) => !reading.has(node));
    const { sampling } = this.options;
    return next && askProbe(tree, openAt(tree, next), { index: readingIndex, sampling, manner: { read: true } });
  }

  override tell(tree: Tree, outcome: Outcome): boolean {
    if (!outcome.probe) return super.tell(tree, outcome);
    foldOutcome(tree, outcome, this.options);
    closeRead(tree);
    return true;
  }

  protected override beginning(tree: Tree): Node {
    return nextBeginning(tree);
  }

  override demand(tree: Tree): number {
    return Math.max(super.demand(tree), this.#course(tree).unread.length);
  }

  /** A new sample of the same conversation, with what was wrong at its end. */
  #askRepair(tree: Tree): Ask {
    const sources = allEnds(tree)
      .slice(0, 1)
      .map(({ key }) => key);
    const manner = { byUser: true, suffix: this.#repair, sources } as const;
    return askBelow(tree, openAt(tree, tree.root), [freeIndex(tree.root)], this.options.sampling, manner);
  }

  protected override wanted(tree: Tree): number {
    return this.#course(tree).wanted;
  }

  #course(tree: Tree): SampleCourse {
    return courseOf(tree, this.options.samples);
  }

  override belief(tree: Tree): Belief {
    return countedBelief(() => sampleVotes(tree), 'none');
  }

  override answer(tree: Tree): Answer | undefined {
    const vote = new SampleVote(tree.terms?.judge);
    for (const end of allEnds(tree)) vote.add(end);
    vote.depth = this.#course(tree).depth;
    const [first, ...others] = vote.ranked;
    if (first === undefined) return bestAnswer(tree);
    const { ends } = first;
    const best = ends.reduce((one, other) => ((scoreOf(other) ?? 0) > (scoreOf(one) ?? 0) ? other : one));
    const votes = others.reduce((sum, each) => sum + each.ends.length, ends.length);
    return { ...described(best), score: scoreOf(best), support: ends.length / votes };
  }
}

/** A strand that had a path read has done its work; it was no sample. */
function closeRead(tree: Tree): void {
  for (const { id, start, node, awaiting, landed, probing } of [...tree.strands.values()]) {
    const isFree = start === node && awaiting + landed.length === 0 && probing === undefined;
    if (isFree && wasRead(node)) tree.record({ type: 'closed', strand: id, closing: 'ended' });
  }
}
