// Starts a benchmark's server in a process of its own; its file is in this folder and prints its port.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export interface ChildServer {
  readonly url: string;
  stop(): void;
}

export async function startServer(name: string, args: readonly string[] = []): Promise<ChildServer> {
  const script = fileURLToPath(new URL(import.meta.url.replace(/child-server(?=\.[jt]s$)/, name)));
  const child = spawn(process.execPath, [...process.execArgv, script, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [port] = (await once(child.stdout, 'data')) as [Buffer];
  return { url: `http://127.0.0.1:${port.toString().trim()}`, stop: () => void child.kill() };
}
