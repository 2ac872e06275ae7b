// A policy with every part of your own: an exit rule, a prune rule, a width rule and an order, besides settings of coppice's own rules. It
// suits a server that charges per token and gets many easy questions.

import { exitCases, prove, pruneCases } from '@coppice/core/testing';
import { defineExit, defineOrder, definePolicy, definePrune, defineWidths, openModel, search } from 'coppice';

/** Ends a search once its last answers are the same. */
const lastAgree = defineExit({
  name: 'last-agree',
  summary: 'the last answers are the same',
  options: { agreeing: { default: 3, low: 2, high: 64, whole: true, unit: 'answers', why: 'two agree by chance' } },
  make: ({ agreeing }) => ({
    name: 'last-agree',
    check({ tree }) {
      const answers = tree.nodes.flatMap(({ terminal, answer }) => (terminal && answer !== undefined ? [answer] : []));
      const last = answers.slice(-agreeing);
      if (last.length < agreeing || new Set(last).size > 1) return undefined;
      return { kind: 'certain', rule: 'last-agree', evidence: { agreeing, answers: answers.length } };
    },
  }),
});

/** Ends a strand whose path is `longest` times as long as the best one, once there is one. */
const tooLong = definePrune({
  name: 'too-long',
  summary: 'the path is much longer than the best one',
  options: { longest: { default: 1.5, low: 1, high: 10, unit: 'times the best path', why: 'twice is never needed' } },
  make: ({ longest }) => ({
    name: 'too-long',
    judge({ tree: { best } }) {
      if (best === undefined) return undefined;
      const limit = best.pathTokens * longest;
      return ({ pathTokens }) => (pathTokens > limit ? { pathTokens, limit } : undefined);
    },
  }),
});

/** While strands are idle, gives every search that can use it one more than its natural width, the oldest first. */
const oneMore = defineWidths({
  name: 'one-more',
  summary: 'one idle strand for each search',
  make: () => (seats, budget) => {
    let idle = budget - seats.reduce((sum, { base }) => sum + base, 0);
    const widths = seats.map(({ base, cap }) => {
      const more = idle > 0 && cap > base ? 1 : 0;
      idle -= more;
      return base + more;
    });
    return { widths, rank: seats.map(({ running }) => -(running?.arrivalMs ?? 0)) };
  },
});

/** Requests of the search that has waited longest go first. */
const oldest = defineOrder({
  name: 'oldest',
  summary: 'requests of the oldest search',
  make: () => ({ name: 'oldest', urgency: ({ ageSeconds }) => ageSeconds }),
});

const thrifty = definePolicy({
  name: 'thrifty',
  summary: 'few tokens on easy questions',
  settings: { positiveExit: 'on', boundPrune: 'best' },
  exits: [lastAgree],
  prunes: [tooLong],
  widths: oneMore,
  order: oldest,
});

const sim = { engine: { kind: 'sim', speed: 100 }, verifier: { kind: 'sim' }, threshold: 0.95, budget: 8 } as const;
const model = await openModel({ ...sim, policy: thrifty, policyOptions: { agreeing: 4 } });
const asked = { model, program: 'mcts', rollouts: 8 } as const;
const rules = new Set<unknown>();
const tokens = { vanilla: 0, thrifty: 0 };
for (const question of ['first', 'second', 'third', 'fourth']) {
  tokens.vanilla += (await search(question, { ...asked, policy: 'vanilla' })).cost.committedTokens;
  const own = await search(question, {
    ...asked,
    policyOptions: { longest: 1.2 },
    onEvent: ({ event }) => event.type === 'width' && rules.add(event.why?.rule),
  });
  tokens.thrifty += own.cost.committedTokens;
}
console.log(`thrifty takes ${tokens.thrifty < tokens.vanilla ? 'fewer' : 'as many'} tokens, widths by ${[...rules]}`);
await model.close();

await prove(exitCases(() => lastAgree.make({ agreeing: 3 })));
await prove(pruneCases(() => tooLong.make({ longest: 1.5 })));
