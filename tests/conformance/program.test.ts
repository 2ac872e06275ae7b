import { createBeam } from '../../src/program/beam.ts';
import { createBestOfN, createGreedy, createSelfConsistency } from '../../src/program/best-of-n.ts';
import { createMcts } from '../../src/program/mcts/mcts.ts';
import { testProgram } from './program.ts';

testProgram('mcts (PUCT)', () => createMcts({ rollouts: 8 }));
testProgram('mcts (UCT)', () => createMcts({ rollouts: 8, selection: 'uct', branching: 2 }));
testProgram('mcts (lazy)', () => createMcts({ rollouts: 12, expansion: 'lazy', branching: 3 }));
testProgram('mcts (lazy, UCT)', () => createMcts({ rollouts: 12, expansion: 'lazy', selection: 'uct', widening: 0.4 }));
testProgram('beam', () => createBeam({ beams: 3, candidates: 3 }));
testProgram('best-of-n', () => createBestOfN({ samples: 5 }));
testProgram('self-consistency', () => createSelfConsistency({ samples: 5 }));
testProgram('greedy', () => createGreedy());
