// A Python environment with clients of other languages, made once under .cache by the first test file that needs it, while the others wait.
// Without Python or its package index, tests are skipped and say so.

import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = join(root, '.cache', 'python-clients');
/** Longest installation; it takes less than a minute on an idle machine. */
const mostMs = 600_000;

export const clientsFolder = join(root, 'tests', 'clients');
const list = join(clientsFolder, 'requirements.txt');
/** Named by the list of packages: an installation of another list does not count as complete. */
const stamp = join(folder, `complete-${createHash('sha256').update(readFileSync(list)).digest('hex').slice(0, 12)}`);
export const hasPythonClients = existsSync(stamp) || install();
if (!hasPythonClients) console.log('tests with Python clients are skipped: they could not be installed with pip');

/** SQLite's lock is released whenever and however the process that holds it ends. */
function install(): boolean {
  mkdirSync(join(root, '.cache'), { recursive: true });
  const lock = new DatabaseSync(`${folder}.lock`, { timeout: 2 * mostMs });
  try {
    lock.exec('begin exclusive');
    return existsSync(stamp) || makeEnvironment();
  } finally {
    lock.close();
  }
}

function makeEnvironment(): boolean {
  const made = spawnSync('python3', ['-m', 'venv', folder], { timeout: mostMs });
  if (made.status !== 0) return false;
  const pip = spawnSync(program('pip'), ['install', '--quiet', '--requirement', list], { timeout: mostMs });
  if (pip.status !== 0) return false;
  writeFileSync(stamp, '');
  return true;
}

function program(name: string): string {
  return join(folder, 'bin', name);
}

/** Output of a Python program; throws with its errors if it fails. */
export function runPython(
  name: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(program(name), args, { cwd: folder, env: { ...process.env, ...environment } });
    const [said, errors]: [string[], string[]] = [[], []];
    child.stdout.on('data', (text) => said.push(String(text)));
    child.stderr.on('data', (text) => errors.push(String(text)));
    child.once('error', reject);
    child.once('exit', (code) => {
      if (code === 0) resolve(said.join(''));
      else
        reject(new Error(`${name} ended with ${code}: ${errors.join('').slice(-3000)}\n${said.join('').slice(-3000)}`));
    });
  });
}
