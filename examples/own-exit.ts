// An exit rule of your own: ends a search when its last finished paths all give the same answer. A rule only reads one search: it never
// changes the tree, keeps no state, and gives its reasons in numbers that a person can read.

import { type ExitRule, openModel, search } from 'coppice';

/** Exits `certain` once the last `count` answers are equal. Promises nothing: paths of a tree depend on each other. */
function lastAgree(count: number): ExitRule {
  return {
    name: 'last-agree',
    check({ tree }) {
      const answers = tree.nodes.flatMap(({ terminal, answer }) => (terminal && answer !== undefined ? [answer] : []));
      const last = answers.slice(-count);
      if (last.length < count || new Set(last).size > 1) return undefined;
      return { kind: 'certain', rule: 'last-agree', evidence: { agreeing: count, answers: answers.length } };
    },
  };
}

const model = await openModel({ engine: { kind: 'sim', speed: 100 }, verifier: { kind: 'sim' }, threshold: 0.65 });
const asked = { model, program: 'mcts', policy: 'vanilla', rollouts: 16 } as const;
const whole = await search('a question', asked);
const early = await search('a question', { ...asked, exits: [lastAgree(3)] });
console.log(`${whole.exit.kind} by ${whole.exit.rule} after ${whole.rollouts} rollouts`);
console.log(`${early.exit.kind} by ${early.exit.rule} after ${early.rollouts <= whole.rollouts ? 'no more' : 'more'}`);
await model.close();
