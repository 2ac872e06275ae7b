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
