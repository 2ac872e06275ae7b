import { createBeam } from '../../src/program/beam.ts';
import { createBestOfN, createGreedy, createSelfConsistency } from '../../src/program/best-of-n.ts';
import { createDvts } from '../../src/program/dvts.ts';
import { createMcts } from '../../src/program/mcts/mcts.ts';
import { createRebase } from '../../src/program/rebase.ts';
import { testProgram } from './program.ts';

testProgram('mcts (PUCT)', () => createMcts({ rollouts: 8 }));
testProgram('mcts (UCT)', () => createMcts({ rollouts: 8, selection: 'uct', branching: 2 }));
testProgram('mcts (lazy)', () => createMcts({ rollouts: 12, expansion: 'lazy', branching: 3 }));
testProgram('mcts (lazy, UCT)', () => createMcts({ rollouts: 12, expansion: 'lazy', selection: 'uct', widening: 0.4 }));
testProgram('beam', () => createBeam({ beams: 3, candidates: 3 }));
testProgram('dvts', () => createDvts({ subtrees: 3, candidates: 2 }));
testProgram('rebase', () => createRebase({ paths: 6, balance: 0.2 }));
testProgram('best-of-n', () => createBestOfN({ samples: 5 }));
testProgram('self-consistency', () => createSelfConsistency({ samples: 5 }));
testProgram('self-consistency (window)', () => createSelfConsistency({ samples: 5, window: 2 }));
testProgram('greedy', () => createGreedy());
