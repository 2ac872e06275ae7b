// System calls that code in bubblewrap may not make, as a seccomp filter (classic BPF, seccomp(2)): namespaces, in which it could mount
// memory without bound, and, if memory is watched, all memory that no process has mapped.

import { mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Call numbers from asm/unistd.h, `audit` from linux/audit.h. */
const machines: Readonly<Record<string, Machine>> = {
  x64: {
    audit: 0xc000003e,
    clone: 56,
    mmap: 9,
    spaces: [272, 308],
    // shmget, semget, msgget, memfd_create
    memory: [29, 64, 68, 319],
  },
  arm64: { audit: 0xc00000b7, clone: 220, mmap: 222, spaces: [97, 268], memory: [194, 190, 186, 279] },
};

interface Machine {
  readonly audit: number;
  readonly clone: number;
  readonly mmap: number;
  /** unshare, setns */
  readonly spaces: readonly number[];
  readonly memory: readonly number[];
}

/** io_uring_setup, memfd_secret, clone3 on all machines. No filter reads the flags of clone3; without it `clone` is called. */
const [ioUring, memfdSecret, clone3] = [425, 447, 435];
const newSpaces = 0x7e020000;
const isShared = 1;
/** From here on numbers belong to x32, a second table of the same calls. */
const x32 = 0x40000000;

const load = 0x20;
const equal = 0x15;
const atLeast = 0x35;
const anyBit = 0x45;
const end = 0x06;
const offsets = { number: 0, machine: 4, argument: (at: number) => 16 + 8 * at };
const [allow, kill, eperm, enosys] = [0x7fff0000, 0x80000000, 0x00050001, 0x00050026];

type Instruction = readonly [code: number, value: number, ifTrue?: number, ifFalse?: number];

/** The caller closes it. Undefined on machines whose call numbers are unknown. */
export function openFilter(allowsSharedMemory: boolean): number | undefined {
  const machine = machines[process.arch];
  if (machine === undefined) return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'coppice-filter-'));
  try {
    writeFileSync(join(folder, 'filter'), filterOf(machine, allowsSharedMemory));
    return openSync(join(folder, 'filter'), 'r');
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function filterOf({ audit, clone, mmap, spaces, memory }: Machine, allowsSharedMemory: boolean): Buffer {
  const shared = [...memory, memfdSecret, ioUring].map((each) => refuse(each, eperm));
  return encoded([
    [load, offsets.machine],
    [equal, audit, 1, 0],
    [end, kill],
    [load, offsets.number],
    [atLeast, x32, 0, 1],
    [end, eperm],
    ...spaces.flatMap((each) => refuse(each, eperm)),
    ...refuse(clone3, enosys),
    ...(allowsSharedMemory ? [] : [...shared.flat(), ...refuseBits(mmap, 3, isShared)]),
    ...refuseBits(clone, 0, newSpaces),
    [end, allow],
  ]);
}

function refuse(number: number, error: number): Instruction[] {
  return [
    [equal, number, 0, 1],
    [end, error],
  ];
}

function refuseBits(number: number, argument: number, bits: number): Instruction[] {
  return [
    [equal, number, 0, 4],
    [load, offsets.argument(argument)],
    [anyBit, bits, 0, 1],
    [end, eperm],
    [end, allow],
  ];
}

function encoded(instructions: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(8 * instructions.length);
  for (const [at, [code, value, ifTrue = 0, ifFalse = 0]] of instructions.entries()) {
    bytes.writeUInt16LE(code, 8 * at);
    bytes.writeUInt8(ifTrue, 8 * at + 2);
    bytes.writeUInt8(ifFalse, 8 * at + 3);
    bytes.writeUInt32LE(value, 8 * at + 4);
  }
  return bytes;
}
