// Loads the plug-ins of this installation. An imported package registers its engines, verifiers, journals, programs and rules; one that is
// not installed is left out, and a configuration that needs it says which to install.

import { engineKind, type PlainTree } from '@coppice/core/config';
import '@coppice/core';
import '@coppice/sim';

const optional = {
  '@coppice/llama': () => import('@coppice/llama'),
  '@coppice/postgres': () => import('@coppice/postgres'),
  '@coppice/papers': () => import('@coppice/papers'),
};

for (const [name, load] of Object.entries(optional)) {
  try {
    await load();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== 'ERR_MODULE_NOT_FOUND' || !message.includes(`'${name}'`)) throw error;
  }
}

/** The models of `serve` without a configuration: those that ship, else the simulated one. */
export function defaultModels(): readonly PlainTree[] {
  const shipped = engineKind('llama')?.models?.() ?? [];
  return shipped.length === 0 ? simulatedModels() : shipped;
}

export function simulatedModels(): readonly PlainTree[] {
  return engineKind('sim')!.models!();
}
