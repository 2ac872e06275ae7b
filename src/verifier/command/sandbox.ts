// How a process is shut in on this system: no network, no files but its own folder and what it needs to run, no sight of other processes,
// limits of memory and number. By bubblewrap where it is installed, else by namespaces of util-linux, else by limits alone; what is
// not contained is said, never passed over. Starts nothing itself but the short trials that find out what works.

import { execFileSync } from 'node:child_process';
import { accessSync, constants, existsSync, realpathSync } from 'node:fs';
import { delimiter, dirname, isAbsolute, join } from 'node:path';

export interface SandboxLimits {
  /** Of files that it writes; what its processes use together is watched (memory-watch.ts). */
  readonly memoryMiB: number;
  /** Addresses of each process. */
  readonly addressMiB: number;
  readonly timeoutMs: number;
  /** Processes and threads. */
  readonly processes: number;
}

export interface Sandbox {
  readonly kind: 'bubblewrap' | 'namespaces' | 'limits';
  /** What a hostile process could still do; empty where all is contained. */
  readonly open: readonly string[];
  /** The command line that runs `command` in `folder` and nowhere else. `readable`: what it may read beside the system's own folders. */
  wrap(command: readonly string[], folder: string, readable: readonly string[], limits: SandboxLimits): string[];
}

/** Programs and libraries; nothing of users, configuration or services. */
const systemFolders = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/etc/ld.so.cache', '/etc/alternatives'];
const nobody = 65_534;
export const workFolder = '/box';

/** The best that works here. `kinds`: for tests, those that may be tried. */
export function findSandbox(kinds: readonly Sandbox['kind'][] = ['bubblewrap', 'namespaces', 'limits']): Sandbox {
  const found = [bubblewrap, namespaces, limitsAlone].filter(({ kind }) => kinds.includes(kind));
  return found.find(works) ?? limitsAlone;
}

function limitsOf({ memoryMiB, addressMiB, timeoutMs, processes }: SandboxLimits): string[] {
  const cpu = `--cpu=${Math.ceil(timeoutMs / 1000) + 1}`;
  const bytes = [`--as=${bytesOf(addressMiB)}`, `--fsize=${bytesOf(memoryMiB)}`];
  return ['prlimit', ...bytes, `--nproc=${processes}`, cpu, '--core=0', '--nofile=64', '--'];
}

function bytesOf(mebibytes: number): number {
  return mebibytes * 1024 * 1024;
}

const isRoot = process.getuid?.() === 0;

/**
 * Whoever may make a user namespace may mount memory of any size in it. So the command gets one, in which no further may be made and
 * in which it has no capabilities; where the system forbids them to it, it has nothing to forbid.
 */
const withoutSpaces = `if unshare --user --map-root-user true 2>/dev/null
then exec unshare --user --map-root-user sh -c 'echo 0 > /proc/sys/user/max_user_namespaces && exec setpriv --bounding-set=-all --inh-caps=-all "$@"' shut "$@"
fi
exec "$@"`;

/** As a user without rights, since the limit of processes does not hold for root. */
function unprivileged(command: readonly string[], limits: SandboxLimits): string[] {
  const self = isRoot ? [`--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups', '--bounding-set=-all'] : [];
  const shut = ['sh', '-c', withoutSpaces, 'shut'];
  return ['setpriv', ...self, '--inh-caps=-all', '--no-new-privs', ...shut, ...limitsOf(limits), ...command];
}

/** The same of one that is in a user namespace of its own already, as its root. */
function withoutRights(command: readonly string[], limits: SandboxLimits): string[] {
  const shut = ['sh', '-c', 'echo 0 > /proc/sys/user/max_user_namespaces && exec "$@"', 'shut'];
  const dropped = ['setpriv', '--bounding-set=-all', '--inh-caps=-all', '--no-new-privs'];
  return [...shut, ...dropped, ...limitsOf(limits), ...command];
}

const bubblewrap: Sandbox = {
  kind: 'bubblewrap',
  open: [],
  wrap(command, _folder, readable, limits) {
    const paths = [...systemFolders, ...readable];
    const bound = paths.flatMap((path) => ['--ro-bind-try', path, path]);
    // It would close those above a path to all but root.
    const above = [...new Set(paths.flatMap(foldersAbove))].flatMap((path) => ['--dir', path]);
    const memory = (path: string, mebibytes: number) => [
      ...['--perms', '1777', '--size', String(bytesOf(mebibytes)), '--tmpfs', path],
    ];
    const own = [...memory('/tmp', 16), ...memory('/dev/shm', 16), ...memory(workFolder, limits.memoryMiB)];
    const sealed = ['--remount-ro', '/dev', '--remount-ro', '/', '--chdir', workFolder];
    return [
      ...['bwrap', ...(isRoot ? asRoot : ['--unshare-all', '--cap-drop', 'ALL'])],
      ...['--die-with-parent', '--new-session', '--clearenv', ...environment()],
      ...[...above, ...bound, '--proc', '/proc', '--dev', '/dev', ...own, ...sealed],
      ...unprivileged(command, limits),
    ];
  },
};

/** The outermost first, without the root. */
function foldersAbove(path: string): string[] {
  const above = dirname(path);
  return above === path || above === '/' ? [] : [...foldersAbove(above), above];
}

/** Root mounts what another user could not read the way to, and then gives up all that it may. */
const asRoot = [
  ...['--unshare-ipc', '--unshare-pid', '--unshare-net', '--unshare-uts', '--unshare-cgroup-try', '--cap-drop', 'ALL'],
  ...['CAP_SETUID', 'CAP_SETGID', 'CAP_SETPCAP'].flatMap((each) => ['--cap-add', each]),
];

function environment(): string[] {
  return Object.entries(cleanEnvironment).flatMap(([name, value]) => ['--setenv', name, value]);
}

const cleanEnvironment: Readonly<Record<string, string>> = {
  PATH: '/usr/local/bin:/usr/bin:/bin',
  HOME: workFolder,
  TMPDIR: workFolder,
  LANG: 'C.UTF-8',
};

/**
 * A root of its own, made of bind mounts that cannot be written, and left by no `chroot`: the old root is unmounted. Arguments: MiB of
 * its own folder, the new root, the number of readable paths, these paths, the command.
 */
const enter = `set -e
PATH=$PATH:/usr/sbin:/sbin
size=$1 root=$2 count=$3; shift 3
mount --make-rprivate / 2>/dev/null || true
mount -t tmpfs -o size=1m,mode=755 none "$root"
bind() {
  [ -e "$1" ] || return 0
  if [ -L "$1" ]; then mkdir -p "$root$(dirname "$1")"; ln -s "$(readlink "$1")" "$root$1"; return 0; fi
  if [ -d "$1" ]; then mkdir -p "$root$1"; else mkdir -p "$root$(dirname "$1")"; : > "$root$1"; fi
  mount --bind "$1" "$root$1"
  mount -o remount,bind,ro,nosuid "$root$1" 2>/dev/null || mount -o remount,bind,ro,nosuid,nodev "$root$1"
}
while [ "$count" -gt 0 ]; do bind "$1"; shift; count=$((count - 1)); done
mkdir -p "$root${workFolder}" "$root/proc" "$root/dev" "$root/tmp" "$root/old"
mount -t tmpfs -o "size=\${size}m,nr_inodes=16k,mode=1777,nosuid,nodev" none "$root${workFolder}"
mount -t proc -o nosuid,nodev,noexec none "$root/proc"
mount -t tmpfs -o size=16m,nr_inodes=16k,mode=1777,nosuid,nodev none "$root/tmp"
for device in null zero random urandom; do : > "$root/dev/$device"; mount --bind "/dev/$device" "$root/dev/$device"; done
cd "$root"
pivot_root . old
umount -l /old
rmdir /old
mount -o remount,ro / 2>/dev/null || true
cd ${workFolder}
exec "$@"`;

const namespaces: Sandbox = {
  kind: 'namespaces',
  open: [],
  wrap(command, folder, readable, limits) {
    const bound = [...systemFolders, ...readable];
    const spaces = ['--net', '--pid', '--mount', '--ipc', '--uts', '--fork', '--kill-child'];
    const clean = ['env', '-i', ...Object.entries(cleanEnvironment).map(([name, value]) => `${name}=${value}`)];
    return [
      ...['unshare', ...(isRoot ? [] : ['--user', '--map-root-user']), ...spaces, 'sh', '-c', enter, 'sandbox'],
      ...[String(limits.memoryMiB), join(folder, '..', 'root'), String(bound.length), ...bound],
      ...[...clean, ...(isRoot ? unprivileged : withoutRights)(command, limits)],
    ];
  },
};

const limitsAlone: Sandbox = {
  kind: 'limits',
  open: [
    'network',
    'files that the server may read or write',
    'signals to other processes of its user',
    'processes that outlive their time',
    ...(isRoot ? ['the number of its processes'] : []),
  ],
  wrap: (command, _folder, _readable, limits) =>
    canRun(['prlimit', '--version']) ? [...limitsOf(limits), ...command] : [...command],
};

/** Tried as it will be used, since kernels and containers forbid parts of it. */
function works({ kind, wrap }: Sandbox): boolean {
  if (kind === 'limits') return true;
  const place = execFileSync('mktemp', ['-d'], { encoding: 'utf8' }).trim();
  try {
    execFileSync('mkdir', [join(place, 'work'), join(place, 'root')]);
    const limits = { memoryMiB: 64, addressMiB: 64, timeoutMs: 5000, processes: 64 };
    return canRun(wrap(['/bin/sh', '-c', 'exit 0'], join(place, 'work'), [], limits));
  } finally {
    execFileSync('rm', ['-rf', place]);
  }
}

function canRun([file, ...rest]: readonly string[]): boolean {
  try {
    execFileSync(file!, rest, { stdio: 'ignore', timeout: 5000 });
    return true;
  } catch {
    return false;
  }
}

/** The program of a command line by its whole path; undefined where there is none. */
export function findProgram(name: string): string | undefined {
  const places = isAbsolute(name) ? [name] : (process.env.PATH ?? '').split(delimiter).map((each) => join(each, name));
  return places.find((path) => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** Files that a command line needs beside the system's own: where its program is installed, and what its arguments name. */
export function neededPaths([program = '', ...rest]: readonly string[]): string[] {
  const real = realpathSync(program);
  const installed = systemFolders.some((folder) => real.startsWith(`${folder}/`)) ? [] : [dirname(dirname(real))];
  return [...new Set([...installed, ...rest.filter((each) => isAbsolute(each) && existsSync(each))])];
}

/** The interpreter itself: what stands in the path may be a script that looks for it. */
export function pythonProgram(): string | undefined {
  const named = findProgram('python3');
  if (named === undefined) return undefined;
  try {
    return execFileSync(named, ['-c', 'import os, sys; print(os.path.realpath(sys.executable))'], {
      encoding: 'utf8',
    }).trim();
  } catch {
    return undefined;
  }
}
