// The baseline of a panel: every model answers as often as in a panel, all to the end, and then a synthesis of the attempts is written
// whether they agree or not, as in prototypes of panels. Draws have the names that `panel` uses, so that both can get the same samples. It never
// stops early; the reader of its tree decides whether the vote or the synthesis is its answer.

import { groupAnswers } from '@coppice/core/answer';
import {
  answersOf,
  certainAnswer,
  followLanded,
  landedOf,
  panel,
  shownAttempts,
  votesOf,
  writtenBy,
} from '@coppice/core/program';
import { saysSomething } from '@coppice/core/tree';
import {
  type Answer,
  askBelow,
  chosenAnswer,
  defineProgram,
  foldOutcome,
  type Manner,
  openAt,
  type Program,
  readyStrand,
  type Tree,
} from 'coppice';

export const runAll = defineProgram({
  name: 'run-all',
  summary: 'every model answers to the end, and a synthesis is always written',
  needsVerifier: false,
  expandsOnce: false,
  asksModels: true,
  takesTemperature: true,
  options: panel.options,
  prompts: ['aggregate'],
  create: ({ rollouts, models = [], synthesizer, sampling, maxPathTokens, prompts }, { answerTokens }) => {
    const width = Math.max(1, models.length);
    const each = Math.max(1, Math.floor((rollouts - 1) / width));
    const samples = width * each;
    const maxTokens = Math.min(answerTokens, maxPathTokens ?? answerTokens);
    const plain: Manner = { stops: [], maxTokens };
    const mannerOf = (tree: Tree, index: number): Manner => {
      if (index < samples) return writtenBy(models[index % width], plain);
      const sources = shownAttempts(answersOf(tree, 0, samples)).map(({ key }) => key);
      return writtenBy(synthesizer, sources.length === 0 ? plain : { ...plain, suffix: prompts.aggregate, sources });
    };
    const freeIndex = (tree: Tree): number | undefined => {
      const { root } = tree;
      const wanted = landedOf(tree, samples) < samples ? Array.from({ length: samples }, (_, at) => at) : [samples];
      return wanted.find((index) => !root.byIndex?.has(index) && !root.inFlight?.has(index));
    };
    const program: Program = {
      name: 'run-all',
      needsVerifier: false,
      expandsOnce: false,
      naturalWidth: samples,
      ask(tree, mayOpen) {
        const ready = readyStrand(tree, followLanded);
        const next = freeIndex(tree);
        if (next === undefined || (ready === undefined && !mayOpen)) return undefined;
        return askBelow(tree, ready ?? openAt(tree, tree.root), [next], sampling, mannerOf(tree, next));
      },
      tell(tree, outcome) {
        const strand = foldOutcome(tree, outcome, { maxDepth: 1 });
        if (strand !== undefined) followLanded(tree, strand);
        return strand !== undefined;
      },
      foresee: () => [],
      demand: () => samples,
      answer: (tree) => synthesisOf(tree, samples) ?? majorityOf(tree, samples),
    };
    return program;
  },
});

/** The answer of most samples, without the synthesis. */
export function majorityOf(tree: Tree, samples: number): Answer | undefined {
  const [leader] = groupAnswers(votesOf(answersOf(tree, 0, samples)));
  return leader === undefined ? chosenAnswer(tree, 'best') : certainAnswer(tree, leader.votes[0]!.node.id);
}

function synthesisOf(tree: Tree, samples: number): Answer | undefined {
  const node = tree.root.byIndex?.get(samples);
  return node !== undefined && saysSomething(node) ? certainAnswer(tree, node.id) : undefined;
}
