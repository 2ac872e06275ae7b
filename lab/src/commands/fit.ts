// `npm run lab -- fit FILE [--json]`: a question profile fitted to recorded trees, as `sim --fit FILE` prints it.

import { raise } from 'coppice/internals';
import { run as runSim } from './sim.ts';

export async function run([file, ...args]: readonly string[]): Promise<number> {
  if (file === undefined || file.startsWith('-'))
    return raise(
      'bad-setting',
      'usage: npm run lab -- fit FILE [--json], with a file that npm run lab -- record wrote',
    );
  return runSim(['--fit', file, ...args]);
}
