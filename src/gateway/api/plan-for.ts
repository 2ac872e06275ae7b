// What becomes of a body: what no search can do goes to the engine's own endpoint, the rest becomes a plan against the models and limits
// that this server has. A refusal names the field that the client wrote.

import { makePlan } from '../../answering/plan/plan.ts';
import { Refusal, shapeTrouble } from '../../answering/plan/plan-check.ts';
import { usualSearch } from '../../answering/plan/planned-search.ts';
import type { SearchPlan } from '../../answering/plan/search-plan.ts';
import type { JsonSchema } from '../../engine/engine.ts';
import type { Plain } from '../../journal/journal.ts';
import { programNames, programOf } from '../../program/registry/programs.ts';
import { askedIn } from '../dialects/body-wish.ts';
import type { ChatBody } from '../dialects/chat-body.ts';
import type { Beyond, FieldNames, InboundDialect } from '../dialects/dialect.ts';
import { drawsIn } from '../dialects/fields.ts';
import { isFull, record } from '../dialects/unchecked.ts';
import { ApiError } from '../http/api-error.ts';
import type { Caller } from '../http/keys.ts';
import type { ServedModel } from '../models/served-model.ts';
import { modelNamed, servedModel } from '../models/served-models.ts';
import { randomSeed } from '../searches/search-facts.ts';
import type { GatewayContext } from './context.ts';
import { type PassedModel, passable } from './passthrough.ts';

/** The engine's own endpoint, where there is one, it is allowed, and the request needs it. Reads a body that nothing has checked yet. */
export function upstreamFor(context: GatewayContext, dialect: InboundDialect, value: unknown): PassedModel | undefined {
  const body = record(value);
  const model = modelNamed(context, body.model);
  const asked = dialect.beyond(body);
  if (model === undefined || !(asked.isBeyond || isPassed(model, asked) || isBeyondShape(model, body, asked)))
    return undefined;
  return passable(model);
}

/** The engine's own endpoint honours a field that no search does. */
function isPassed({ engine }: ServedModel, { passed }: Beyond): boolean {
  const { passes = [] } = engine.capabilities;
  return passed.length > 0 && passed.every((name) => passes.includes(name));
}

/** An answer in a shape that the engine cannot be held to step by step. A format that is wrong is not: it is refused where bodies are read. */
function isBeyondShape(model: ServedModel, { coppice }: Plain, { shape, stop }: Beyond): boolean {
  const schema = schemaOrNone(shape);
  if (schema === undefined) return false;
  const named = programNames().find((each) => each === record(coppice).program);
  const program = programOf(named ?? usualSearch(model).program);
  return isFull(stop) || typeof stop === 'string' || shapeTrouble(model, program, schema) !== undefined;
}

function schemaOrNone(shape: Beyond['shape']): JsonSchema | undefined {
  try {
    return shape?.()?.schema;
  } catch {
    return undefined;
  }
}

interface PlannedChat {
  readonly plan: SearchPlan;
  /** Sampling fields that the model's engine does not take, by name. */
  readonly untaken: readonly string[];
}

export interface PlannedSearch extends PlannedChat {
  /** What the journal keeps of the body. */
  readonly kept: Plain;
  /** The chat that is searched for it. */
  readonly chat: Plain;
}

/** What the server gives a request that says nothing of it. */
interface GivenByServer {
  readonly deadlineMs: number;
  /** No client waits for it: see SearchPlan. */
  readonly idle?: true;
}

/** Of a body that its dialect has read. */
export async function planAsked<Body>(
  context: GatewayContext,
  dialect: InboundDialect<Body>,
  body: Body,
  caller: Caller,
  given: GivenByServer,
): Promise<PlannedSearch> {
  const { journal, config } = context;
  const { chat, kept } = await dialect.chat(body, { journal, caller, limits: config.limits });
  return { ...planFor(context, chat, caller, given, dialect.fieldNames), kept, chat: chat as Plain };
}

/** `names`: what the client's API calls the fields of a chat. */
export function planFor(
  context: GatewayContext,
  body: ChatBody,
  caller: Caller,
  { deadlineMs: defaultDeadlineMs, idle }: GivenByServer,
  names: FieldNames = [],
): PlannedChat {
  const { limits } = context.config;
  const { name, maxPriority } = caller;
  try {
    const model = servedModel(context, body.model);
    const asked = askedIn(body, limits);
    const successor = context.searches.models.get(model.config.escalateTo ?? '');
    const others = context.searches.models;
    const server = { model, successor, others, limits, maxPriority, defaultDeadlineMs, seed: randomSeed() };
    const plan = makePlan({ ...asked, ...server, idle });
    // A request that is refused before costs no part of a quota.
    context.usage.request(name);
    return { plan, untaken: untakenBy(model, body) };
  } catch (error) {
    throw inTheirWords(error, names);
  }
}

function untakenBy({ engine }: ServedModel, body: ChatBody): string[] {
  const { takes = ['top_k', 'min_p'] } = engine.capabilities;
  const knobs = (['top_k', 'min_p'] as const).filter((name) => (body[name] ?? 0) !== 0);
  return [...knobs, ...Object.keys(drawsIn(body))].filter((name) => !takes.includes(name));
}

/** A client is told of the field that it wrote, not of the setting or of the chat's. */
function inTheirWords(error: unknown, names: FieldNames): unknown {
  const told = (text: string) => names.reduce((sum, [from, to]) => sum.replace(from, to), text);
  if (error instanceof Refusal) {
    const code = error.kind === 'invalid' ? 'invalid_value' : 'unsupported_parameter';
    return new ApiError(code, told(error.fault.message), { param: told(error.setting) });
  }
  if (!(error instanceof ApiError)) return error;
  const { code, message, param, retryAfterSeconds } = error;
  return new ApiError(code, told(message), { param: param === undefined ? undefined : told(param), retryAfterSeconds });
}
