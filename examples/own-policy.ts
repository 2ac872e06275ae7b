// A policy of one's own: settings of the parts that there are, and a rule that there is not. This one is for a server that pays by
// the token: what is accepted ends a search, what cannot beat the best path is cut, and so is a path that has become too long.

import { openModel, type PruneRule, type SearchOptions, search } from 'coppice';

/** Ends a strand whose path is longer than the best one by so much; nothing before there is one. */
function noLongerThan(share: number): PruneRule {
  return {
    name: 'too-long',
    judge({ tree: { best } }) {
      if (best === undefined) return undefined;
      const limit = best.pathTokens * share;
      return ({ pathTokens }) => (pathTokens > limit ? { pathTokens, limit } : undefined);
    },
  };
}

const thrifty = {
  policy: 'positive',
  boundPrune: 'best',
  certain: 'threshold',
  certainAgreement: 0.8,
  prunes: [noLongerThan(1.5)],
} satisfies SearchOptions;

const model = await openModel({ engine: { kind: 'sim', speed: 100 }, verifier: { kind: 'sim' }, threshold: 0.95 });
const tokens = { vanilla: 0, thrifty: 0 };
for (const question of ['first', 'second', 'third', 'fourth']) {
  const asked = { model, program: 'mcts', rollouts: 8 } as const;
  tokens.vanilla += (await search(question, { ...asked, policy: 'vanilla' })).cost.committedTokens;
  tokens.thrifty += (await search(question, { ...asked, ...thrifty })).cost.committedTokens;
}
console.log(`thrifty takes ${tokens.thrifty < tokens.vanilla ? 'fewer' : 'as many'} tokens`);
await model.close();
