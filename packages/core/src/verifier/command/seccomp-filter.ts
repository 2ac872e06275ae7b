// System calls that code in bubblewrap may not make, as a seccomp filter (classic BPF, seccomp(2)): namespaces, in which it could mount
// memory without bound, what outlives a run, networks, and, if memory is watched, all memory that the watch does not see.

import { mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Call numbers from asm/unistd.h, `audit` from linux/audit.h. */
const machines = {
  x64: {
    audit: 0xc000003e,
    clone: 56,
    mmap: 9,
    socket: 41,
    // unshare, setns, add_key, request_key, keyctl, ptrace
    always: [272, 308, 248, 249, 250, 101],
    // shmget, semget, msgget, memfd_create, vmsplice, bpf, and setsockopt, which makes buffers larger
    memory: [29, 64, 68, 319, 278, 321, 54],
  },
  arm64: {
    audit: 0xc00000b7,
    clone: 220,
    mmap: 222,
    socket: 198,
    always: [97, 268, 217, 218, 219, 117],
    memory: [194, 190, 186, 279, 75, 280, 208],
  },
};
type Machine = (typeof machines)['x64'];

/** io_uring_setup (whose calls no filter sees), landlock_add_rule, memfd_secret, clone3 on all machines. No filter reads the flags of
 * clone3; without it `clone` is called. */
const [ioUring, landlock, memfdSecret, clone3] = [425, 445, 447, 435];
const newSpaces = 0x7e020000;
const isShared = 1;
const unixSockets = 1;
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
  const machine = (machines as Readonly<Record<string, Machine>>)[process.arch];
  if (machine === undefined) return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'coppice-filter-'));
  try {
    writeFileSync(join(folder, 'filter'), filterOf(machine, allowsSharedMemory));
    return openSync(join(folder, 'filter'), 'r');
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function filterOf(machine: Machine, allowsSharedMemory: boolean): Buffer {
  const { audit, clone, mmap, socket, always, memory } = machine;
  const refused = [...always, ioUring, ...(allowsSharedMemory ? [] : [...memory, memfdSecret, landlock])];
  return encoded([
    [load, offsets.machine],
    [equal, audit, 1, 0],
    [end, kill],
    [load, offsets.number],
    [atLeast, x32, 0, 1],
    [end, eperm],
    ...refused.flatMap((each) => refuse(each, eperm)),
    ...refuse(clone3, enosys),
    ...(allowsSharedMemory ? [] : refuseIf(mmap, 3, [anyBit, isShared, 0, 1])),
    ...refuseIf(clone, 0, [anyBit, newSpaces, 0, 1]),
    ...refuseIf(socket, 0, [equal, unixSockets, 1, 0]),
    [end, allow],
  ]);
}

function refuse(number: number, error: number): Instruction[] {
  return [
    [equal, number, 0, 1],
    [end, error],
  ];
}

function refuseIf(number: number, argument: number, test: Instruction): Instruction[] {
  return [[equal, number, 0, 4], [load, offsets.argument(argument)], test, [end, eperm], [end, allow]];
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
