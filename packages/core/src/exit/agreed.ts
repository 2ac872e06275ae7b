// A tree that grows draw by draw stops once its answers agree: the first so many are one and the same. Answers of paths that are certainly
// wrong (score 0) are not counted. Promises nothing: a model may agree with itself and be wrong (docs/decisions/0100).

import { groupAnswers } from '../answer/groups.ts';
import { type ExitRule, readable } from './exit.ts';

/** `certificate` asks for as many where none differs, at its ε of 0.05: 5 lost 2 of 819 answers of a real model. */
const agreeingAnswers = 7;

export const agreed: ExitRule = {
  name: 'agreed',
  check({ tree, belief }) {
    if (tree.root.fullAt === undefined || tree.answers.answers < agreeingAnswers) return undefined;
    const votes = belief.votes().filter(({ node }) => node.score > 0);
    const [leader, second] = votes.length < agreeingAnswers ? [] : groupAnswers(votes);
    if (leader === undefined || second !== undefined) return undefined;
    const best = leader.votes.reduce((first, vote) => (vote.node.score > first.node.score ? vote : first)).node;
    const evidence = { answers: votes.length, needed: agreeingAnswers, score: readable(best.score), node: best.id };
    return { kind: 'certain', rule: 'agreed', evidence };
  },
};
