// The plan of a request against the models and limits that this server has; a refusal names the field that the client wrote.

import { makePlan } from '../../answering/plan.ts';
import { Refusal } from '../../answering/plan-check.ts';
import type { SearchPlan } from '../../answering/search-plan.ts';
import type { Plain } from '../../journal/journal.ts';
import { askedIn } from '../dialects/body-wish.ts';
import type { ChatBody } from '../dialects/chat-body.ts';
import type { FieldNames, InboundDialect } from '../dialects/dialect.ts';
import { ApiError } from '../http/api-error.ts';
import type { Caller } from '../http/keys.ts';
import type { ServedModel } from '../models/served-model.ts';
import { randomSeed } from '../searches/search-facts.ts';
import type { GatewayContext } from './context.ts';

export interface PlannedSearch {
  readonly plan: SearchPlan;
  /** What the journal keeps of the body. */
  readonly kept: Plain;
}

/** Of a body that its dialect has read. */
export async function planAsked<Body>(
  context: GatewayContext,
  dialect: InboundDialect<Body>,
  body: Body,
  caller: Caller,
  defaultDeadlineMs: number,
): Promise<PlannedSearch> {
  const { journal, config } = context;
  const { chat, kept } = await dialect.chat(body, { journal, caller, limits: config.limits });
  const plan = renamed(dialect.fieldNames, () => planFor(context, chat, caller, defaultDeadlineMs));
  return { plan, kept };
}

/** A client is told of the field that it wrote, not of the chat's. */
function renamed<Result>(names: FieldNames, make: () => Result): Result {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const inTheirWords = (text: string) => names.reduce((sum, [from, to]) => sum.replace(from, to), text);
    const { code, message, param, retryAfterSeconds } = error;
    throw new ApiError(code, inTheirWords(message), {
      ...(param === undefined ? {} : { param: inTheirWords(param) }),
      ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    });
  }
}

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
