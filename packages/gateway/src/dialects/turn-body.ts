// Reads a turn of an agent from a chat: whether a body with tools is searched, what the engine gets of it, and the ids of the calls in
// its answer. Other dialects first translate their tools, calls and results into those of a chat.

import { offeredTools } from '@coppice/core/answer';
import type { PlannedModel } from '@coppice/core/answering';
import { isRecord, jsonOrText } from '@coppice/core/base';
import { efforts } from '@coppice/core/config';
import type { Plain } from '@coppice/core/journal';
import { excessIn } from '@coppice/core/remote';
import type { Message, TurnFields } from '@coppice/core/tree';
import type { ChatBody } from './chat-body.ts';
import { hasItems, record } from './unchecked.ts';

export interface AskedTurn {
  readonly isForced: boolean;
  readonly effort: unknown;
  /** It may call nothing but functions. */
  readonly isPlain: boolean;
}

/** Undefined for what only an engine's own endpoint can do: tools without a function, other choices, logprobs or token ids. */
export function askedTurn(body: Plain): AskedTurn | undefined {
  const { functions, tool_choice: choice, reasoning_effort: effort, reasoning } = body;
  const offered = offeredTools(body);
  const { name } = record(record(choice).function);
  const isKnown = [undefined, null, 'auto', 'none', 'required'].includes(choice as null);
  const isNamed = offered.some((tool) => tool !== undefined && tool.name === name);
  const isTold = body.logprobs === true || body.return_token_ids === true;
  const isPlain = !offered.includes(undefined);
  if (offered.every((tool) => tool === undefined) || hasItems(functions) || isTold || !(isKnown || isNamed))
    return undefined;
  return { isForced: choice === 'required' || isNamed, effort: effort ?? record(reasoning).effort, isPlain };
}

/**
 * A vote can make a turn sixteen times as dear: unless calls are forced, the operator or the request must ask for it. Tools that are no
 * functions go to the engine's own endpoint, unless the operator wants votes: then turns leave them out, since agents offer web search unasked.
 */
export function isVoted(
  { engine, config }: Pick<PlannedModel, 'engine' | 'config'>,
  turn: AskedTurn | undefined,
): boolean {
  if (turn === undefined || engine.capabilities.turns !== true || turn.effort === 'none') return false;
  const isWished = turn.isForced || efforts.indexOf(turn.effort as 'low') > efforts.indexOf('minimal');
  return config.tools === 'vote' || (turn.isPlain && isWished);
}

/** Tools that a voted turn does without. */
export function leftOut({ tools }: Plain): string[] {
  const offered = offeredTools({ tools });
  const left = offered.flatMap((tool, at) => (tool === undefined ? [record((tools as unknown[])[at]).type] : []));
  return left.map((type) => `tools.${String(type).slice(0, 40)}`);
}

const turnFields = ['tool_choice', 'parallel_tool_calls', 'response_format', 'stop'] as const;

export function turnFieldsOf(body: ChatBody): TurnFields {
  const offered = offeredTools(body);
  const tools = (body.tools as unknown[]).filter((_, at) => offered[at] !== undefined);
  const said = turnFields.map((name) => [name, body[name] ?? undefined] as const);
  return { tools, ...Object.fromEntries(said.filter(([, value]) => value !== undefined)) };
}

type BodyMessage = ChatBody['messages'][number];

/** `written` is the message for the engine; role and text are for readers of words. */
export function turnMessage(message: BodyMessage): Message {
  const { role, content, tool_calls } = message;
  // Results in other APIs are unchecked.
  const parts = [content].flat().map((part) => (typeof part === 'string' ? part : record(part).text));
  const calls = (Array.isArray(tool_calls) ? tool_calls : []).map((call) => {
    const { name, arguments: given } = record(record(call).function);
    return `${name} ${given}`;
  });
  const said = [...parts, ...calls].filter((each) => typeof each === 'string').join('\n');
  const isPlain = typeof content === 'string' && Object.keys(message).length === 2;
  if (isPlain && (role === 'system' || role === 'user' || role === 'assistant')) return { role, content };
  return { role: readAs[role] ?? 'assistant', content: said, written: message as Plain };
}

/** Results of tools do not count as the user's words. */
const readAs: Readonly<Record<string, Message['role']>> = { system: 'system', developer: 'system', user: 'user' };

/** Some templates need ids whose last nine characters are letters and digits. `choice`: index among several answers. */
export function callId(searchId: string, at: number, choice = 0): string {
  return `call_${searchId.replace(/^srch_/, '')}${(choice * 4096 + at).toString(36).padStart(4, '0')}`;
}

const mostLevels = 100;
const wellFormed = (_: string, value: unknown) => (typeof value === 'string' ? value.toWellFormed() : value);

/** For APIs that want an object. Its client sends it back in a body, which takes no more levels and no half of a character. */
export function argumentsOf(text: string): Plain {
  const value =
    excessIn(text, mostLevels, Number.POSITIVE_INFINITY) === undefined ? jsonOrText(text || '{}', wellFormed) : text;
  return isRecord(value) ? value : { arguments: value };
}
