// A conversation as a prompt. Text parts are joined as they are; anything else has been passed through or is refused by
// name. Never rebuilds or shortens what the client wrote.

import type { LimitsConfig } from '../../config/schema.ts';
import { mostPromptChars } from '../../config/search-limits.ts';
import type { Message, Prompt } from '../../tree/step.ts';
import { refuse } from '../http/api-error.ts';
import { fixedLimits } from '../http/fixed-limits.ts';
import type { ChatBody } from './chat-body.ts';

type BodyMessage = ChatBody['messages'][number];

const titleLength = 120;

export function readMessages(
  messages: readonly BodyMessage[],
  limits: LimitsConfig,
): { prompt: Prompt; title: string } {
  if (messages.length > fixedLimits.messages) {
    refuse('invalid_value', `'messages' has ${messages.length} items; at most ${fixedLimits.messages}`, 'messages');
  }
  const read = messages.map(readMessage);
  const chars = read.reduce((sum, { content }) => sum + content.length, 0);
  const most = mostPromptChars(limits);
  if (chars > most) {
    refuse(
      'context_length_exceeded',
      `'messages' hold ${chars} characters; at most ${most} (2 for each of limits.tokens)`,
      'messages',
    );
  }
  if (chars === 0) refuse('invalid_value', "'messages' hold no text", 'messages');
  const last = read.findLast(({ role }) => role === 'user') ?? read.at(-1)!;
  const title = last.content.trim().slice(0, titleLength).toWellFormed();
  return { prompt: { kind: 'chat', messages: read }, title };
}

/** Whether a message holds what only an engine's own chat endpoint understands. Reads what nobody has checked yet. */
export function needsPassthrough(message: unknown): boolean {
  if (!isRecord(message)) return false;
  const { role, tool_calls: calls, content } = message;
  if (role === 'tool' || role === 'function' || (calls !== undefined && calls !== null)) return true;
  return Array.isArray(content) && content.some((part: unknown) => isRecord(part) && part.type !== 'text');
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

/** Fields of a message that mean something which a search would have to leave out. Reasoning of former turns is left out. */
const unhonoured = ['name', 'tool_calls', 'tool_call_id', 'function_call', 'audio', 'annotations'] as const;

function readMessage(message: BodyMessage, at: number): Message {
  const where = `messages.${at}`;
  if (message.role === 'tool' || message.role === 'function') {
    return refuse(
      'unsupported_parameter',
      `'${where}.role' is '${message.role}': a search takes no tool messages`,
      `${where}.role`,
    );
  }
  for (const field of unhonoured) {
    const value = message[field];
    if (value === undefined || value === null || (Array.isArray(value) && value.length === 0)) continue;
    refuse('unsupported_parameter', `'${where}.${field}' cannot be honoured by a search`, `${where}.${field}`);
  }
  const role = message.role === 'developer' ? 'system' : message.role;
  return { role, content: readContent(message.content ?? message.refusal, `${where}.content`) };
}

function readContent(content: BodyMessage['content'], where: string): string {
  if (content === null || content === undefined) return '';
  if (typeof content === 'string') return content.toWellFormed();
  const texts = content.map((part, at) => {
    if (part.type === 'text' && typeof part.text === 'string') return readText(part, part.text, `${where}.${at}`);
    return refuse(
      'unsupported_parameter',
      `'${where}.${at}' is of type '${part.type.slice(0, 40)}': a search takes text only`,
      `${where}.${at}`,
    );
  });
  return texts.join('');
}

function readText(part: Readonly<Record<string, unknown>>, text: string, where: string): string {
  const unknown = Object.keys(part).find((key) => key !== 'type' && key !== 'text');
  if (unknown !== undefined)
    refuse('unknown_parameter', `'${where}.${unknown}' is not a known parameter`, `${where}.${unknown}`);
  return text.toWellFormed();
}
