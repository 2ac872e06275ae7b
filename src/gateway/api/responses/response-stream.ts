// The events of a response, from one of two sources: the journal, where an event goes out only when it is on disk and a
// reader may come back; or the live search, for a response that is not stored.

import { FaultError } from '../../../base/fault.ts';
import type { SearchRecord } from '../../../journal/journal.ts';
import { asApiError } from '../../http/api-error.ts';
import type { LiveSearch } from '../../searches/live-search.ts';
import type { ResultFacts, ResultTexts } from '../../wire/result-json.ts';
import type { ErrorJson } from '../../wire/search-json.ts';
import type { GatewayContext } from '../context.ts';
import { type ResponseEvent, ResponseFold } from './response-fold.ts';
import type { ResponseEnd, ResponseFacts } from './response-json.ts';

const pageSize = 500;

/** From the first, up to the last word; waits for what is not on disk yet, or cannot be read now. */
export async function* storedEvents(
  context: GatewayContext,
  facts: ResponseFacts,
  gone: AbortSignal,
): AsyncGenerator<ResponseEvent> {
  const fold = new ResponseFold(facts);
  yield* fold.begin();
  try {
    yield* loggedEvents(context, facts.id, fold, gone);
  } catch (error) {
    if (!(error instanceof FaultError) || error.fault.code !== 'damaged') throw error;
    yield* fold.finish({ state: 'failed', outcome: undefined, texts: undefined, error: asApiError(error).body });
  }
}

async function* loggedEvents(
  { watchers, searches }: GatewayContext,
  id: string,
  fold: ResponseFold,
  gone: AbortSignal,
): AsyncGenerator<ResponseEvent> {
  for (let after = -1; ; ) {
    const page = await watchers.page(id, after, gone, () => searches.find(id) !== undefined);
    if (page === undefined) return;
    for (const entry of page.entries) yield* fold.apply(entry);
    after = page.entries.at(-1)?.sequence ?? after;
    if (page.record !== undefined) yield* fold.finish(endOfRecord(page.record));
    if (page.entries.length === 0) return;
  }
}

/** Follows a search that has just been started; nothing of its log has been missed. */
export class LiveResponse {
  readonly #fold: ResponseFold;
  readonly #search: LiveSearch;

  constructor(search: LiveSearch, facts: ResponseFacts, give: (event: ResponseEvent) => void = () => {}) {
    this.#fold = new ResponseFold(facts);
    this.#search = search;
    const tell = (events: readonly ResponseEvent[]) => {
      for (const event of events) give(event);
    };
    tell(this.#fold.begin());
    for (const entry of search.unwritten) tell(this.#fold.apply(entry));
    search.listeners.add({
      event: (entry) => tell(this.#fold.apply(entry)),
      ended: () => tell(this.#fold.finish(endOfLive(search))),
    });
  }

  json(end = endOfLive(this.#search)) {
    return this.#fold.json(end);
  }
}

export function endOfLive({ state, ended }: LiveSearch): ResponseEnd {
  const { result, error } = ended ?? {};
  return { state, outcome: result?.outcome, texts: result?.texts, error: error?.body };
}

export function endOfRecord({ state, outcome, texts }: SearchRecord): ResponseEnd {
  const { error, ...facts } = (outcome ?? {}) as Partial<ResultFacts> & { readonly error?: ErrorJson };
  const known = facts.exit === undefined ? undefined : (facts as ResultFacts);
  return { state, outcome: known, texts: texts as ResultTexts | undefined, error };
}

/** What has been given out until now. */
export async function foldStored({ journal }: GatewayContext, facts: ResponseFacts): Promise<ResponseFold> {
  const fold = new ResponseFold(facts);
  for (let after = -1; ; ) {
    const entries = await journal.read(facts.id, after, pageSize);
    for (const entry of entries) fold.apply(entry);
    after = entries.at(-1)?.sequence ?? after;
    if (entries.length < pageSize) return fold;
  }
}
