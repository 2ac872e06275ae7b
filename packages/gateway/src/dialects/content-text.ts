// Reads the text of a message from the parts of any API. Refuses parts of other kinds by name.

import type { Plain } from '@coppice/core/journal';
import { refuseField } from '../http/api-error.ts';
import { record } from './unchecked.ts';

/** Keyed by the part's type. */
type PartReaders = Readonly<Record<string, (part: Plain) => unknown>>;

export const textIn = ({ text }: Plain) => text;
export const refusalIn = ({ refusal }: Plain) => refusal;
/** Thinking of former turns is dropped, as is usual. */
export const dropped = () => '';

export function textOf(content: string | readonly { readonly type: string }[], where: string, readers: PartReaders) {
  if (typeof content === 'string') return content.toWellFormed();
  const texts = content.map((part, at) => {
    const text = isReadBy(readers, part) ? readers[part.type]!(part) : undefined;
    if (typeof text === 'string') return text.toWellFormed();
    const reason = `is of type '${part.type.slice(0, 40)}': a search takes text only`;
    return refuseField('unsupported_parameter', `${where}.${at}`, reason);
  });
  return texts.join('');
}

/** `part` is unchecked. One without a type passes here, and is refused when it is checked. */
export function isReadBy(readers: PartReaders, part: unknown): boolean {
  const { type } = record(part);
  return typeof type !== 'string' || Object.hasOwn(readers, type);
}

interface SpokenMessage {
  readonly role: string;
  readonly content?: unknown;
}

/**
 * Many templates know no `developer`, and take a system message at the start alone: what a conversation says before its first turn opens
 * it, later instructions stand where they are, as the user's.
 */
export function openedBySystem<Message extends SpokenMessage>(messages: readonly Message[]): Message[] {
  const isSystem = ({ role }: SpokenMessage) => role === 'system' || role === 'developer';
  const turnAt = messages.findIndex(({ role }) => role === 'assistant');
  const opens = (each: SpokenMessage, at: number) => isSystem(each) && (turnAt < 0 || at < turnAt);
  const first = messages.filter(opens);
  const rest = messages.filter((each, at) => !opens(each, at));
  const content = first.map((each) => plainText(each.content)).join('\n\n');
  const opening = first.slice(0, 1).map((each) => ({ ...each, role: 'system', content }));
  return [...opening, ...rest.map((each) => (isSystem(each) ? { ...each, role: 'user' } : each))];
}

function plainText(content: unknown): string {
  const parts: readonly unknown[] = Array.isArray(content) ? content.map((part) => record(part).text) : [content];
  return parts.filter((part) => typeof part === 'string').join('');
}
