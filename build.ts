// Compiles every package to its dist/, each after those that it imports, since their types come from there; and puts the pages of the
// repository beside the command, for those who install it.

import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const root = import.meta.dirname;
const order = ['core', 'sim', 'papers', 'postgres', 'llama', 'gateway', 'coppice'];

for (const name of order) {
  const folder = join(root, 'packages', name);
  rmSync(join(folder, 'dist'), { recursive: true, force: true });
  const compiler = join(root, 'node_modules', '.bin', 'tsc');
  execFileSync(compiler, ['--project', folder], { stdio: 'inherit' });
}

const pages = join(root, 'packages', 'coppice', 'dist', 'pages');
for (const path of ['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'docs', 'lab/docs'])
  cpSync(join(root, path), join(pages, path), { recursive: true });
for (const page of globSync('**/*.md', { cwd: pages })) {
  const file = join(pages, page);
  const isHere = (target: string) => existsSync(join(dirname(file), target));
  // A link to what is not copied stays as its words.
  const text = readFileSync(file, 'utf8').replace(
    /(?<!!)\[([^\]]*)\]\((?!\w+:|#)([^)#]*)[^)]*\)/g,
    (link, words: string, target: string) => (isHere(target) ? link : words),
  );
  writeFileSync(file, text);
}
