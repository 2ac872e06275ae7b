// rStar (Qi et al., arXiv 2408.06195, §3.2): MCTS whose children are different actions, each put to the model in words of its own, and
// which needs no verifier. The actions: one step; the rest of the solution at once; a smaller question with its answer; that
// question once more (only behind one); the question put another way (only at the root). A rollout follows a child by chance
// to the end of its path and is worth the share of all answers found so far that agree with its own.

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

/** c of UCT: the authors' 2 in a formula without the 2 under the root. */
const exploration = 1.4;

const actions = ['action-step', 'action-finish', 'action-ask', 'action-again', 'action-rephrase'] as const;
type Action = (typeof actions)[number];

interface RstarOptions
  extends Pick<MctsOptions, 'rollouts' | 'branching' | 'maxDepth' | 'maxPathTokens' | 'sampling'>,
    OptionsOf<typeof rstarKnobs> {
  /** What stands behind the path when an action is asked for. */
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
    // Children stand in the order of their keys, which are hashes: the first is one by chance.
    next: ([first]) => first,
    worth: shareAgreeing,
  };
}

/** The draws of a node are shared out among the actions that are open to it, in turn. */
function actionAt(node: Node, index: number, branching: number): Action {
  const open: Action[] = ['action-step', 'action-finish', 'action-ask'];
  if (node.parent === undefined) open.push('action-rephrase');
  else if (actionAt(node.parent, firstIndex(node), branching) === 'action-ask') open.push('action-again');
  return open[index % open.length]!;
}

/** The lowest index of those under which it was drawn: whichever came first. */
function firstIndex(node: Node): number {
  const draws = [...(node.parent?.byIndex ?? [])].filter(([, child]) => child === node);
  return Math.min(...draws.map(([index]) => index));
}

/** The share of the tree's answers that agree with the one at this node, which is one of them. */
function shareAgreeing(tree: Tree, node: Node): number {
  const { same, all } = agreeing(tree, node) ?? { same: 0, all: 1 };
  return same / all;
}
