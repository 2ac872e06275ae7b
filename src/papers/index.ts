// The package @coppice/papers: programs and rules that are there for a paper or for a comparison. A plain object; register.ts puts it into
// the registries of core.

import type { Knobs, OptionsOf } from '../base/knob.ts';
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

export const papers = {
  name: '@coppice/papers',
  programs: [rest, rstar, dvts, ets, tot, aggregate, pairwise, treeSamples, scoredTreeSamples],
  certainty: certaintyRules,
  prunes: [promise],
} as const;

type Own<Each extends { readonly options: Knobs }> = Partial<OptionsOf<Each['options']>> | undefined;

declare module '../config/named-options.ts' {
  interface NamedOptions {
    readonly rstar?: Own<typeof rstar>;
    readonly tot?: Own<typeof tot>;
    readonly aggregate?: Own<typeof aggregate>;
    readonly pairwise?: Own<typeof pairwise>;
    readonly 'scored-tree-samples'?: Own<typeof scoredTreeSamples>;
    readonly beta?: { readonly risk?: number } | undefined;
    readonly promise?: { readonly below?: number } | undefined;
  }
}
