// Memory of a process and all its children, where no cgroup counts it: pages, files in memory, sockets, unmapped shared memory. Pages that
// forks share count for each: exact sizes take seconds to read where code splits its mappings, and the server waits for them.

import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, readlinkSync, statfsSync, statSync } from 'node:fs';
import { availableParallelism } from 'node:os';

/** A core fills some 4 MiB in a millisecond: near the limit the next look comes sooner. */
const mibPerMs = 4 * availableParallelism();
const longestMs = 20;
/** Mappings, tables and pipes of each process, which the system does not show; bubblewrap, root's shell and the first are free. */
const processMiB = 16;
const freeProcesses = 3;
/** Memory of a file's name, target and attributes, even if it is empty. */
const inodeBytes = 2048;
const sent = (which: string) => 2 * orNone(() => Number(readFileSync(`/proc/sys/net/core/wmem_${which}`, 'utf8')), 0);
const socketBytes = sent('default');
const mostBytes: Readonly<Record<string, number>> = { socket: sent('max'), pipe: 1024 ** 2 };

/** Folders in memory or, outside of a sandbox, the segments of shared memory that are not its own. */
type Files = readonly string[] | ReadonlySet<string>;

/** Never calls back where the system does not tell. */
export function watchMemory(pid: number, mostMiB: number, files: Files, onTooMuch: () => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  const look = () => {
    const used = usedMiB(pid, mostMiB, files);
    if (used > mostMiB) return onTooMuch();
    timer = setTimeout(look, Math.min(longestMs, Math.max(1, (mostMiB - used) / mibPerMs)));
    timer.unref();
  };
  look();
  return () => clearTimeout(timer);
}

function usedMiB(pid: number, mostMiB: number, files: Files): number {
  const family = [pid];
  // A look at thousands would take seconds.
  for (const each of family) if (family.length < freeProcesses + mostMiB / processMiB) family.push(...childrenOf(each));
  // The newest thread: the first may have ended before the others, and then tells nothing.
  const places = family.map((each) => threadsOf(each).at(-1) ?? '');
  const sum = (count: (place: string) => number) =>
    places.reduce((total, each) => total + orNone(() => count(each), 0), 0);
  const written =
    files instanceof Set ? sum(openBytes) + segmentBytes(files) : orNone(() => shutInBytes(places[1]!, [...files]), 0);
  return (sum(ownBytes) + written) / 1024 ** 2 + processMiB * Math.max(0, family.length - freeProcesses);
}

/** Children belong to the thread that started them. */
export function childrenOf(pid: number): number[] {
  const children = (place: string) => readFileSync(`${place}/children`, 'utf8').split(' ').filter(Boolean);
  return threadsOf(pid).flatMap((each) => orNone(() => children(each).map(Number), []));
}

function threadsOf(pid: number): string[] {
  return orNone(() => readdirSync(`/proc/${pid}/task`).map((each) => `/proc/${pid}/task/${each}`), []);
}

function ownBytes(place: string): number {
  const sizes = readFileSync(`${place}/status`, 'utf8').matchAll(/^(?:RssAnon|RssShmem|VmSwap):\s+(\d+) kB$/gm);
  return [...sizes].reduce((sum, [, kib]) => sum + 1024 * Number(kib), 0);
}

/** None before the first of the folders is there: it still sees those of the system. */
function shutInBytes(place: string, folders: readonly string[]): number {
  const at = folders.map((each) => statfsSync(`${place}/root${each}`));
  if (at[0]?.type !== tmpfs) return 0;
  const written = at.map(
    ({ bsize, blocks, bfree, files, ffree }) => bsize * (blocks - bfree) + inodeBytes * (files - ffree),
  );
  const [, sockets] = /^sockets: used (\d+)/.exec(readFileSync(`${place}/net/sockstat`, 'utf8')) ?? [];
  return written.reduce((sum, each) => sum + each, socketBytes * Number(sockets));
}

const tmpfs = 0x01021994;

/** Counts memfds as they are, sockets and pipes at their most: what those hold is not shown. */
function openBytes(place: string): number {
  const bytes = (path: string) => {
    const [kind = ''] = readlinkSync(path).split(':');
    return kind === '/memfd' ? statSync(path).blocks * 512 : (mostBytes[kind] ?? 0);
  };
  return readdirSync(`${place}/fd`).reduce((sum, each) => sum + orNone(() => bytes(`${place}/fd/${each}`), 0), 0);
}

/** System V memory (proc(5)) outlives its process. */
function segments() {
  const [, ...lines] = orNone(() => readFileSync('/proc/sysvipc/shm', 'utf8'), '')
    .trim()
    .split('\n');
  return lines.map((line) => {
    const fields = line.trim().split(/\s+/);
    return { id: fields[1]!, creator: fields[4]!, attached: Number(fields[6]), bytes: Number(fields[14]) };
  });
}

export function segmentIds(): ReadonlySet<string> {
  return new Set(segments().map(({ id }) => id));
}

function segmentBytes(before: ReadonlySet<string>): number {
  return segments().reduce((sum, { id, bytes }) => sum + (before.has(id) ? 0 : bytes), 0);
}

export function removeSegments(before: ReadonlySet<string>): void {
  for (const { id, creator, attached } of segments())
    if (!before.has(id) && attached === 0 && !existsSync(`/proc/${creator}`)) execFile('ipcrm', ['-m', id], () => {});
}

/** Processes end while they are looked at. */
function orNone<T>(read: () => T, none: T): T {
  try {
    return read();
  } catch {
    return none;
  }
}
