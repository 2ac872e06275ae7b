// Finds files and batches among the journal's documents and lists them, newest first, in the pages of OpenAI's API.

import type { DocumentKind, KeptDocument } from '@coppice/core/journal';
import { z } from 'zod';
import type { GatewayContext } from '../api/context.ts';
import { ApiError, refuse } from '../http/api-error.ts';
import { readQuery } from '../http/checked-input.ts';
import type { Exchange } from '../http/exchange.ts';
import { type Caller, maySee, ownerSeenBy } from '../http/keys.ts';

const mostListed = 100;

export const listQuery = z.object({
  limit: z.int().min(1).max(mostListed).default(20),
  after: z.string().optional(),
});

export function requireTexts({ journal }: GatewayContext): void {
  if (journal.texts !== 'keep')
    refuse('bad_request', `files and batches need texts that are kept, and journal.texts is '${journal.texts}'`);
}

export async function findDocument(
  context: GatewayContext,
  kind: DocumentKind,
  caller: Caller,
  id = '',
): Promise<KeptDocument> {
  requireTexts(context);
  const document = await context.journal.documents.find(id);
  const isReadable = document?.kind === kind && (kind === 'batch' || !document.open);
  if (isReadable && maySee(caller, document.owner)) return document;
  throw new ApiError('not_found', `there is no ${kind} '${id.slice(0, 64)}'`);
}

export async function listOf(
  context: GatewayContext,
  kind: DocumentKind,
  { caller, query }: Exchange,
  view: (document: KeptDocument) => { readonly id: string } | Promise<{ readonly id: string }>,
  isWanted: (document: KeptDocument) => boolean = () => true,
) {
  requireTexts(context);
  const { limit, after } = readQuery(listQuery, query);
  const owner = ownerSeenBy(caller);
  const found: KeptDocument[] = [];
  let before = after ?? '~';
  while (found.length <= limit) {
    const whose = owner === undefined ? {} : { owner };
    const page = await context.journal.documents.list({ kind, ...whose, before, limit: mostListed });
    found.push(...page.filter(isWanted));
    before = page.at(-1)?.id ?? before;
    if (page.length < mostListed) break;
  }
  const data = await Promise.all(found.slice(0, limit).map(view));
  const ends = { first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null };
  return { object: 'list', data, ...ends, has_more: found.length > limit };
}
