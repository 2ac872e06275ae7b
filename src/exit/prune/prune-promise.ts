// Pruning by promise: a strand ends when the verifier's second reading says that hardly any sample from here ends right. It
// needs no bound along the path, since each step is read anew, and acts from the first step on: a search all of whose
// strands it ends answers with the best beginning. Silent about steps that have no promise.

import { type PruneRule, readable } from '../exit.ts';

/** `bound`: the probability of ending right below which a strand is not worth its tokens. */
export function prunePromise(bound: number): PruneRule {
  return {
    name: 'promise',
    readsPromise: true,
    judge: () => {
      return ({ promise }) => {
        if (promise === undefined || promise >= bound) return undefined;
        return { promise: readable(promise), bound };
      };
    },
  };
}
