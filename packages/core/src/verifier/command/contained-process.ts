// A process under its limits, killed with all its children when time, memory or output is over. How it ends is a value; nothing that it
// does throws here, and nothing that it leaves behind is waited for.

import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { closeSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { type Cgroup, makeCgroup } from './cgroup.ts';
import { removeSegments, segmentIds, watchMemory } from './memory-watch.ts';
import { filterDescriptor, type Sandbox, type SandboxLimits } from './sandbox.ts';
import { openFilter } from './seccomp-filter.ts';

export interface ContainedCommand {
  readonly sandbox: Sandbox;
  readonly command: readonly string[];
  readonly readable: readonly string[];
  readonly limits: SandboxLimits & { readonly outputKiB: number };
  readonly watched?: boolean | undefined;
}

type StopReason = 'time' | 'memory' | 'output' | 'cancelled';

export interface ProcessEnd {
  readonly output: string;
  readonly errors: string;
  readonly code: number | null;
  readonly signal: string | null;
  readonly stopped?: StopReason | undefined;
  readonly broken?: string | undefined;
}

interface Contained {
  readonly child: ChildProcess;
  readonly ended: Promise<ProcessEnd>;
  stop(why: StopReason): void;
}

const keptErrors = 4096;
/** A child that it left behind may keep its pipes open. */
const drainMs = 250;

export async function runContained(run: ContainedCommand, input: string, signal: AbortSignal): Promise<ProcessEnd> {
  const { child, ended } = startContained(run, signal);
  child.stdin?.on('error', () => {});
  child.stdin?.end(input);
  return await ended;
}

interface Plumbing {
  readonly stdio: readonly (Readable | Writable | 'pipe' | 'ignore')[];
  readonly collected?: 1 | 3;
}

export function startContained(
  { sandbox, command, readable, limits, watched }: ContainedCommand,
  signal: AbortSignal,
  { stdio, collected }: Plumbing = { stdio: ['pipe', 'pipe', 'pipe', 'ignore'], collected: 1 },
): Contained {
  const folder = mkdtempSync(join(tmpdir(), 'coppice-run-'));
  const cgroup = watched ? undefined : makeCgroup(limits.memoryMiB);
  const filter = sandbox.kind === 'bubblewrap' ? openFilter(cgroup !== undefined) : undefined;
  const [file, ...rest] = within(cgroup, sandbox.wrap(command, readable, limits));
  const all: StdioOptions = [...stdio];
  if (filter !== undefined) all[filterDescriptor] = filter;
  const child = spawn(file!, rest, { cwd: folder, detached: true, stdio: all, env: cleared() });
  if (filter !== undefined) closeSync(filter);
  const output = collected === undefined ? null : (child.stdio[collected] as Readable | null);
  const contained = contain({ child, output, limits, cgroup, filesFolder: sandbox.folder }, signal);
  const ended = contained.ended.finally(() => rmSync(folder, { recursive: true, force: true }));
  return { ...contained, ended };
}

function within(cgroup: Cgroup | undefined, line: readonly string[]): readonly string[] {
  return cgroup === undefined ? line : ['sh', '-c', 'echo 0 > "$0" && exec "$@"', cgroup.processes, ...line];
}

/** The environment holds keys of servers and databases. */
function cleared(): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH, LANG: 'C.UTF-8' };
}

interface Started {
  readonly child: ChildProcess;
  readonly output: Readable | null;
  readonly limits: ContainedCommand['limits'];
  readonly cgroup: Cgroup | undefined;
  readonly filesFolder: string | undefined;
}

function contain({ child, output, limits, cgroup, filesFolder }: Started, signal: AbortSignal): Contained {
  const { promise, resolve } = Promise.withResolvers<ProcessEnd>();
  const written: Buffer[] = [];
  let [bytes, errors, isOver] = [0, '', false];
  let stopped: StopReason | undefined;
  let drain: NodeJS.Timeout | undefined;
  const stop = (why: StopReason) => {
    stopped ??= why;
    killGroup(child);
  };
  const cancel = () => stop('cancelled');
  const timer = setTimeout(() => stop('time'), limits.timeoutMs);
  const segments = filesFolder === undefined ? segmentIds() : undefined;
  const isWatched = child.pid !== undefined && cgroup === undefined;
  const endWatch = isWatched
    ? watchMemory(child.pid!, limits.memoryMiB, filesFolder ?? segments!, () => stop('memory'))
    : () => {};
  signal.addEventListener('abort', cancel, { once: true });
  if (signal.aborted) cancel();
  const finish = (end: Pick<ProcessEnd, 'code' | 'signal' | 'broken'>) => {
    if (isOver) return;
    isOver = true;
    clearTimeout(timer);
    clearTimeout(drain);
    signal.removeEventListener('abort', cancel);
    killGroup(child);
    endWatch();
    if (segments !== undefined) removeSegments(segments);
    if (cgroup?.ranOut() && stopped !== 'time') stopped = 'memory';
    cgroup?.end();
    for (const stream of child.stdio) stream?.destroy();
    resolve({ output: Buffer.concat(written).toString('utf8'), errors, stopped, ...end });
  };
  const counted = (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > limits.outputKiB * 1024) stop('output');
    return stopped === undefined;
  };
  output?.on('data', (chunk: Buffer) => counted(chunk) && written.push(chunk));
  child.stderr?.on('data', (chunk: Buffer) => {
    if (counted(chunk)) errors = (errors + chunk.toString('utf8')).slice(-keptErrors);
  });
  child.on('error', (error) => finish({ code: null, signal: null, broken: error.message }));
  child.on('close', (code, by) => finish({ code, signal: by }));
  child.on('exit', (code, by) => {
    killGroup(child);
    drain = setTimeout(() => finish({ code, signal: by }), drainMs);
  });
  return { child, ended: promise, stop };
}

/** In a process namespace the rest dies with the first. */
function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {}
}
