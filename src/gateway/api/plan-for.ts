// The plan of a request against the models and limits that this server has; a refusal names the field of the body.

import { makePlan } from '../../answering/plan.ts';
import { Refusal } from '../../answering/refusal.ts';
import type { SearchPlan } from '../../answering/search-plan.ts';
import { ApiError } from '../http/api-error.ts';
import type { Caller } from '../http/keys.ts';
import { askedIn } from '../plan/body-wish.ts';
import type { ChatBody } from '../plan/chat-body.ts';
import { randomSeed } from '../searches/search-facts.ts';
import type { GatewayContext } from './context.ts';

export function planFor(
  { config, searches }: GatewayContext,
  body: ChatBody,
  caller: Caller,
  defaultDeadlineMs: number,
): SearchPlan {
  const { models } = searches;
  const model = models.get(body.model);
  if (model === undefined) {
    const known = [...models.keys()].join(', ');
    throw new ApiError('model_not_found', `there is no model '${body.model.slice(0, 128)}'; there are ${known}`, {
      param: 'model',
    });
  }
  const { limits } = config;
  const asked = askedIn(body, limits);
  const successor = models.get(model.config.escalateTo ?? '');
  const { maxPriority } = caller;
  return naming(() =>
    makePlan({ ...asked, model, successor, limits, maxPriority, defaultDeadlineMs, seed: randomSeed() }),
  );
}

function naming(plan: () => SearchPlan): SearchPlan {
  try {
    return plan();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const code = error.kind === 'invalid' ? 'invalid_value' : 'unsupported_parameter';
    throw new ApiError(code, error.fault.message, { param: error.setting });
  }
}
