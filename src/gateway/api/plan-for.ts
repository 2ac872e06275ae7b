// The plan of a request against the models and limits that this server has; a refusal names the field of the body.

import { makePlan } from '../../answering/plan.ts';
import { Refusal } from '../../answering/refusal.ts';
import type { SearchPlan } from '../../answering/search-plan.ts';
import { ApiError } from '../http/api-error.ts';
import type { Caller } from '../http/keys.ts';
import type { ServedModel } from '../models/served-model.ts';
import { askedIn } from '../plan/body-wish.ts';
import type { ChatBody } from '../plan/chat-body.ts';
import { randomSeed } from '../searches/search-facts.ts';
import type { GatewayContext } from './context.ts';

export function planFor(
  context: GatewayContext,
  body: ChatBody,
  caller: Caller,
  defaultDeadlineMs: number,
): SearchPlan {
  const { models } = context.searches;
  const { config } = context;
  const model = servedModel(context, body.model);
  const { limits } = config;
  const asked = askedIn(body, limits);
  if (asked.wish.effort !== 'none') requireStops(asked.wish.stop ?? [], model.config.delimiters);
  const successor = models.get(model.config.escalateTo ?? '');
  const { maxPriority } = caller;
  const plan = naming(() =>
    makePlan({ ...asked, model, successor, limits, maxPriority, defaultDeadlineMs, seed: randomSeed() }),
  );
  // What is wrong was refused before, and costs nobody a part of a quota.
  context.usage.request(caller.name);
  return plan;
}

/** A step ends before a string that reaches over its delimiter is seen: such a string could not be kept to. */
function requireStops(stops: readonly string[], delimiters: readonly string[]): void {
  const wrong = stops.find((stop) => delimiters.some((each) => stop.includes(each) || each.includes(stop)));
  if (wrong === undefined) return;
  const message = `'stop' has ${JSON.stringify(wrong)}, which cannot be told from the ends of steps in a search`;
  throw new ApiError('unsupported_parameter', message, { param: 'stop' });
}

/** The model that a request names; where only one is served and the operator allows it, that one under any name. */
export function modelNamed({ searches, config }: GatewayContext, name: unknown): ServedModel | undefined {
  const { models } = searches;
  const known = models.get(String(name));
  if (known !== undefined || models.size > 1 || config.server.foreignNames === 'refuse') return known;
  return typeof name === 'string' && name !== '' ? models.values().next().value : undefined;
}

export function servedModel(context: GatewayContext, name: string): ServedModel {
  const { models } = context.searches;
  const model = modelNamed(context, name);
  if (model !== undefined) return model;
  const known = [...models.keys()].join(', ');
  throw new ApiError('model_not_found', `there is no model '${name.slice(0, 128)}'; there are ${known}`, {
    param: 'model',
  });
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
