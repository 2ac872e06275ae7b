// `npm run lab -- signature`: prints a hash of a small canonical run, the same on every machine.

import { simSignature } from '../sim/signature.ts';

export async function run(): Promise<number> {
  console.log(simSignature());
  return 0;
}
