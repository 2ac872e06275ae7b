// Tree of thoughts, breadth-first (Yao et al. 2023; P2 Algorithm 2 and appendix D). Every state of a level gets several next thoughts. `sample`
// draws each by itself; `propose` draws one list of all, so that they differ. The best states, by the verifier's value of the newest
// thought, continue. After the last level the best state is written to its end.

import { defaultsOf, type Knobs, type OptionsOf } from '@coppice/core/base';
import { answerTokensKnob, defineProgram, type Program } from '@coppice/core/program';
import { byKey, type Manner, type Node, namedSteps, type ProbeDraw } from '@coppice/core/tree';
import type { LevelParent } from '../levels/level-parents.ts';
import { type LevelOptions, levelDefaults, levelShape, type NextLevel, rolloutsPerBeam } from '../levels/level-rule.ts';
import { growLevels } from '../levels/levels.ts';

const totKnobs = {
  generator: {
    default: 'sample',
    values: ['sample', 'propose'],
    client: 'coppice',
    unit: 'way',
    why: "how tot comes by thoughts: 'sample' draws each by itself, as P2 does; 'propose' asks once for a list of them, for a model that follows instructions",
  },
  thoughtSteps: {
    default: 3,
    low: 1,
    high: 100,
    whole: true,
    client: 'coppice',
    unit: 'thoughts',
    why: 'on a path of tot before its answer is written: P2 takes 3 for word problems, 1 for creative writing, 6 for blocks world',
  },
  answerTokens: answerTokensKnob,
} as const satisfies Knobs;

/** Longest list of thoughts in tokens, at some lines each. A list that is cut loses its last thought. */
const proposalTokens = 512;

export interface TotOptions extends LevelOptions, OptionsOf<typeof totKnobs> {
  /** b: states of a level that continue. */
  readonly breadth: number;
  /** n: thoughts below each state. */
  readonly thoughts: number;
  readonly prompts: TotPrompts;
}

/** Texts after a path that ask for one sampled thought and for a list; `{count}` is the list's length. */
interface TotPrompts {
  readonly thought: string;
  readonly propose: string;
}

/** 5 states is the authors' breadth; 3 thoughts is P2's number. */
const totDefaults: TotOptions = {
  ...levelDefaults,
  ...defaultsOf(totKnobs),
  breadth: 5,
  thoughts: 3,
  prompts: { thought: '', propose: 'Possible next steps ({count}):\n1.' },
};

export const tot = defineProgram({
  ...levelShape,
  name: 'tot',
  summary: 'tree of thoughts: several thoughts below each state, the best states by value go on (P2)',
  options: totKnobs,
  prompts: ['thought', 'propose'],
  create: ({ rollouts, branching: thoughts, ...size }, options) =>
    createTot({ ...size, ...options, breadth: Math.ceil(rollouts / rolloutsPerBeam), thoughts }),
});

export function createTot(given: Partial<TotOptions> = {}): Program {
  const asked = { ...totDefaults, ...given };
  // A shorter path has fewer thoughts, since its answer needs room.
  const options = { ...asked, thoughtSteps: Math.min(asked.thoughtSteps, asked.maxDepth - 1) };
  const { breadth, thoughts, thoughtSteps, generator } = options;
  const rule = {
    width: breadth,
    rootDraws: thoughts,
    next: (level: readonly LevelParent[], room: number) => bestStates(level, room, options),
    manner: (node: Node) => mannerBelow(node, options),
    ...(generator === 'propose' ? { list: (node: Node) => listBelow(node, options) } : {}),
  };
  return growLevels(tot, rule, { ...options, maxDepth: thoughtSteps + 1 });
}

/** The b best of all new states; after the last thought only the best one, which is written to its end. */
function bestStates(
  level: readonly LevelParent[],
  room: number,
  { thoughts, thoughtSteps }: Pick<TotOptions, 'thoughts' | 'thoughtSteps'>,
): NextLevel {
  const states = level
    .flatMap(({ node }) => node.children)
    .sort(byValue)
    .slice(0, room);
  const open = states.filter(({ terminal }) => !terminal);
  const isLast = open[0]?.depth === thoughtSteps;
  const going = isLast ? [{ node: open[0]!, draws: 1 }] : open.map((node) => ({ node, draws: thoughts }));
  return { finished: states.filter(({ terminal }) => terminal), going, room: going.length };
}

/** Sorts by the value of the newest thought: the verifier has seen the whole state when it scores it. */
function byValue(a: Node, b: Node): number {
  return (b.reward ?? 0) - (a.reward ?? 0) || byKey(a, b);
}

function mannerBelow({ depth }: Node, { thoughtSteps, answerTokens, prompts }: TotOptions): Manner | undefined {
  if (depth >= thoughtSteps) return { stops: [], maxTokens: answerTokens };
  return prompts.thought === '' ? undefined : { suffix: prompts.thought };
}

/** A first empty list is drawn again under another seed. After a second one thoughts are sampled. */
const mostLists = 2;

function listBelow(node: Node, { thoughts, thoughtSteps, prompts, sampling }: TotOptions): ProbeDraw | undefined {
  const index = node.probes?.size ?? 0;
  if (node.depth >= thoughtSteps || index >= mostLists || namedSteps(node).length > 0) return undefined;
  const suffix = prompts.propose.replaceAll('{count}', String(thoughts));
  return { index, sampling, manner: { suffix, stops: [], maxTokens: proposalTokens, proposed: true } };
}
