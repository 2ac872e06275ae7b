// Every knob of a policy with its unit, default, bounds and the reason for its default: the switches of its parts, which have none, since
// each policy sets them (policies.ts), the options of the parts, as those state them, and what belongs to no part. Checked when a policy is made; an unknown knob or a value out of bounds is refused with the
// value, the bound and the name. Those that belong to one search may be set by its client; those of the budget that all
// searches share are the operator's.

import { raise } from '../base/fault.ts';
import { complaint, defaultsOf, type Knob, type Knobs, type OptionsOf } from '../base/knob.ts';
import { exitParts, negativeKnobs } from '../exit/exits.ts';
import { boundTargets } from '../exit/prune-bound.ts';
import { orderNames } from '../scheduler/turns/order.ts';
import { widthKnobs, widthNames } from '../scheduler/width-rules.ts';

export const policyKnobs = {
  positiveExit: {
    values: ['off', 'on'],
    internal: true,
    unit: 'part',
    why: 'ends a search whose best completed path reaches the threshold (P0 §5.1): on in every policy but vanilla',
  },
  negativeExit: {
    values: ['off', 'strict', 'selective'],
    internal: true,
    unit: 'part',
    why: "gives up on a question: 'strict' (P0 §3.4) where no path can reach the threshold any more, 'selective' (§4.3) where none is likely to",
  },
  ...negativeKnobs,
  boundPrune: {
    values: ['off', ...boundTargets],
    client: 'coppice',
    unit: 'target',
    why: "ends strands that cannot win: 'best' is branch and bound, and costs no answer its place; 'threshold' is the rule of P0 §4.1",
  },
  widths: {
    values: widthNames,
    internal: true,
    unit: 'rule',
    why: 'how many idle strands searches get: none (natural), all by score (shares, P0 §4.5), or as many as gain more than they add to the step and score times of all (gain)',
  },
  ...widthKnobs,
  speculate: {
    low: 0,
    high: 1024,
    whole: true,
    client: 'coppice',
    unit: 'strands of one search',
    why: 'most strands that grow ahead what a search will probably ask for, from what is idle; 0 is off: it takes more tokens (docs/policies.md)',
  },
  order: {
    values: orderNames,
    internal: true,
    unit: 'order',
    why: 'whose requests go first where they wait for the engine: as they come (fcfs, in every policy of ours), those with most of their path computed (longest-prefix), those of the search that came first (gang), or of the one with least left to do (sjf), which also orders turns. It matters where the budget is more than the engine runs at a time',
  },
} as const satisfies Knobs;

export type PolicyOptions = OptionsOf<typeof policyKnobs>;

const defaults: Partial<PolicyOptions> = defaultsOf(policyKnobs);

/** `parts`: as a policy sets them. What is given and says nothing counts as not given. */
export function resolveOptions(
  parts: Partial<PolicyOptions>,
  given: { readonly [Name in keyof PolicyOptions]?: PolicyOptions[Name] | undefined },
): PolicyOptions {
  const said = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  for (const [name, value] of Object.entries(said)) check(name, value);
  return { ...defaults, ...parts, ...said } as PolicyOptions;
}

/** With the options of exit rules that packages registered, which experiments turn. */
export function turnedKnobs(): Knobs {
  return Object.assign({}, ...exitParts().map(({ options }) => options), policyKnobs) as Knobs;
}

function check(name: string, value: unknown): void {
  const known = turnedKnobs();
  const knob: Knob | undefined = Object.hasOwn(known, name) ? known[name] : undefined;
  if (knob === undefined) {
    return raise('bad-setting', `policies have no option '${name}'; there are ${Object.keys(known).join(', ')}`);
  }
  const wrong = complaint(knob, value);
  if (wrong !== undefined) raise('bad-setting', `${name} ${wrong}`);
}
