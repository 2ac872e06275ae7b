// Lists of documents in OpenAI's pages: the newest first, after the last of the page before.

import { z } from 'zod';
import type { DocumentKind, KeptDocument } from '../../../journal/documents.ts';
import { refuse } from '../../http/api-error.ts';
import { readQuery } from '../../http/checked-input.ts';
import type { Caller } from '../../http/keys.ts';
import type { GatewayContext } from '../context.ts';

const mostListed = 100;

export const listQuery = z.object({
  limit: z.int().min(1).max(mostListed).default(20),
  after: z.string().optional(),
});

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
  const { limit, after } = readQuery(listQuery, query);
  const owner = caller.admin ? {} : { owner: caller.name };
  const found: KeptDocument[] = [];
  let before = after ?? '~';
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
