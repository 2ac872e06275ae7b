// `coppice serve` on the simulated engine, in a process of its own, for benchmarks that talk to it over HTTP.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { commandFile } from './command-file.ts';

interface SimulatedServer {
  readonly url: string;
  readonly child: ChildProcess;
}

/** Resolves when the server prints its address. */
export async function startServer(settings: readonly string[], args: readonly string[]): Promise<SimulatedServer> {
  const set = settings.flatMap((each) => ['--set', each]);
  const child = spawn(
    process.execPath,
    [...process.execArgv, commandFile, 'serve', '--sim', '--port', '0', ...set, ...args],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const url = await new Promise<string>((resolve, reject) => {
    let said = '';
    child.stdout.on('data', (text) => {
      said += String(text);
      const [, found] = /at (http:\/\/\S+)\s/.exec(said) ?? [];
      if (found !== undefined) resolve(found);
    });
    child.once('exit', (code) => reject(new Error(`coppice serve ended with ${code}`)));
  });
  return { url, child };
}

export async function stopServer({ child }: SimulatedServer): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}
