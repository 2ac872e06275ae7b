// From the parts of a policy to what runs: the rules of one search, and the scheduler that all searches of a model share.

import { assert } from '../base/assert.ts';
import { raise } from '../base/fault.ts';
import { checkPartOptions, optionsOfPart, type PartOptions, type PlugIn } from '../base/part.ts';
import { exitParts } from '../exit/exits.ts';
import { pruneParts } from '../exit/prune-bound.ts';
import { type Algorithm1Options, algorithm1Scheduler } from '../scheduler/algorithm-1.ts';
import { idleBeside } from '../scheduler/idle.ts';
import type { Scheduler } from '../scheduler/scheduler.ts';
import { orderParts } from '../scheduler/turns/order.ts';
import { widthParts } from '../scheduler/width-rules.ts';
import { ownParts, type PolicyDefinition } from './definition.ts';
import { type PolicyOptions, resolveOptions } from './knobs.ts';
import { type PolicyName, policyOf } from './policies.ts';
import type { Policy, Rules } from './policy.ts';

type Given = Partial<PolicyOptions>;
/** Parts of the scheduler that experiments replace. */
type Seams = Pick<Algorithm1Options, 'preempt' | 'room' | 'beside'>;

/** `own`: options of the parts that the policy brings itself. */
export function createPolicy(policy: PolicyName | PolicyDefinition, given: Given = {}, own: PartOptions = {}): Policy {
  const rules = createRules(policy, given, own);
  return { name: policyOf(policy).name, rules, scheduler: createScheduler(policy, given, own) };
}

export function createRules(policy: PolicyName | PolicyDefinition, given: Given = {}, own: PartOptions = {}): Rules {
  const definition = policyOf(policy);
  const options = optionsOf(definition, given);
  checkOwn(definition, own);
  const chosen = { ...(options as unknown as PartOptions), ...own };
  return {
    exits: [...definition.exits, ...asked(exitParts(), options)].map(making(chosen)),
    prunes: [...definition.prunes, ...asked(pruneParts, options)].map(making(chosen)),
    boost: definition.widths !== undefined || options.widths !== 'natural',
    speculate: options.speculate,
  };
}

export function createScheduler(
  policy: PolicyName | PolicyDefinition,
  given: Given = {},
  own: PartOptions = {},
  seams: Seams = {},
): Scheduler {
  return schedulerBy(policyOf(policy), optionsOf(policy, given), own, seams);
}

/**
 * The scheduler of a model whose requests may each choose their policy: it boosts only those whose own policy says so, by the width rule of
 * the model's policy, or by that of `safe` where the model's own boosts no search.
 */
export function createSharedScheduler(
  policy: PolicyName | PolicyDefinition,
  given: Given = {},
  own: PartOptions = {},
): Scheduler {
  const definition = policyOf(policy);
  optionsOf(definition, given);
  const boosts = definition.widths !== undefined || definition.settings.widths !== 'natural';
  const { widths } = policyOf(boosts ? definition : 'safe').settings;
  return schedulerBy(definition, resolveOptions({ ...definition.settings, widths }, given), own);
}

/** Reads the knobs of the budget alone; exits and prunes are the searches' own. */
function schedulerBy(
  definition: PolicyDefinition,
  options: PolicyOptions,
  own: PartOptions,
  seams: Seams = {},
): Scheduler {
  checkOwn(definition, own);
  const { speculate } = options;
  const { widths = named(widthParts, options.widths), order = named(orderParts, options.order) } = definition;
  const chosen = { ...(options as unknown as PartOptions), ...own };
  return algorithm1Scheduler({
    name: widths.name,
    widths: making(chosen)(widths),
    order: making(chosen)(order),
    speculate,
    beside: idleBeside,
    ...seams,
  });
}

/** Every knob of a policy: as given, else as the policy sets its parts, else at its default. */
export function optionsOf(policy: PolicyName | PolicyDefinition, given: Given): PolicyOptions {
  const { settings, contradiction } = policyOf(policy);
  const options = resolveOptions(settings, given);
  const wrong = contradiction?.(options);
  return wrong === undefined ? options : raise('bad-setting', wrong);
}

function asked<Each extends Pick<PlugIn<unknown>, 'when'>>(parts: readonly Each[], options: PolicyOptions): Each[] {
  return parts.filter(({ when }) => when === undefined || when(options as unknown as PartOptions));
}

function making(options: PartOptions) {
  return <Made>(part: PlugIn<Made>): Made => part.make(optionsOfPart(part, options));
}

function named<Each extends { readonly name: string }>(parts: readonly Each[], name: string): Each {
  const found = parts.find((part) => part.name === name);
  assert(found !== undefined, `no part '${name}' in the list`);
  return found;
}

function checkOwn(definition: PolicyDefinition, own: PartOptions): void {
  checkPartOptions(`policy '${definition.name}'`, ownParts(definition), own, 'policyOptions');
}
