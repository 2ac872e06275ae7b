// Words for a name that is not known: the known one that was probably meant, or the package that brings it. Pure.

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

/** Names that optional packages bring, by package and setting. */
const packaged = {
  papers: {
    program: [
      'beam',
      'rebase',
      'chain',
      'rest',
      'rstar',
      'dvts',
      'ets',
      'tot',
      'refine',
      'tree-samples',
      'scored-tree-samples',
    ],
    policy: ['positive+strict', 'taper'],
  },
  llama: { engine: ['llama'], verifier: ['exact'] },
  sim: { engine: ['sim'], verifier: ['sim'] },
  postgres: { journal: ['postgres'] },
} as const;

export type PackagedProgram = (typeof packaged)['papers']['program'][number];

/** Goes on from "is 'tot', "; undefined for a name that no package of ours has. */
export function packageOf(setting: string, name: string): string | undefined {
  const brings = (names: Readonly<Record<string, readonly string[]>>) => names[setting]?.includes(name);
  const [found] = Object.entries(packaged).find(([, names]) => brings(names)) ?? [];
  return found && `which needs the package @coppice/${found}: npm install @coppice/${found}`;
}
