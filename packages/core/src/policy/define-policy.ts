// A policy that is given from outside. Its name and those of its parts are its own: a log that says `safe` or `positive` must mean ours.

import { raise } from '../base/fault.ts';
import { exitParts } from '../exit/exits.ts';
import { pruneParts } from '../exit/prune-bound.ts';
import { orderParts } from '../scheduler/turns/order.ts';
import { widthParts } from '../scheduler/width-rules.ts';
import { type PolicyDefinition, type PolicyInput, policyDefinition } from './definition.ts';
import { policies } from './policies.ts';

export function definePolicy<const Name extends string>(
  policy: PolicyInput<Name>,
): PolicyDefinition & { readonly name: Name } {
  const { exits = [], prunes = [], widths, order } = policy;
  checkNames('policy', [policy], policies());
  checkNames('exit rule', exits, exitParts());
  checkNames('prune rule', prunes, pruneParts);
  checkNames('width rule', widths ? [widths] : [], widthParts);
  checkNames('order', order ? [order] : [], orderParts);
  return policyDefinition(policy);
}

interface Named {
  readonly name: string;
}

function checkNames(what: string, given: readonly Named[], ours: readonly Named[]): void {
  const taken = given.find(({ name }) => ours.some((each) => each.name === name));
  if (taken !== undefined)
    raise(
      'bad-setting',
      `coppice has ${/^[aeiou]/.test(what) ? 'an' : 'a'} ${what} '${taken.name}': give yours another name`,
    );
}
