// For answers that show a stored search: they wait until its end is in the journal, final cost included, so that what one client
// is told is what every later reader finds.

import type { ServerResponse } from 'node:http';
import type { SearchRecord } from '../../journal/journal.ts';
import { ApiError, journalTrouble } from '../http/api-error.ts';
import type { GatewayContext } from './context.ts';

const notWritten = 'the search has ended, but its end cannot be written now; read it later by its id';

/** Of a search that has ended in some process. Waits for as long as its client does, or until the only journal is in trouble. */
export async function endOnRecord(
  { journal, watchers, cluster }: GatewayContext,
  response: ServerResponse,
  id: string,
): Promise<SearchRecord> {
  const gone = new AbortController();
  const stop = () => gone.abort();
  response.once('close', stop);
  const isHopeless = () => cluster === undefined && journal.trouble !== undefined;
  try {
    const record = await watchers.ended(id, gone.signal, isHopeless);
    if (record !== undefined) return record;
    if (isHopeless()) throw journalTrouble(notWritten);
    throw new ApiError('not_found', `there is no search '${id}' any more`);
  } finally {
    response.off('close', stop);
  }
}
