// The definition of a policy: a name, which of the parts that there are it takes (settings), and parts of its own. Ours are listed in
// policies.ts; a stranger's (define-policy.ts) are handed to `search`, `openModel` or `makeModel`. Defines; what runs is made in create.ts.

import { raise } from '../base/fault.ts';
import { checkKeys, type PlugIn } from '../base/part.ts';
import type { ExitPart, PrunePart } from '../exit/exit.ts';
import type { OrderPart } from '../scheduler/turns/order.ts';
import type { WidthsPart } from '../scheduler/widths.ts';
import { type PolicyOptions, resolveOptions } from './knobs.ts';

/**
 * Everything off: what is left is the program, its budgets, and for each search its natural width. Each part is a knob of its own, so
 * that any can be turned off and what it gives be measured.
 */
const partsOff = {
  positiveExit: 'off',
  negativeExit: 'off',
  boundPrune: 'off',
  widths: 'natural',
  speculate: 0,
  order: 'fcfs',
} as const satisfies Partial<PolicyOptions>;

export interface PolicyDefinition {
  readonly name: string;
  readonly summary: string;
  readonly settings: Pick<PolicyOptions, keyof typeof partsOff> & Partial<PolicyOptions>;
  /** Rules of its own, read before those that its settings ask for. */
  readonly exits: readonly ExitPart[];
  readonly prunes: readonly PrunePart[];
  /** In the place of those that its settings name. */
  readonly widths?: WidthsPart;
  readonly order?: OrderPart;
  /** Says why the policy cannot go with these settings; undefined where it can. */
  readonly contradiction?: (settings: PolicyOptions) => string | undefined;
}

export interface PolicyInput<Name extends string>
  extends Pick<PolicyDefinition, 'summary' | 'widths' | 'order' | 'contradiction'>,
    Partial<Pick<PolicyDefinition, 'exits' | 'prunes'>> {
  readonly name: Name;
  /** Unset parts are off: every policy has its budgets and nothing else by itself. */
  readonly settings?: Partial<PolicyOptions>;
}

const policyKeys: readonly (keyof PolicyInput<string>)[] = [
  'name',
  'summary',
  'settings',
  'exits',
  'prunes',
  'widths',
  'order',
  'contradiction',
];

/** Checks what code without a compiler may give. A stranger's policy comes by `definePolicy`. */
export function policyDefinition<const Name extends string>(
  policy: PolicyInput<Name>,
): PolicyDefinition & { readonly name: Name } {
  const { settings = {}, exits = [], prunes = [], ...rest } = policy;
  checkKeys(`policy '${policy.name}'`, policy, policyKeys);
  resolveOptions({}, settings);
  const definition = { ...rest, settings: { ...partsOff, ...settings }, exits, prunes };
  const names = ownParts(definition).flatMap(({ options }) => Object.keys(options));
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined)
    raise('bad-setting', `policy '${policy.name}' has two parts with an option '${twice}': give one another name`);
  return definition;
}

export function ownParts({
  exits,
  prunes,
  widths,
  order,
}: PolicyDefinition): readonly Pick<PlugIn<unknown>, 'name' | 'options'>[] {
  return [...exits, ...prunes, ...(widths ? [widths] : []), ...(order ? [order] : [])];
}
