// Names that optional packages register, so that a refusal can say what to install where a package is missing.

const papers: Readonly<Record<string, readonly string[]>> = {
  program: ['rest', 'rstar', 'dvts', 'ets', 'tot', 'aggregate', 'pairwise', 'tree-samples', 'scored-tree-samples'],
  certain: ['beta', 'windows', 'margin', 'threshold', 'curve'],
};

/** Goes on from "is 'tot', "; undefined for a name that no package of ours has. */
export function packageOf(setting: string, name: string): string | undefined {
  if (!papers[setting]?.includes(name)) return undefined;
  return 'which needs the package @coppice/papers: npm install @coppice/papers';
}
