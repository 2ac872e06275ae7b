// A process under its limits, killed with all its children when time, memory or output is over. How it ends is a value; nothing that it
// does throws here, and nothing that it leaves behind is waited for.

import { type ChildProcess, execFile, type StdioOptions, spawn } from 'node:child_process';
import { closeSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { type Cgroup, kill, makeCgroup } from './cgroup.ts';
import { childrenOf, removeSegments, segmentIds, watchMemory } from './memory-watch.ts';
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
/** Within it bubblewrap takes in what was killed. */
const stuckMs = 2000;

export async function runContained(run: ContainedCommand, input: string, signal: AbortSignal): Promise<ProcessEnd> {
  const { child, ended } = startContained(run, signal);
  child.stdin?.on('error', () => {}).end(input);
  return await ended;
}

export function startContained(
  run: ContainedCommand,
  signal: AbortSignal,
  stdio: readonly (Readable | Writable | 'pipe' | 'ignore')[] = ['pipe', 'pipe', 'pipe', 'ignore'],
  collected: 1 | 3 | null = 1,
): Contained {
  const { sandbox, command, readable, limits, watched } = run;
  const folder = sandbox.folders === undefined ? mkdtempSync(join(tmpdir(), 'coppice-run-')) : undefined;
  const cgroup = watched ? undefined : makeCgroup(limits.memoryMiB);
  const filter = sandbox.kind === 'bubblewrap' ? openFilter(cgroup !== undefined) : undefined;
  const joining = cgroup === undefined ? [] : ['sh', '-c', 'echo 0 > "$0" && exec "$@"', cgroup.processes];
  const [file, ...rest] = [...joining, ...sandbox.wrap(command, readable, limits)];
  const all: StdioOptions = [...stdio];
  if (filter !== undefined) all[filterDescriptor] = filter;
  // The server's environment holds keys of servers and databases.
  const env = { PATH: process.env.PATH, LANG: 'C.UTF-8' };
  const child = spawn(file!, rest, { cwd: folder ?? '/', detached: true, stdio: all, env });
  if (filter !== undefined) closeSync(filter);
  const output = collected === null ? null : (child.stdio[collected] as Readable | null);
  const contained = contain(run, child, output, cgroup, signal);
  if (folder !== undefined) void contained.ended.then(() => execFile('sh', ['-c', removal, folder], () => {}));
  return contained;
}

/** Code may leave folders that are locked, deeper than a path is long, and slow to remove. */
const removal = 'chmod -R u+rwx "$0"; rm -rf "$0"';

function contain(
  { sandbox: { folders }, limits }: ContainedCommand,
  child: ChildProcess,
  output: Readable | null,
  cgroup: Cgroup | undefined,
  signal: AbortSignal,
): Contained {
  const { promise, resolve } = Promise.withResolvers<ProcessEnd>();
  const written: Buffer[] = [];
  let [bytes, errors, isOver] = [0, '', false];
  let stopped: StopReason | undefined;
  let drain: NodeJS.Timeout | undefined;
  const stop = (why: StopReason) => {
    stopped ??= why;
    killAll(child, folders !== undefined);
    drain ??= setTimeout(() => killAll(child, false), stuckMs);
  };
  const cancel = () => stop('cancelled');
  const timer = setTimeout(() => stop('time'), limits.timeoutMs);
  const segments = folders === undefined ? segmentIds() : undefined;
  const isWatched = child.pid !== undefined && cgroup === undefined;
  const endWatch = isWatched
    ? watchMemory(child.pid!, limits.memoryMiB, folders ?? segments!, () => stop('memory'))
    : () => {};
  signal.addEventListener('abort', cancel, { once: true });
  if (signal.aborted) cancel();
  const finish = (end: Pick<ProcessEnd, 'code' | 'signal' | 'broken'>) => {
    if (isOver) return;
    isOver = true;
    clearTimeout(timer);
    clearTimeout(drain);
    signal.removeEventListener('abort', cancel);
    killAll(child, false);
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
    killAll(child, false);
    clearTimeout(drain);
    drain = setTimeout(() => finish({ code, signal: by }), drainMs);
  });
  return { child, ended: promise, stop };
}

/** In a process namespace the rest dies with the first. Bubblewrap outlives it and takes it in: no other might (see `init` in Docker). */
function killAll({ pid }: ChildProcess, isShut: boolean): void {
  if (pid === undefined) return;
  const first = isShut ? childrenOf(pid) : [];
  for (const each of first.length > 0 ? first : [-pid]) kill(each);
}
