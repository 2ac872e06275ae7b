// Which items of a response's input a search can take: messages of text, and reasoning of former turns.

/** Parts of a message that are text. */
export const textTypes: readonly string[] = ['input_text', 'output_text', 'text', 'refusal'];

const itemTypes: readonly unknown[] = ['message', 'reasoning', 'item_reference', undefined];

/** Whether an item of an input is more than a search takes. Reads what nobody has checked yet. */
export function isBeyondSearch(value: unknown): boolean {
  const { type, content } = (value ?? {}) as { readonly type?: unknown; readonly content?: unknown };
  if (!itemTypes.includes(type)) return true;
  const types = Array.isArray(content) ? content.map((part) => (part as { type?: unknown } | null)?.type) : [];
  return type !== 'reasoning' && types.some((each) => typeof each === 'string' && !textTypes.includes(each));
}
