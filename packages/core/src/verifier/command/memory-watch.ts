// Memory of a process and all its children, where no cgroup counts it: proportional pages, files in memory, unmapped shared memory.

import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, readlinkSync, statfsSync, statSync } from 'node:fs';

/** Fast processes fill some 8 MiB in a millisecond: near the limit the next look comes sooner. */
const mibPerMs = 8;
const longestMs = 20;
const pageBytes = 4096;

/** A folder in memory or, outside of a sandbox, the segments of shared memory that are not its own. */
type Files = string | ReadonlySet<string>;

/** Never calls back where the system does not tell. */
export function watchMemory(pid: number, mostMiB: number, files: Files, onTooMuch: () => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  const look = () => {
    const used = usedBytes(pid, files, mostMiB * 1024 ** 2) / 1024 ** 2;
    if (used > mostMiB) return onTooMuch();
    timer = setTimeout(look, Math.min(longestMs, Math.max(1, (mostMiB - used) / mibPerMs)));
    timer.unref();
  };
  look();
  return () => clearTimeout(timer);
}

/** Resident sizes count shared pages per process: exact sizes are read only above the limit. */
function usedBytes(pid: number, files: Files, most: number): number {
  const processes = familyOf(pid);
  const sum = (count: (pid: number) => number) =>
    processes.reduce((total, each) => total + orNone(() => count(each)), 0);
  const written =
    typeof files === 'string' ? writtenBytes(processes.at(-1)!, files) : sum(memfdBytes) + segmentBytes(files);
  const resident = written + sum(residentBytes);
  return resident > most ? written + sum(proportionalBytes) : resident;
}

/** Children belong to the thread that started them. */
function familyOf(pid: number): number[] {
  const threads = orNone(() => readdirSync(`/proc/${pid}/task`), []);
  const children = threads.flatMap((thread) =>
    orNone(() => readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean), []),
  );
  return [pid, ...children.flatMap((child) => familyOf(Number(child)))];
}

function residentBytes(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]) * pageBytes;
}

function proportionalBytes(pid: number): number {
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  return [...rollup.matchAll(/^(?:Pss|SwapPss): +(\d+) kB$/gm)].reduce((sum, [, kib]) => sum + 1024 * Number(kib), 0);
}

function writtenBytes(pid: number, folder: string): number {
  return orNone(() => {
    const { bsize, blocks, bfree, type } = statfsSync(`/proc/${pid}/root${folder}`);
    return type === tmpfs ? bsize * (blocks - bfree) : 0;
  });
}

const tmpfs = 0x01021994;

function memfdBytes(pid: number): number {
  const open = readdirSync(`/proc/${pid}/fd`).map((each) => `/proc/${pid}/fd/${each}`);
  const isMemory = (path: string) => orNone(() => readlinkSync(path), '').startsWith('/memfd:');
  return open.filter(isMemory).reduce((sum, path) => sum + orNone(() => statSync(path).blocks * 512), 0);
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
function orNone(read: () => number): number;
function orNone<T>(read: () => T, none: T): T;
function orNone<T>(read: () => T | number, none: T | number = 0): T | number {
  try {
    return read();
  } catch {
    return none;
  }
}
