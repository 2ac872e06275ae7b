// `coppice serve` as a separate process, for tests that kill or load it.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const main = fileURLToPath(new URL('../../packages/coppice/src/cli/main.ts', import.meta.url));

export class ServedProcess {
  readonly url: string;
  readonly #child: ChildProcess;
  readonly #errors: string[];

  private constructor(url: string, child: ChildProcess, errors: string[]) {
    this.url = url;
    this.#child = child;
    this.#errors = errors;
  }

  /** `ended` kills it, started or not. */
  static async start(
    args: readonly string[],
    environment: NodeJS.ProcessEnv = {},
    ended?: AbortSignal,
  ): Promise<ServedProcess> {
    const fixed = ['--conditions=coppice-source', main, 'serve', '--port', '0', '--set', 'log.level=warn'];
    const child = spawn(process.execPath, [...fixed, ...args], {
      // As if started by hand, without the test runner's settings.
      env: { ...process.env, NODE_OPTIONS: '', ...environment },
      killSignal: 'SIGKILL',
      ...(ended && { signal: ended }),
    });
    const errors: string[] = [];
    let said = '';
    child.stderr.on('data', (text) => errors.push(String(text)));
    const url = await new Promise<string>((resolve, reject) => {
      child.on('error', reject);
      child.stdout.on('data', (text) => {
        said += String(text);
        const [, found] = /at (http:\/\/\S+)\s/.exec(said) ?? [];
        if (found !== undefined) resolve(found);
      });
      child.once('exit', (code) => reject(new Error(`serve ended with ${code}: ${errors.join('')}`)));
    });
    return new ServedProcess(url, child, errors);
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  get errors(): string {
    return this.#errors.join('');
  }

  /** Like a power failure: the process writes nothing more. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  /** Freezes the process, which then seems to hang; `resume` continues it. */
  pause(): void {
    this.#child.kill('SIGSTOP');
  }

  resume(): void {
    this.#child.kill('SIGCONT');
  }

  async stop(): Promise<number> {
    await this.#end('SIGTERM');
    return this.#child.exitCode ?? -1;
  }

  async #end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exit = once(this.#child, 'exit');
    this.#child.kill(signal);
    await exit;
  }
}
