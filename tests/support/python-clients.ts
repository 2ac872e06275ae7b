// A Python environment with clients of other languages, made once under .cache, by the first of the test files that want it: the others wait.
// Where Python or its package index cannot be had, tests are skipped and say so.

import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = join(root, '.cache', 'python-clients');
/** To install it; less than a minute where nothing else runs. */
const mostMs = 600_000;

export const clientsFolder = join(root, 'tests', 'clients');
const list = join(clientsFolder, 'requirements.txt');
/** What was installed for another list is not complete. */
const stamp = join(folder, `complete-${createHash('sha256').update(readFileSync(list)).digest('hex').slice(0, 12)}`);
export const hasPythonClients = existsSync(stamp) || install();
if (!hasPythonClients) console.log('tests with Python clients are skipped: they could not be installed with pip');

/** SQLite's lock ends with the process that holds it, however that ends. */
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

/** What a program of the environment says; fails with its errors. */
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
