// The turns of a session that are shown beside one of them: those of its key, in the order in which they came. Pure.

import type { SearchJson } from '../../../src/wire/search-json.ts';

/** As many as the page asks the server for. */
export const mostTurns = 60;

export function sessionTurns(listed: readonly SearchJson[], { key }: Pick<SearchJson, 'key'>) {
  const turns = listed.filter((each) => each.key === key).toReversed();
  return { turns, isCut: listed.length >= mostTurns };
}
