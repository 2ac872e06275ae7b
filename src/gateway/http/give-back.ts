// Memory that a crowd of connections took, back to the system: V8 collects when something is allocated, and an idle server allocates
// next to nothing. Takes about 100 ms, and so is for moments when hardly any client is left.

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

export function giveBackMemory(): void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as (options: object) => void;
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}
