// A program whose last answer sees the earlier ones: it draws some whole attempts, then one more. The last one's manner names the
// attempts as `sources`, and `{attempts}` in its suffix stands for them.

import {
  askBelow,
  defineProgram,
  foldOutcome,
  follow,
  type Manner,
  openAt,
  openModel,
  type Program,
  pathText,
  type Strand,
  search,
  type Tree,
} from 'coppice';

function advance(tree: Tree, strand: Strand): void {
  const [next] = strand.landed;
  if (next === undefined) tree.record({ type: 'closed', strand: strand.id, closing: 'failed' });
  else follow(tree, strand, next);
}

/** The attempts that have arrived, in the order of their indices. */
function attemptsOf(tree: Tree, count: number) {
  return Array.from({ length: count }, (_, index) => tree.root.byIndex?.get(index)).filter(
    (node) => node !== undefined,
  );
}

const words = '\n{attempts}\n\nWith these in mind:\n';

const secondLook = defineProgram({
  name: 'second-look',
  summary: 'some attempts, then one answer that was written with them in view',
  needsVerifier: false,
  expandsOnce: false,
  takesTemperature: true,
  options: {
    attempts: { default: 3, low: 1, high: 16, whole: true, unit: 'answers', why: 'what the last one sees' },
  },
  create: ({ sampling, ...limits }, { attempts }): Program => ({
    name: 'second-look',
    needsVerifier: false,
    expandsOnce: false,
    naturalWidth: 1,
    demand: () => 1,
    ask(tree, mayOpen) {
      const seen = attemptsOf(tree, attempts);
      const index = seen.length;
      if (!mayOpen || tree.strands.size > 0 || tree.root.byIndex?.has(index)) return undefined;
      const whole: Manner = { stops: [], maxTokens: 512 };
      const manner = index < attempts ? whole : { ...whole, suffix: words, sources: seen.map(({ key }) => key) };
      return askBelow(tree, openAt(tree, tree.root), [index], sampling, manner);
    },
    tell(tree, outcome) {
      const strand = foldOutcome(tree, outcome, limits);
      if (strand !== undefined) advance(tree, strand);
      return strand !== undefined;
    },
    foresee: () => [],
    answer(tree) {
      const node = tree.root.byIndex?.get(attempts) ?? tree.root.byIndex?.get(0);
      if (node === undefined) return undefined;
      const { answer, score, terminal } = node;
      return { node: node.id, answer, text: pathText(node), score, complete: terminal };
    },
  }),
});

const model = await openModel({ engine: { kind: 'sim', speed: 100 } });
const { program, tree } = await search('a question', { model, program: secondLook, rollouts: 4 });
console.log(`${program}: ${tree.closed.completed} answers, the last with ${attemptsOf(tree, 3).length} before it`);
await model.close();
