// A cgroup for one run: the kernel counts all memory of its processes, files in memory included, and kills at the limit. Made if the system
// allows it (version 1 or 2); never moves the server itself.

import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export interface Cgroup {
  /** A process joins by writing 0 into this file. */
  readonly processes: string;
  ranOut(): boolean;
  end(): void;
}

const root = '/sys/fs/cgroup';
const isSecond = existsSync(join(root, 'cgroup.controllers'));
const events = isSecond ? 'memory.events' : 'memory.oom_control';
const retryMs = 20;
const tries = 100;
let made = 0;
let swept = false;

export function makeCgroup(memoryMiB: number): Cgroup | undefined {
  const parent = parentOfRuns();
  if (parent === undefined) return undefined;
  made += 1;
  const folder = join(parent, `coppice-${process.pid}-${made}`);
  try {
    if (!swept) sweep(parent);
    mkdirSync(folder);
    limitMemory(folder, memoryMiB * 1024 ** 2);
  } catch {
    remove(folder);
    return undefined;
  }
  return {
    processes: join(folder, 'cgroup.procs'),
    ranOut: () => existsSync(folder) && /oom_kill [1-9]/.test(readFileSync(join(folder, events), 'utf8')),
    end: () => remove(folder),
  };
}

/** Version 2 lets no group with processes limit those below it: runs stand beside the server's group, in version 1 below it. */
function parentOfRuns(): string | undefined {
  try {
    const own = readFileSync('/proc/self/cgroup', 'utf8');
    const [, path = ''] = (isSecond ? /^0::(.*)$/m : /^\d+:memory:(.*)$/m).exec(own) ?? [];
    if (path === '') return undefined;
    if (!isSecond) return join(root, 'memory', path);
    const parent = join(root, path === '/' ? path : dirname(path));
    if (!/\bmemory\b/.test(readFileSync(join(parent, 'cgroup.subtree_control'), 'utf8')))
      writeFileSync(join(parent, 'cgroup.subtree_control'), '+memory');
    return parent;
  } catch {
    return undefined;
  }
}

function limitMemory(folder: string, bytes: number): void {
  const write = (name: string, value: number) => writeFileSync(join(folder, name), String(value));
  if (isSecond) {
    write('memory.max', bytes);
    write('memory.oom.group', 1);
  } else write('memory.limit_in_bytes', bytes);
  const swap = isSecond ? 'memory.swap.max' : 'memory.memsw.limit_in_bytes';
  if (existsSync(join(folder, swap))) write(swap, isSecond ? 0 : bytes);
}

function sweep(parent: string): void {
  swept = true;
  for (const name of readdirSync(parent)) {
    const pid = /^coppice-(\d+)-/.exec(name)?.[1];
    if (pid !== undefined && !existsSync(`/proc/${pid}`)) remove(join(parent, name));
  }
}

/** A group can be removed a moment after its last process was killed. */
function remove(folder: string, left = tries): void {
  try {
    // Processes of another namespace are told as 0, which would be the server's own group.
    const pids = readFileSync(join(folder, 'cgroup.procs'), 'utf8').split('\n').map(Number);
    for (const pid of pids) if (pid > 0) kill(pid);
    rmdirSync(folder);
  } catch {
    if (left > 0 && existsSync(folder)) setTimeout(() => remove(folder, left - 1), retryMs).unref();
  }
}

export function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {}
}
