// `npm run lab -- list`: lists every experiment, the page with its figures, and the rough time of its published runs.

import { printed, tableOf } from '../experiment/table.ts';
import { experiments } from '../experiments/list.ts';

export async function run(): Promise<number> {
  const table = tableOf(
    [
      { heading: 'experiment', left: true, of: ({ name }) => name },
      { heading: 'page of lab/docs', left: true, of: ({ page }) => page },
      { heading: 'takes', left: true, of: ({ takes }) => takes },
      { heading: 'about', left: true, of: ({ about }) => about },
    ],
    experiments,
  );
  console.log(printed([table], 'text'));
  return 0;
}
