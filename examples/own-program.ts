// A program of your own: looks at a few first steps, keeps the best one, and draws whole paths below it alone. A program is
// pure: it changes the tree only by recording events, so that it can resume from a log.

import { programCases, prove } from '@coppice/core/testing';
import {
  askBelow,
  chosenAnswer,
  defineProgram,
  foldOutcome,
  follow,
  freeIndices,
  openAt,
  openModel,
  type Program,
  readyStrand,
  type Strand,
  search,
  type Tree,
} from 'coppice';

/** Moves the strand to the best of the children that it waited for. */
function advance(tree: Tree, strand: Strand): void {
  const [best] = [...strand.landed].sort((a, b) => (b.reward ?? 0) - (a.reward ?? 0));
  if (best === undefined) tree.record({ type: 'closed', strand: strand.id, closing: 'failed' });
  else follow(tree, strand, best);
}

const firstStep = defineProgram({
  name: 'first-step',
  summary: 'the best of some first steps, then single paths below it',
  needsVerifier: true,
  expandsOnce: false,
  takesTemperature: true,
  options: {
    openings: { default: 4, low: 1, high: 64, whole: true, unit: 'steps', why: 'first steps to choose from' },
  },
  create: ({ rollouts, sampling, choose, ...limits }, { openings }): Program => ({
    name: 'first-step',
    needsVerifier: true,
    expandsOnce: false,
    naturalWidth: 1,
    demand: () => 1,
    ask(tree, mayOpen) {
      const ready = readyStrand(tree, advance);
      if (ready !== undefined) {
        const count = ready.node.depth === 0 ? openings : 1;
        return askBelow(tree, ready, freeIndices(ready.node, count), sampling);
      }
      if (!mayOpen || tree.strands.size > 0 || tree.closed.completed >= rollouts) return undefined;
      const [best] = [...tree.root.children].sort((a, b) => b.score - a.score);
      const strand = openAt(tree, best === undefined || best.terminal ? tree.root : best);
      return askBelow(tree, strand, freeIndices(strand.node, strand.node.depth === 0 ? openings : 1), sampling);
    },
    tell(tree, outcome) {
      const strand = foldOutcome(tree, outcome, limits);
      if (strand !== undefined) advance(tree, strand);
      return strand !== undefined;
    },
    foresee: () => [],
    answer: (tree) => chosenAnswer(tree, choose),
  }),
});

const model = await openModel({ engine: { kind: 'sim', speed: 100 }, verifier: { kind: 'sim' }, threshold: 0.65 });
const programOptions = { openings: 6 };
const found = await search('a question', { model, program: firstStep, programOptions, policy: 'vanilla', rollouts: 5 });
const { exit, program, rollouts, tree } = found;
console.log(`${program}: ${exit.kind}, ${tree.root.children.length} openings, ${rollouts} paths`);
await model.close();

const size = { rollouts: 4, branching: 4, maxDepth: 40, sampling: { temperature: 0.8 }, choose: 'best' } as const;
await prove(programCases(() => firstStep.create(size, { openings: 3 })));
