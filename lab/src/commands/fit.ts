// `npm run lab -- fit FILE [--json]`: fits a question profile to recorded trees, and reports how well it fits.

import { raise } from '@coppice/core/base';
import { readArguments } from '../flags.ts';
import { fitProfile } from '../profile-fit/fit-profile.ts';
import { fitTable } from '../profile-fit/fit-table.ts';
import { readTrees } from '../service/index.ts';

export async function run(args: readonly string[]): Promise<number> {
  const options = { json: { type: 'boolean' } } as const;
  const { values, positionals } = readArguments({ args: [...args], options, allowPositionals: true });
  const [file] = positionals;
  if (file === undefined || positionals.length > 1)
    return raise(
      'bad-setting',
      'usage: npm run lab -- fit FILE [--json], with a file that npm run lab -- record wrote',
    );
  const { header, trees } = readTrees(file, 'fit');
  const fit = fitProfile(`${header.model} ${file}`, trees, header.samples);
  const head = `${trees.length} questions, ${header.samples} samples each, ${header.model} scored by ${header.verifier}, seed ${header.seed}; the model drew as many.`;
  const text = `${head}\n\n${fitTable(fit)}\n\nthe profile:\n${JSON.stringify(fit.profile, undefined, 1)}`;
  console.log(values.json ? JSON.stringify(fit, undefined, 1) : text);
  return 0;
}
