// rStar (Qi et al., arXiv 2408.06195, §3.2): MCTS over actions with prompts of their own, without a verifier. The actions are one step; the
// rest of the solution; a smaller question with its answer; the same question again (only after one); the question rephrased (only at the
// root). A rollout follows random children to the end of its path. Its value is the share of all answers so far that agree with its own.

import { defaultsOf, type Knobs, type OptionsOf } from '@coppice/core/base';
import {
  answerTokensKnob,
  defineProgram,
  type MctsOptions,
  mctsDefaults,
  type Play,
  type Program,
  playMcts,
} from '@coppice/core/program';
import { agreeing, type Manner, type Node, type Tree } from '@coppice/core/tree';

const rstarKnobs = {
  answerTokens: answerTokensKnob,
} as const satisfies Knobs;

/** c of UCT: the authors' 2, for a formula without their factor 2 under the root. */
const exploration = 1.4;

const actions = ['action-step', 'action-finish', 'action-ask', 'action-again', 'action-rephrase'] as const;
type Action = (typeof actions)[number];

interface RstarOptions
  extends Pick<MctsOptions, 'rollouts' | 'branching' | 'maxDepth' | 'maxPathTokens' | 'sampling'>,
    OptionsOf<typeof rstarKnobs> {
  /** Prompt of each action, appended to the path. */
  readonly prompts: Readonly<Record<Action, string>>;
}

export const rstar = defineProgram({
  name: 'rstar',
  summary:
    'MCTS over actions (a step, the rest, a smaller question, it again, the question in other words); needs no verifier',
  needsVerifier: false,
  expandsOnce: true,
  takesTemperature: true,
  options: rstarKnobs,
  prompts: actions,
  create: ({ rollouts, branching, maxDepth, maxPathTokens, sampling, prompts }, options) =>
    createRstar({ rollouts, branching, maxDepth, maxPathTokens, sampling, prompts, ...options }),
});

const rstarDefaults: RstarOptions = {
  ...mctsDefaults,
  ...defaultsOf(rstarKnobs),
  prompts: {
    'action-step': '',
    'action-finish': '',
    'action-ask': 'Question:',
    'action-again': 'Once more:',
    'action-rephrase': 'In other words:',
  },
};

export function createRstar(given: Partial<RstarOptions> = {}): Program {
  const options = { ...rstarDefaults, ...given };
  const shape = { ...mctsDefaults, ...options, selection: 'uct', exploration, choose: 'majority' } as const;
  return playMcts(rstar, shape, playOf(options));
}

function playOf({ branching, answerTokens, prompts }: RstarOptions): Play {
  const mannerOf = (action: Action): Manner => {
    const suffix = prompts[action];
    return action === 'action-finish' ? { suffix, stops: [], maxTokens: answerTokens } : { suffix };
  };
  const choices = (node: Node) =>
    Array.from({ length: branching }, (_, index) => mannerOf(actionAt(node, index, branching)));
  return {
    manner: (node) => ({ choices: choices(node) }),
    // Children are ordered by key, which is a hash: the first is a random one.
    next: ([first]) => first,
    worth: shareAgreeing,
  };
}

/** Draws of a node go through its open actions in turn. */
function actionAt(node: Node, index: number, branching: number): Action {
  const open: Action[] = ['action-step', 'action-finish', 'action-ask'];
  if (node.parent === undefined) open.push('action-rephrase');
  else if (actionAt(node.parent, firstIndex(node), branching) === 'action-ask') open.push('action-again');
  return open[index % open.length]!;
}

/** The lowest child index that produced this node. */
function firstIndex(node: Node): number {
  const draws = [...(node.parent?.byIndex ?? [])].filter(([, child]) => child === node);
  return Math.min(...draws.map(([index]) => index));
}

/** Share of the tree's answers, this node's included, that agree with this node's. */
function shareAgreeing(tree: Tree, node: Node): number {
  const { same, all } = agreeing(tree, node) ?? { same: 0, all: 1 };
  return same / all;
}
