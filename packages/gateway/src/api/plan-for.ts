// Turns a body into a plan against this server's models and limits, or sends it to the engine's own endpoint if no search can do it. A
// refusal names the field that the client wrote.

import type { IncomingHttpHeaders } from 'node:http';
import { makePlan, Refusal, type SearchPlan, shapeTrouble, usualSearch } from '@coppice/core/answering';
import type { JsonSchema } from '@coppice/core/engine';
import type { Plain } from '@coppice/core/journal';
import { programNames, programOf } from '@coppice/core/program';
import type { Session } from '@coppice/core/runtime';
import { askedIn, hasSwitch } from '../dialects/body-wish.ts';
import type { ChatBody } from '../dialects/chat-body.ts';
import type { Beyond, FieldNames, InboundDialect } from '../dialects/dialect.ts';
import { drawsIn } from '../dialects/fields.ts';
import { isVoted, leftOut } from '../dialects/turn-body.ts';
import { hasItems, record } from '../dialects/unchecked.ts';
import { ApiError } from '../http/api-error.ts';
import type { Caller } from '../http/keys.ts';
import { modelNamed, type ServedModel, servedModel } from '../models/served-model.ts';
import { randomSeed } from '../searches/search-facts.ts';
import type { GatewayContext } from './context.ts';
import { type PassedModel, passable } from './passthrough.ts';
import { sessionOf } from './sessions.ts';

/** The engine's own endpoint, if the request needs it and may use it. The body is unchecked. */
export function upstreamFor(context: GatewayContext, dialect: InboundDialect, value: unknown): PassedModel | undefined {
  const body = record(value);
  const model = modelNamed(context, body.model);
  const asked = dialect.beyond(body);
  if (model === undefined || (asked.passed.length === 0 && isVoted(model, asked.turn))) return undefined;
  if (!(asked.isBeyond || isPassed(model, asked) || isBeyondShape(model, body, asked))) return undefined;
  return passable(model);
}

function isPassed({ engine }: ServedModel, { passed }: Beyond): boolean {
  const { passes = [] } = engine.capabilities;
  return passed.length > 0 && passed.every((name) => passes.includes(name));
}

/** True if the engine cannot enforce this shape step by step. False for a wrong format, which is refused when the body is read. */
function isBeyondShape(model: ServedModel, { coppice }: Plain, { shape, stop }: Beyond): boolean {
  const schema = schemaOrNone(shape);
  if (schema === undefined) return false;
  const named = programNames().find((each) => each === record(coppice).program);
  const program = programOf(named ?? usualSearch(model).program);
  return hasItems(stop) || typeof stop === 'string' || shapeTrouble(model, program, schema) !== undefined;
}

function schemaOrNone(shape: Beyond['shape']): JsonSchema | undefined {
  try {
    return shape?.()?.schema;
  } catch {
    return undefined;
  }
}

interface GivenByServer {
  readonly deadlineMs: number;
  readonly idle?: true;
  readonly session?: Session | undefined;
}

/** `kept`: the body as the journal keeps it; `chat`: the chat that is searched. */
export async function planAsked<Body>(
  context: GatewayContext,
  dialect: InboundDialect<Body>,
  body: Body,
  caller: Caller,
  given: GivenByServer,
  headers?: IncomingHttpHeaders,
) {
  const { journal, config } = context;
  const session = await sessionOf(context, caller, record(body), headers);
  const { chat, kept } = await dialect.chat(body, { journal, caller, limits: config.limits });
  return { ...planFor(context, chat, caller, { ...given, session }, dialect.fieldNames), kept, chat: chat as Plain };
}

/** `names`: what the client's API calls the chat fields. `untaken`: sampling fields that the engine does not take. */
export function planFor(
  context: GatewayContext,
  body: ChatBody,
  caller: Caller,
  { deadlineMs: defaultDeadlineMs, idle, session }: GivenByServer,
  names: FieldNames = [],
): { readonly plan: SearchPlan; readonly untaken: readonly string[] } {
  const { limits } = context.config;
  const { models: others } = context.searches;
  const { name, maxPriority } = caller;
  try {
    const model = servedModel(context, body.model);
    const asked = askedIn(body, limits, model);
    const successor = others.get(model.config.escalateTo ?? '');
    const server = { model, successor, others, limits, maxPriority, defaultDeadlineMs, seed: randomSeed() };
    const plan = makePlan({ ...asked, ...server, idle, session });
    // Refused requests cost no quota.
    context.usage.request(name);
    return { plan, untaken: untakenBy(model, body) };
  } catch (error) {
    throw withClientNames(error, names);
  }
}

function untakenBy(model: ServedModel, body: ChatBody): string[] {
  const { takes = ['top_k', 'min_p'] } = model.engine.capabilities;
  const knobs = (['top_k', 'min_p'] as const).filter((name) => (body[name] ?? 0) !== 0);
  const switches = hasSwitch(model) ? [] : Object.keys(body.chat_template_kwargs ?? {});
  return [
    ...[...knobs, ...Object.keys(drawsIn(body))].filter((name) => !takes.includes(name)),
    ...switches.map((name) => `chat_template_kwargs.${name}`),
    ...leftOut(body),
  ];
}

function withClientNames(error: unknown, names: FieldNames): unknown {
  const told = (text: string) => names.reduce((sum, [from, to]) => sum.replace(from, to), text);
  if (error instanceof Refusal) {
    const code = error.kind === 'invalid' ? 'invalid_value' : 'unsupported_parameter';
    return new ApiError(code, told(error.fault.message), { param: told(error.setting) });
  }
  if (!(error instanceof ApiError)) return error;
  const { code, message, param, options } = error;
  return new ApiError(code, told(message), { ...options, param: param === undefined ? undefined : told(param) });
}
