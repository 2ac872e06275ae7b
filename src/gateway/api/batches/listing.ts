// Lists of documents in OpenAI's pages: the newest first, after the last of the page before.

import type { DocumentKind, KeptDocument } from '../../../journal/documents.ts';
import { refuse } from '../../http/api-error.ts';
import type { Caller } from '../../http/keys.ts';
import type { GatewayContext } from '../context.ts';

const mostListed = 100;

/** Files and batches are texts: they are there where texts are kept. */
export function requireTexts({ journal }: GatewayContext): void {
  if (journal.texts !== 'keep')
    refuse('bad_request', `files and batches need texts that are kept, and journal.texts is '${journal.texts}'`);
}

export async function listOf(
  { journal }: GatewayContext,
  kind: DocumentKind,
  caller: Caller,
  query: URLSearchParams,
  isWanted: (document: KeptDocument) => boolean = () => true,
) {
  const limit = Number(query.get('limit') ?? 20);
  if (!Number.isInteger(limit) || limit < 1 || limit > mostListed)
    refuse('invalid_value', `'limit' must be a whole number from 1 to ${mostListed}`, 'limit');
  const owner = caller.admin ? {} : { owner: caller.name };
  const found: KeptDocument[] = [];
  let before = query.get('after') ?? '~';
  while (found.length <= limit) {
    const page = await journal.documents.list({ kind, ...owner, before, limit: mostListed });
    found.push(...page.filter(isWanted));
    before = page.at(-1)?.id ?? before;
    if (page.length < mostListed) break;
  }
  const page = found.slice(0, limit);
  const more = { first_id: page[0]?.id ?? null, last_id: page.at(-1)?.id ?? null, has_more: found.length > limit };
  return { page, more };
}
