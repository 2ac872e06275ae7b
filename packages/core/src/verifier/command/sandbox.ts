// Shuts a process in: no network, no files but its own and what it needs, no sight of other processes, limits of memory and number. By
// bubblewrap; by limits alone only if the operator says so.

import { execFileSync } from 'node:child_process';
import { accessSync, closeSync, constants, existsSync, realpathSync } from 'node:fs';
import { basename, delimiter, dirname, isAbsolute, join } from 'node:path';
import { raise } from '../../base/fault.ts';
import { openFilter } from './seccomp-filter.ts';

export const sandboxKinds = ['bubblewrap', 'limits'] as const;
export type SandboxKind = (typeof sandboxKinds)[number];

/** A test takes milliseconds: what runs for ten seconds is stuck. Results of tested functions count as output. */
export const commandDefaults = { timeoutMs: 10_000, memoryMiB: 512, outputKiB: 1024, parallel: 2 } as const;

export interface SandboxLimits {
  /** Limits files; memory in use is counted by cgroup.ts or memory-watch.ts. */
  readonly memoryMiB: number;
  /** Ends one process softly. Runtimes that reserve more than they use (JavaScript's, Java's) do not start under it. */
  readonly limitsAddresses: boolean;
  readonly timeoutMs: number;
  readonly processes: number;
}

export interface Sandbox {
  readonly kind: SandboxKind;
  readonly open: readonly string[];
  /** File systems in memory, the one that is its own first; undefined if it works in a folder of the system. */
  readonly folders?: readonly string[];
  wrap(command: readonly string[], readable: readonly string[], limits: SandboxLimits): string[];
}

/** Programs and libraries; nothing of users, configuration or services. */
const systemFolders = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/etc/ld.so.cache', '/etc/alternatives'];
const nobody = 65_534;
const workFolder = '/box';
export const filterDescriptor = 4;

/** Code runs without bubblewrap only if the operator says so. */
export function findSandbox(kind: SandboxKind): Sandbox {
  if (kind === 'limits') return limitsAlone;
  // Only root may mount another /proc if parts of it are hidden or read-only, as in services and containers.
  const ways = findProgram('bwrap') === undefined ? [] : [bubblewrap(['--proc', '/proc']), bubblewrap([])];
  let why: string | undefined = 'it is not installed';
  for (const sandbox of ways) {
    why = trouble(sandbox);
    if (why === undefined) return sandbox;
  }
  const others = "install it, or set verifier.sandbox to 'limits' on a machine that you can throw away";
  return raise('unsupported', `code of answers is not run without bubblewrap (bwrap): ${why}; ${others}`);
}

function limitsOf({ memoryMiB, limitsAddresses, timeoutMs }: SandboxLimits): string[] {
  const cpu = `--cpu=${Math.ceil(timeoutMs / 1000) + 1}`;
  const bytes = [...(limitsAddresses ? [`--as=${bytesOf(memoryMiB)}`] : []), `--fsize=${bytesOf(memoryMiB)}`];
  return ['prlimit', ...bytes, cpu, '--core=0', '--nofile=64'];
}

function bytesOf(mebibytes: number): number {
  return mebibytes * 1024 * 1024;
}

const isRoot = process.getuid?.() === 0;

/** Root has no limit of processes: it becomes a user without rights, whom bubblewrap's death ends only through a shell of root's. */
const asNobody = [
  ...['/bin/sh', '-c', 'exec 9>&2 2>/dev/null; (exec "$@" 2>&9 9>&-); exit $?', 'sh'],
  ...['setpriv', `--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups', '--bounding-set=-all', '--inh-caps=-all'],
];

const bubblewrap = (processFolder: readonly string[]): Sandbox => ({
  kind: 'bubblewrap',
  open: [],
  folders: [workFolder, '/tmp', '/dev/shm'],
  wrap(command, readable, limits) {
    const paths = [...systemFolders, ...readable];
    const bound = paths.flatMap((path) => ['--ro-bind-try', path, path]);
    // Bubblewrap would close folders above a path to all but root.
    const above = [...new Set(paths.flatMap(foldersAbove))].flatMap((path) => ['--dir', path]);
    const memory = (path: string, mebibytes: number) => [
      ...['--perms', '1777', '--size', String(bytesOf(mebibytes)), '--tmpfs', path],
    ];
    const own = [...memory('/tmp', 16), ...memory('/dev/shm', 16), ...memory(workFolder, limits.memoryMiB)];
    // Readable paths may lie in its own folders, so they are bound last.
    const places = [...processFolder, '--dev', '/dev', ...own, ...above, ...bound];
    return [
      ...['bwrap', ...(isRoot ? asRoot : ['--unshare-all', '--cap-drop', 'ALL'])],
      ...['--die-with-parent', '--new-session', '--as-pid-1', '--clearenv', ...environment],
      ...['--seccomp', String(filterDescriptor)],
      ...[...places, '--remount-ro', '/dev', '--remount-ro', '/', '--chdir', workFolder],
      ...[...(isRoot ? asNobody : []), ...limitsOf(limits), `--nproc=${limits.processes}`, '--', ...command],
    ];
  },
});

function foldersAbove(path: string): string[] {
  const above = dirname(path);
  return above === path || above === '/' ? [] : [...foldersAbove(above), above];
}

/** Root mounts what another user cannot reach, and then gives up its rights. */
const asRoot = [
  ...['--unshare-ipc', '--unshare-pid', '--unshare-net', '--unshare-uts', '--unshare-cgroup-try', '--cap-drop', 'ALL'],
  ...['CAP_SETUID', 'CAP_SETGID', 'CAP_SETPCAP'].flatMap((each) => ['--cap-add', each]),
];

const environment = Object.entries({
  PATH: '/usr/local/bin:/usr/bin:/bin',
  HOME: workFolder,
  TMPDIR: workFolder,
  LANG: 'C.UTF-8',
}).flatMap(([name, value]) => ['--setenv', name, value]);

const limitsAlone: Sandbox = {
  kind: 'limits',
  open: [
    'network',
    'files that the server may read or write',
    'signals to other processes of its user, that of its tests included',
    'processes that outlive their time',
    'the number of its processes',
  ],
  wrap: (command, _readable, limits) =>
    findProgram('prlimit') === undefined ? [...command] : [...limitsOf(limits), '--', ...command],
};

/** Kernels and containers forbid parts of it. */
function trouble(sandbox: Sandbox): string | undefined {
  const filter = openFilter(false);
  if (filter === undefined) return `the system calls of ${process.arch} are not known here`;
  const limits = { memoryMiB: 64, limitsAddresses: false, timeoutMs: 5000, processes: 64 };
  const [file, ...rest] = sandbox.wrap(['/bin/sh', '-c', 'exit 0'], [], limits);
  try {
    execFileSync(file!, rest, { stdio: ['ignore', 'ignore', 'pipe', 'ignore', filter], timeout: 5000 });
    return undefined;
  } catch (error) {
    const said = String((error as { stderr?: Buffer }).stderr ?? '').trim();
    return `it does not work here (${said.split('\n').at(-1) || String(error)})`;
  } finally {
    closeSync(filter);
  }
}

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

export function neededPaths([program = '', ...rest]: readonly string[]): string[] {
  const real = realpathSync(program);
  const folder = dirname(real);
  const parts = ['bin', 'lib', 'lib64', 'conf'].map((each) => join(folder, '..', each));
  const own = basename(folder) === 'bin' ? parts : [real];
  const isSystem = systemFolders.some((each) => real.startsWith(`${each}/`));
  return [...(isSystem ? [] : own), ...rest.filter((each) => isAbsolute(each) && existsSync(each))];
}

/** The one in the path may be a script. */
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
