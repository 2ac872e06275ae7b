// Did you mean: the known name that a mistyped one is probably meant to be. Pure.

/** At most a third of the letters may differ, and two where letters are swapped; a name that begins with all of what was written is meant too. */
export function nearest(written: string, known: readonly string[]): string | undefined {
  const begun = written.length >= 2 ? known.find((name) => name.startsWith(written)) : undefined;
  if (begun !== undefined) return begun;
  const most = Math.max(written.length < 3 ? 1 : 2, Math.floor(written.length / 3));
  const ranked = known
    .map((name) => ({ name, distance: editDistance(written, name) }))
    .filter(({ distance }) => distance <= most)
    .sort((a, b) => a.distance - b.distance);
  return ranked[0]?.name;
}

/** Levenshtein: insertions, deletions and substitutions. */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (const [at, letter] of [...from].entries()) {
    const next = [at + 1];
    for (const [column, other] of [...to].entries()) {
      const changed = row[column]! + (letter === other ? 0 : 1);
      next.push(Math.min(changed, row[column + 1]! + 1, next[column]! + 1));
    }
    row = next;
  }
  return row.at(-1)!;
}
