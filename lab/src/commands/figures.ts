// `npm run lab -- figures PAGE`: makes every published figure of one page of lab/docs: prints the tables of all its experiments, and writes its charts
// in their place. Charts that the page does not show go to the folder of results.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { raise } from '@coppice/core/base';
import { experiments } from '../experiments/list.ts';
import {
  chartsFolder,
  pagesFolder,
  readExperiment,
  readFigures,
  resultsFolder,
  runHelp,
} from './experiment-options.ts';
import { runExperiment } from './run-experiment.ts';

export async function run(args: readonly string[]): Promise<number> {
  const { page, run } = readFigures(args);
  if (run.help) {
    console.log(`usage: npm run lab -- figures PAGE [options]\n${pageList()}\n\n${runHelp}`);
    return 0;
  }
  const asked = pageOf(page);
  const text = readFileSync(join(pagesFolder, asked), 'utf8');
  const folderOf = (chart: string) =>
    run.out ?? (text.includes(`(${chart})`) || text.includes(`/${chart})`) ? chartsFolder : resultsFolder);
  for (const { name, published } of experiments.filter((each) => each.page === asked)) {
    for (const flags of published) {
      console.log(`\n# npm run lab -- sim --experiment ${name} ${flags}`.trimEnd());
      console.log();
      const options = readExperiment(['--experiment', name, ...flags.split(' ').filter((word) => word !== '')]);
      await runExperiment({ ...options, run }, folderOf);
    }
  }
  return 0;
}

/** `p1`, `p1.md` or `experiments/p1.md`. */
function pageOf(name: string | undefined): string {
  const pages = publishedPages();
  const found = pages.find((page) => name !== undefined && [page, page.split('/').at(-1), nameOf(page)].includes(name));
  return (
    found ??
    raise('bad-setting', `figures needs one of the pages ${pages.map(nameOf).join(', ')}; it is '${name ?? ''}'`)
  );
}

function publishedPages(): string[] {
  return [...new Set(experiments.flatMap(({ page, published }) => (published.length > 0 ? [page] : [])))];
}

function nameOf(page: string): string {
  return page.split('/').at(-1)!.replace(/\.md$/, '');
}

function pageList(): string {
  return publishedPages()
    .map((page) => {
      const own = experiments.filter((each) => each.page === page && each.published.length > 0);
      return `  ${nameOf(page).padEnd(18)} ${own.map(({ name, takes }) => `${name} (${takes})`).join(', ')}`;
    })
    .join('\n');
}
