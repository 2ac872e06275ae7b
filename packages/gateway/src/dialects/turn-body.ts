// A turn of an agent in the words of a chat: when a body with tools is a search, what the engine gets of it, and the ids of the calls that
// come back. The other dialects write their tools, calls and results as a chat does first.

import { offeredTools } from '@coppice/core/answer';
import type { PlannedModel } from '@coppice/core/answering';
import { isRecord, jsonOrText } from '@coppice/core/base';
import { efforts } from '@coppice/core/config';
import type { Plain } from '@coppice/core/journal';
import type { Message, TurnFields } from '@coppice/core/tree';
import type { ChatBody } from './chat-body.ts';
import { isFull, record } from './unchecked.ts';

export interface AskedTurn {
  readonly isForced: boolean;
  readonly effort: unknown;
  /** It may call nothing but functions. */
  readonly isPlain: boolean;
}

/** Undefined for what an engine's own endpoint alone can do: tools none of which is a function, choices of other kinds, tokens that are told. */
export function askedTurn(body: Plain): AskedTurn | undefined {
  const { functions, tool_choice: choice, reasoning_effort: effort, reasoning } = body;
  const offered = offeredTools(body);
  const { name } = record(record(choice).function);
  const isKnown = [undefined, null, 'auto', 'none', 'required'].includes(choice as null);
  const isNamed = offered.some((tool) => tool !== undefined && tool.name === name);
  const isTold = body.logprobs === true || body.return_token_ids === true;
  const isPlain = !offered.includes(undefined);
  if (offered.every((tool) => tool === undefined) || isFull(functions) || isTold || !(isKnown || isNamed))
    return undefined;
  return { isForced: choice === 'required' || isNamed, effort: effort ?? record(reasoning).effort, isPlain };
}

/**
 * No agent becomes sixteen times as dear unasked: where calls are not forced, the operator or the request says so. Tools that are no functions
 * go to the engine's own endpoint, unless the operator wants votes: its turns do without them, as agents offer a search of the web unasked.
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

/** Its text, for readers of words, beside the message that the engine gets. */
export function turnMessage(message: BodyMessage): Message {
  const { role, content, tool_calls } = message;
  const parts = typeof content === 'string' ? [content] : (content ?? []).map(({ text }) => text);
  const calls = (Array.isArray(tool_calls) ? tool_calls : []).map((call) => {
    const { name, arguments: given } = record(record(call).function);
    return `${name} ${given}`;
  });
  const said = [...parts, ...calls].filter((each) => typeof each === 'string').join('\n');
  const isPlain = typeof content === 'string' && Object.keys(message).length === 2;
  if (isPlain && (role === 'system' || role === 'user' || role === 'assistant')) return { role, content };
  return { role: readAs[role] ?? 'assistant', content: said, written: message as Plain };
}

/** Results of tools are no words of the user's. */
const readAs: Readonly<Record<string, Message['role']>> = { system: 'system', developer: 'system', user: 'user' };

/** Some templates take ids whose last nine characters are letters and digits alone. `choice`: of several answers. */
export function callId(searchId: string, at: number, choice = 0): string {
  return `call_${searchId.replace(/^srch_/, '')}${(choice * 4096 + at).toString(36).padStart(4, '0')}`;
}

/** For APIs that want an object. */
export function argumentsOf(text: string): Plain {
  const value = jsonOrText(text || '{}');
  return isRecord(value) ? value : { arguments: value };
}
