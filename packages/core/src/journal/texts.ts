// Splits an entry into texts of users and models, and facts. Stored apart, texts can be erased and the log still folds to the same tree.

import { isRecord } from '../base/record.ts';
import type { LogEntry } from '../log/entry.ts';
import type { SearchEvent } from '../log/events.ts';
import type { Plain } from './documents.ts';

const textKeys: ReadonlySet<string> = new Set([
  'text',
  'answer',
  'feedback',
  'turn',
  'tokenIds',
  'composed',
  'written',
  'pieces',
]);

function joinTexts(bare: SearchEvent, texts: Plain | undefined): SearchEvent {
  return texts === undefined ? bare : (merge(bare as unknown as Plain, texts) as unknown as SearchEvent);
}

/** `more` stands beside the fields of the first event, in facts and in texts. */
interface StoredEntry {
  readonly body: Plain;
  readonly texts: Plain | undefined;
}

export function splitEntry({ event, more }: Pick<LogEntry, 'event' | 'more'>): StoredEntry {
  const first = strip(event as unknown as Plain);
  if (more === undefined) return { body: first.bare, texts: first.texts };
  const rest = more.map((each) => strip(each as unknown as Plain));
  const restTexts = rest.some(({ texts }) => texts !== undefined) && { more: rest.map(({ texts }) => texts ?? null) };
  return {
    body: { ...first.bare, more: rest.map(({ bare }) => bare) },
    texts: first.texts === undefined && !restTexts ? undefined : { ...first.texts, ...restTexts },
  };
}

export function joinEntry({ body, texts }: StoredEntry): Pick<LogEntry, 'event' | 'more'> {
  if (!Array.isArray(body.more)) return { event: joinTexts(body as unknown as SearchEvent, texts) };
  const { more, ...first } = body as unknown as SearchEvent & Required<Pick<LogEntry, 'more'>>;
  const { more: restTexts = [], ...firstTexts } = (texts ?? {}) as Plain & {
    readonly more?: readonly (Plain | null)[];
  };
  return {
    event: joinTexts(first as SearchEvent, firstTexts),
    more: more.map((each, at) => joinTexts(each, restTexts[at] ?? undefined)),
  };
}

/** A value without texts is given as it is, without a copy. */
function strip(value: Plain): { readonly bare: Plain; readonly texts: Plain | undefined } {
  let bare: Record<string, unknown> | undefined;
  let texts: Record<string, unknown> | undefined;
  for (const key of Object.keys(value)) {
    const each = value[key];
    const below = isRecord(each) ? strip(each) : undefined;
    if (below === undefined ? !textKeys.has(key) : below.texts === undefined) continue;
    bare ??= { ...value };
    texts ??= {};
    texts[key] = below?.texts ?? each;
    bare[key] = below?.bare ?? (key === 'text' ? '' : undefined);
  }
  return { bare: bare ?? value, texts };
}

function merge(bare: Plain, texts: Plain): Plain {
  const whole: Record<string, unknown> = { ...bare };
  for (const [key, each] of Object.entries(texts)) {
    const below = bare[key];
    whole[key] = isRecord(each) && isRecord(below) ? merge(below, each) : each;
  }
  return whole;
}

export function listedTexts(texts: Plain | undefined): Plain | undefined {
  if (texts === undefined) return undefined;
  const { answer, content = null } = texts;
  return typeof answer === 'string' ? { answer } : { content };
}
