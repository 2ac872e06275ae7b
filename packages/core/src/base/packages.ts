// Names that optional packages register, so that a refusal can say what to install where a package is missing.

const papers = {
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
} as const;

export type PackagedProgram = (typeof papers)['program'][number];

/** Goes on from "is 'tot', "; undefined for a name that no package of ours has. */
export function packageOf(setting: string, name: string): string | undefined {
  const names: Readonly<Record<string, readonly string[]>> = papers;
  if (!names[setting]?.includes(name)) return undefined;
  return 'which needs the package @coppice/papers: npm install @coppice/papers';
}
