// The plug-ins of this installation: each package registers its kinds of engines, verifiers and journals, its programs and rules, when it is imported. A package
// that is not installed is left out; a configuration that needs it says which to install.

import type { PlainTree } from '../../config/load.ts';
import { engineKind } from '../../config/plugin.ts';
import '../../answering/models/built-in.ts';
import '../../answering/models/simulated-plugin.ts';

const optional = [
  () => import('../../answering/models/embedded-plugin.ts'),
  () => import('../../cluster/plugin.ts'),
  () => import('../../papers/index.ts'),
];

for (const load of optional) {
  try {
    await load();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
  }
}

/** The models that `serve` has where no configuration names any: those that ship, else the simulated one. */
export function defaultModels(): readonly PlainTree[] {
  const shipped = engineKind('llama')?.models?.() ?? [];
  return shipped.length === 0 ? simulatedModels() : shipped;
}

export function simulatedModels(): readonly PlainTree[] {
  return engineKind('sim')!.models!();
}
