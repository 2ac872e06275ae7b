// A vote over recorded samples under rules that end samples, or the search, early: the product's own program asks for the steps, its own rules judge
// them when they come, and its own choice gives the answer. Time is told in tokens: each open sample brings one at a time. What a sample had
// generated when it was ended counts.

import { pruningsOf } from '@coppice/core/exit';
import { type Choice, certainAnswer, createSelfConsistency } from '@coppice/core/program';
import { Tree } from '@coppice/core/tree';
import type { SearchView } from 'coppice';
import { certaintyExits } from '../lost/certainty.ts';
import { pruneConfidence } from '../lost/deepconf.ts';
import type { VotedSample } from './recorded-votes.ts';

export interface VoteRules {
  /** Samples that are open at a time. */
  readonly open: number;
  readonly deepconf?: { readonly keep: number; readonly window: number; readonly warmup: number } | undefined;
  /** ε of a lead that ends it. */
  readonly leadRisk?: number | undefined;
  /** By how sure the model was (`confident`), or one vote each: by its rewards where samples are scored. */
  readonly choose: Extract<Choice, 'vote' | 'confident'>;
  /** Samples have their rewards, as with a verifier. */
  readonly scored?: boolean;
}

export interface ReplayedVote {
  readonly right: boolean;
  /** Generated. */
  readonly tokens: number;
  /** How long it took, in tokens of one sample after the other. */
  readonly time: number;
  /** Samples that came to their end. */
  readonly ended: number;
}

interface OpenStep {
  readonly strand: number;
  readonly node: number;
  readonly index: number;
  readonly sample: number;
  readonly step: number;
  readonly began: number;
  readonly lands: number;
}

export function replayVote(samples: readonly VotedSample[], rules: VoteRules): ReplayedVote {
  const { open, deepconf, leadRisk, choose, scored = false } = rules;
  const tree = Tree.plant(scored ? 'last' : 'product');
  const maxDepth = Number.MAX_SAFE_INTEGER;
  const program = createSelfConsistency({ samples: samples.length, window: open, maxDepth, choose });
  const prune =
    deepconf &&
    pruneConfidence({
      keepConfident: deepconf.keep,
      confidentWindow: deepconf.window,
      confidentWarmup: deepconf.warmup,
    });
  const lead = certaintyExits.find(({ name }) => name === 'lead')!;
  const exit = leadRisk === undefined ? undefined : lead.make({ certainRisk: leadRisk });
  const belief = program.belief!(tree);
  const limits = { threshold: 1, rollouts: samples.length };
  const view: SearchView = { tree, belief, limits, nowMs: 0, arrivalMs: 0, admittedMs: 0 };
  const places = new Map<number, { readonly sample: number; readonly step: number }>();
  let flights: OpenStep[] = [];
  let now = 0;
  let tokens = 0;
  for (;;) {
    askAll();
    const next = flights.reduce<OpenStep | undefined>(
      (first, each) => (first && first.lands <= each.lands ? first : each),
      undefined,
    );
    if (next === undefined) return ended(program.answer(tree)?.answer);
    now = next.lands;
    flights = flights.filter((flight) => flight !== next);
    land(next);
    for (const { strand } of prune === undefined ? [] : pruningsOf(prune, view)) {
      tree.record({ type: 'closed', strand, closing: 'pruned' });
      for (const flight of flights) tokens += flight.strand === strand ? now - flight.began : 0;
      flights = flights.filter((flight) => flight.strand !== strand);
    }
    const found = exit?.check(view);
    if (found !== undefined) {
      for (const { began } of flights) tokens += now - began;
      const { node } = found.evidence;
      return ended((typeof node === 'number' ? certainAnswer(tree, node) : program.answer(tree))?.answer);
    }
  }

  function askAll(): void {
    for (let ask = program.ask(tree, true); ask !== undefined; ask = program.ask(tree, true)) {
      const [index] = ask.indices;
      const before = places.get(ask.node.id);
      const sample = before?.sample ?? index!;
      const step = before === undefined ? 0 : before.step + 1;
      const lands = now + samples[sample]!.steps[step]!.tokens;
      flights.push({ strand: ask.strand, node: ask.node.id, index: index!, sample, step, began: now, lands });
    }
  }

  function land({ node, index, sample, step: at }: OpenStep): void {
    const { steps, answer } = samples[sample]!;
    const { tokens: drawn, confidences, reward } = steps[at]!;
    tokens += drawn;
    const isLast = at === steps.length - 1;
    // Samples that begin alike stay apart: each is its own draw.
    const text = `${sample}.${at}`;
    const step = { text, tokens: drawn, meanLogprob: 0, end: isLast ? 'eos' : 'delimiter', confidences } as const;
    places.set(tree.nextNode, { sample, step: at });
    const said = isLast ? answer : undefined;
    // Answers are in one spelling already: their number spares the rules from reading them again at every look.
    const group = said === undefined ? undefined : samples.findIndex((each) => each.answer === said) + 1;
    const told = { reward: scored ? reward : undefined, answer: said, group };
    program.tell(tree, { ok: true, node, index, form: 0, step, ...told });
  }

  function ended(answer: string | undefined): ReplayedVote {
    const right = samples.some((each) => each.right && each.answer !== undefined && each.answer === answer);
    return { right, tokens, time: now, ended: tree.closed.completed };
  }
}
