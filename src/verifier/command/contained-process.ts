// One process under its limits: JSON on its input, what it writes on its output, killed as a group when its time, its memory or its output is over. Its
// folder is made before it and is gone after it. How it ends is a value; nothing that it does can throw here.

import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { watchMemory } from './memory-watch.ts';
import type { Sandbox, SandboxLimits } from './sandbox.ts';

export interface ProcessLimits extends SandboxLimits {
  readonly outputKiB: number;
}

export interface ContainedCommand {
  readonly sandbox: Sandbox;
  readonly command: readonly string[];
  readonly readable: readonly string[];
  readonly limits: ProcessLimits;
}

/** `why`: what it was stopped for; undefined where it ended by itself. */
export interface ProcessEnd {
  readonly output: string;
  readonly errors: string;
  readonly code: number | null;
  readonly signal: string | null;
  readonly stopped?: 'time' | 'memory' | 'output' | 'cancelled' | undefined;
  /** It could not be started at all. */
  readonly broken?: string | undefined;
}

const keptErrors = 4096;

export function runContained(
  { sandbox, command, readable, limits }: ContainedCommand,
  input: string,
  signal: AbortSignal,
): Promise<ProcessEnd> {
  const place = mkdtempSync(join(tmpdir(), 'coppice-run-'));
  const folder = join(place, 'work');
  mkdirSync(folder);
  mkdirSync(join(place, 'root'));
  const [file, ...rest] = sandbox.wrap(command, folder, readable, limits);
  const child = spawn(file!, rest, { cwd: folder, detached: true, stdio: ['pipe', 'pipe', 'pipe'], env: cleared() });
  return ended(child, input, limits, signal).finally(() => rmSync(place, { recursive: true, force: true }));
}

/** Keys of servers and databases stand in the environment: nothing of it is passed on but the way to programs. */
function cleared(): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH, LANG: 'C.UTF-8' };
}

function ended(child: ChildProcess, input: string, limits: ProcessLimits, signal: AbortSignal): Promise<ProcessEnd> {
  const { promise, resolve } = Promise.withResolvers<ProcessEnd>();
  const written: Buffer[] = [];
  let [bytes, errors] = [0, ''];
  let stopped: ProcessEnd['stopped'];
  const stop = (why: NonNullable<ProcessEnd['stopped']>) => {
    stopped ??= why;
    killGroup(child);
  };
  const timer = setTimeout(() => stop('time'), limits.timeoutMs);
  const endWatch = watchMemory(child.pid, limits.memoryMiB, () => stop('memory'));
  const cancel = () => stop('cancelled');
  signal.addEventListener('abort', cancel, { once: true });
  if (signal.aborted) cancel();
  const finish = (end: Omit<ProcessEnd, 'output' | 'errors' | 'stopped'>) => {
    clearTimeout(timer);
    endWatch();
    signal.removeEventListener('abort', cancel);
    killGroup(child);
    resolve({ output: Buffer.concat(written).toString('utf8'), errors, stopped, ...end });
  };
  child.stdout?.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > limits.outputKiB * 1024) return stop('output');
    written.push(chunk);
  });
  child.stderr?.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > limits.outputKiB * 1024) return stop('output');
    errors = (errors + chunk.toString('utf8')).slice(-keptErrors);
  });
  child.on('error', (error) => finish({ code: null, signal: null, broken: error.message }));
  child.on('close', (code, by) => finish({ code, signal: by }));
  // It may end without reading: that is its affair.
  child.stdin?.on('error', () => {});
  child.stdin?.end(input);
  return promise;
}

/** Whatever it has started in its group; in a process namespace the rest dies with the first. */
function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}
