// What of an entry is text of a user or a model, and what is fact. The two are stored apart, so that texts can be left
// out or erased and the log still folds to the same tree: same nodes, tokens, rewards and strands, with empty texts.

import type { SearchEvent } from '../log/events.ts';
import type { Plain } from './journal.ts';

interface SplitEvent {
  readonly bare: SearchEvent;
  /** Undefined where the event holds no text. */
  readonly texts: Plain | undefined;
}

/** Keys that hold text wherever they stand in an event. */
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

export function splitTexts(event: SearchEvent): SplitEvent {
  const texts: Record<string, unknown> = {};
  const bare = strip(event as unknown as Plain, texts);
  return { bare: bare as unknown as SearchEvent, texts: Object.keys(texts).length === 0 ? undefined : texts };
}

export function joinTexts(bare: SearchEvent, texts: Plain | undefined): SearchEvent {
  return texts === undefined ? bare : (merge(bare as unknown as Plain, texts) as unknown as SearchEvent);
}

function strip(value: Plain, texts: Record<string, unknown>): Plain {
  const bare: Record<string, unknown> = {};
  for (const [key, each] of Object.entries(value)) {
    if (isPlain(each)) {
      const below: Record<string, unknown> = {};
      bare[key] = strip(each, below);
      if (Object.keys(below).length > 0) texts[key] = below;
    } else if (textKeys.has(key)) {
      texts[key] = each;
      if (key === 'text') bare[key] = '';
    } else {
      bare[key] = each;
    }
  }
  return bare;
}

function merge(bare: Plain, texts: Plain): Plain {
  const whole: Record<string, unknown> = { ...bare };
  for (const [key, each] of Object.entries(texts)) {
    const below = bare[key];
    whole[key] = isPlain(each) && isPlain(below) ? merge(below, each) : each;
  }
  return whole;
}

function isPlain(value: unknown): value is Plain {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What a list shows of the texts of a result: the answer, or the content where there is none. */
export function listedTexts(texts: Plain | undefined): Plain | undefined {
  if (texts === undefined) return undefined;
  const { answer, content = null } = texts;
  return typeof answer === 'string' ? { answer } : { content };
}
