// A draw may be a turn of an agent: the whole message that an engine's own chat endpoint writes, its calls read by its server's parser.
// It is one step, and its text is JSON.

import type { AgentTurn } from '../../answer/turns.ts';
import { isRecord, jsonOrText } from '../../base/record.ts';
import type { Prompt, TurnFields } from '../step.ts';

/** Set where the draws of a prompt are turns. */
export function agentTurn(prompt: Prompt): TurnFields | undefined {
  return prompt.kind === 'chat' ? prompt.turn : undefined;
}

/** A turn as the text of a step. Words alone are JSON too, so that no words are taken for a call. */
export function turnText({ content, reasoning, calls }: AgentTurn): string {
  const called = calls.map(({ name, arguments: given }) => ({ name, arguments: given }));
  return JSON.stringify({ content: content || null, ...(reasoning && { reasoning }), calls: called });
}

/** Undefined for one that was cut. */
export function turnIn(text: string): AgentTurn | undefined {
  const turn = jsonOrText(text);
  return isRecord(turn) && Array.isArray(turn.calls) ? (turn as unknown as AgentTurn) : undefined;
}

/** For those who judge a turn: what was said before it, what it may call, and what it calls. */
export function turnFacts(prompt: Prompt, text: string): Readonly<Record<string, unknown>> {
  const fields = agentTurn(prompt);
  return fields === undefined ? {} : { messages: writtenIn(prompt), tools: fields.tools, turn: turnIn(text) };
}

/** A conversation as its client wrote it. */
export function writtenIn(prompt: Prompt): readonly object[] {
  return prompt.kind === 'chat' ? prompt.messages.map(({ written, ...plain }) => written ?? plain) : [];
}
