// The package @coppice/papers: programs and rules that are there for a paper or for a comparison. Registered when
// it is imported.

import { type Plugin, registerPlugin } from '../config/plugin.ts';
import { aggregate } from './aggregate.ts';
import { certaintyRules } from './certainty.ts';
import { dvts } from './dvts.ts';
import { ets } from './ets.ts';
import { pairwise } from './pairwise.ts';
import { promise } from './prune-promise.ts';
import { rest } from './rest.ts';
import { rstar } from './rstar.ts';
import { tot } from './tot.ts';
import { scoredTreeSamples, treeSamples } from './tree-samples.ts';

export const papers: Plugin = {
  name: '@coppice/papers',
  programs: [rest, rstar, dvts, ets, tot, aggregate, pairwise, treeSamples, scoredTreeSamples],
  certainty: certaintyRules,
  prunes: [promise],
};

registerPlugin(papers);
