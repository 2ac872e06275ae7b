// The package @coppice/papers: programs, policies and rules of papers, for comparison. Importing it registers them.

import { type Plugin, registerPlugin } from '@coppice/core/config';
import { beam } from './levels/beam.ts';
import { rebase } from './levels/rebase.ts';
import { chain } from './programs/chain.ts';
import { dvts } from './programs/dvts.ts';
import { ets } from './programs/ets.ts';
import { rest } from './programs/rest.ts';
import { rstar } from './programs/rstar.ts';
import { tot } from './programs/tot.ts';
import { scoredTreeSamples, treeSamples } from './programs/tree-samples.ts';
import { refine } from './refine/refine.ts';
import { certaintyExits } from './rules/certainty.ts';
import { positiveStrict, taper } from './rules/policies.ts';

export const papers: Plugin = {
  name: '@coppice/papers',
  programs: [beam, rebase, chain, rest, rstar, dvts, ets, tot, refine, treeSamples, scoredTreeSamples],
  policies: [positiveStrict, taper],
  exits: certaintyExits,
};

registerPlugin(papers);
