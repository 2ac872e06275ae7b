// Selects the turns of a session that are shown beside one of them: those of its key, oldest first. Pure.

import type { SearchJson } from '../../../src/wire/search-json.ts';

/** Number of turns that the page asks the server for. */
export const mostTurns = 60;

export function sessionTurns(listed: readonly SearchJson[], { key }: Pick<SearchJson, 'key'>) {
  const turns = listed.filter((each) => each.key === key).toReversed();
  return { turns, isCut: listed.length >= mostTurns };
}
