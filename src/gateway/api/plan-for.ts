// The plan of a request against the models and limits that this server has.

import { fittingPolicy } from '../../policy/fitting.ts';
import { programOf } from '../../program/registry/programs.ts';
import { ApiError } from '../http/api-error.ts';
import type { Caller } from '../http/keys.ts';
import type { ChatBody } from '../plan/chat-body.ts';
import { makePlan, type SearchPlan } from '../plan/plan.ts';
import { randomSeed } from '../searches/search-facts.ts';
import type { GatewayContext } from './context.ts';

export function planFor(
  context: GatewayContext,
  body: ChatBody,
  caller: Caller,
  defaultDeadlineMs: number,
): SearchPlan {
  const model = context.searches.models.get(body.model);
  if (model === undefined) {
    const known = [...context.searches.models.keys()].join(', ');
    throw new ApiError('model_not_found', `there is no model '${body.model.slice(0, 128)}'; there are ${known}`, {
      param: 'model',
    });
  }
  const { contextTokens } = model.engine.capabilities;
  const aggregation = model.config.aggregation ?? model.verifier?.capabilities.aggregation ?? 'product';
  return makePlan(body, {
    model: model.config,
    form: model.form,
    limits: context.config.limits,
    hasVerifier: model.verifier !== undefined,
    needsVerifier: (program) => programOf(program).needsVerifier,
    policyFor: (program) => fittingPolicy(model.config.policy, programOf(program), aggregation),
    contextTokens,
    maxPriority: caller.maxPriority,
    defaultDeadlineMs,
    seed: randomSeed(),
  });
}
