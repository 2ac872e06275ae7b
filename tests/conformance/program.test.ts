import { createAuto } from '../../packages/core/src/program/auto.ts';
import { createBestFirst } from '../../packages/core/src/program/best-first/best-first.ts';
import { createBestOfN, createGreedy, createSelfConsistency } from '../../packages/core/src/program/best-of-n.ts';
import { createMcts } from '../../packages/core/src/program/mcts/mcts.ts';
import { createProgram } from '../../packages/core/src/program/registry/programs.ts';
import { createPanel } from '../../packages/core/src/program/whole-answers/panel.ts';
import { createBeam } from '../../packages/papers/src/levels/beam.ts';
import { createRebase } from '../../packages/papers/src/levels/rebase.ts';
import { createChain } from '../../packages/papers/src/programs/chain.ts';
import { createDvts } from '../../packages/papers/src/programs/dvts.ts';
import { createEts } from '../../packages/papers/src/programs/ets.ts';
import { createRest } from '../../packages/papers/src/programs/rest.ts';
import { createRstar } from '../../packages/papers/src/programs/rstar.ts';
import { createTot } from '../../packages/papers/src/programs/tot.ts';
import { createRefine } from '../../packages/papers/src/refine/refine.ts';
import { testProgram } from '../support/conformance.ts';

const small = { rollouts: 6, branching: 3, maxDepth: 40, sampling: { temperature: 1 }, choose: 'best' } as const;

testProgram('mcts (PUCT)', () => createMcts({ rollouts: 8 }));
testProgram('mcts (UCT)', () => createMcts({ rollouts: 8, selection: 'uct', branching: 2 }));
testProgram('best-first', () => createBestFirst({ rollouts: 12, branching: 3 }));
testProgram('rest', () => createRest({ rollouts: 8 }));
testProgram('rest (played by one step)', () => createRest({ rollouts: 6, playedSteps: 1, branching: 2 }));
testProgram('rstar', () => createRstar({ rollouts: 8 }));
testProgram('beam', () => createBeam({ beams: 3, candidates: 3 }));
testProgram('beam (by score, first steps apart)', () =>
  createBeam({ beams: 3, candidates: 3, spread: 'score', firstSteps: 2 }),
);
testProgram('tot', () => createTot({ breadth: 3, thoughts: 3 }));
testProgram('tot (sampled in words of its own)', () =>
  createTot({ breadth: 2, prompts: { thought: 'Next:', propose: '' } }),
);
testProgram('tot (proposals)', () => createTot({ breadth: 3, generator: 'propose' }));
testProgram('dvts', () => createDvts({ subtrees: 3, candidates: 2 }));
testProgram('rebase', () => createRebase({ paths: 6, balance: 0.2 }));
testProgram('rebase (in two rounds)', () => createRebase({ paths: 6, balance: 0.2, firstPaths: 3 }));
testProgram('ets', () => createEts({ paths: 6, balance: 0.2 }));
testProgram('best-of-n', () => createBestOfN({ samples: 5 }));
testProgram('self-consistency', () => createSelfConsistency({ samples: 5 }));
testProgram('self-consistency (window)', () => createSelfConsistency({ samples: 5, window: 2 }));
testProgram('auto', () => createAuto({ samples: 6 }));
testProgram('chain', () => createChain({ probeEvery: 3 }));
testProgram('chain (entropy)', () => createChain({ probeEvery: 1, probe: 'entropy' }));
testProgram('chain (no probe)', () => createChain({ probe: 'off' }));
testProgram('panel', () => createPanel({ models: ['small', 'big'], samples: 2, synthesizer: 'big' }));
testProgram('panel (of one)', () => createPanel({ samples: 4 }));
testProgram('greedy', () => createGreedy());
testProgram('refine', () => createRefine({ rollouts: 12 }));
testProgram('refine (two models)', () => createRefine({ rollouts: 8, models: ['small', 'big'] }));
testProgram('refine (beta)', () => createRefine({ rollouts: 8, posterior: 'beta', maxDepth: 3 }));
testProgram('tree-samples', () => createProgram('tree-samples', small));
testProgram('scored-tree-samples', () => createProgram('scored-tree-samples', small));
