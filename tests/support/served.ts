// `coppice serve` as a separate process, for tests that need a whole server: on any free loopback port, with its
// journal in memory by default, ended with the test.

import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Served {
  readonly url: string;
  stop(): Promise<void>;
}

/** `settings` override the configuration, for example `models.0.policy=boost`; `main` is the command line's file. */
export async function startServer(
  config: object,
  settings: readonly string[] = [],
  main = 'packages/coppice/src/cli/main.ts',
): Promise<Served> {
  const folder = mkdtempSync(join(tmpdir(), 'coppice-served-'));
  const file = join(folder, 'coppice.json');
  writeFileSync(file, JSON.stringify(config));
  const journal = 'journal' in config ? [] : ['--journal', ':memory:'];
  const args = [main, 'serve', '--config', file, '--port', '0', ...journal];
  for (const setting of settings) args.push('--set', setting);
  // The build finds other packages as installed, not by their source.
  const { NODE_OPTIONS: _, ...plain } = process.env;
  const env = main.endsWith('.ts') ? process.env : plain;
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'], env });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const stop = async () => {
    child.kill('SIGTERM');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  return { url: await addressOf(child), stop };
}

/** Reads the address from the first line of output. */
function addressOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = '';
    let log = '';
    child.stderr?.on('data', (piece) => {
      log = `${log}${piece}`.slice(-2000);
    });
    child.stdout?.on('data', (piece) => {
      said += String(piece);
      const address = /http:\/\/[\d.]+:\d+/.exec(said)?.[0];
      if (address !== undefined) resolve(address);
    });
    child.once('exit', (code) => reject(new Error(`coppice serve ended with ${code}: ${log}`)));
  });
}
