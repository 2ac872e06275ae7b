// The command verifier as an attacker would use it: hostile answers are contained or worth nothing, and the next answer is judged as if
// nothing had been. What needs bubblewrap is skipped where it does not work, and says so.

import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { CommandOptions } from '../../packages/core/src/verifier/command/command-verifier.ts';
import { good, hasPython, judged, noBubblewrap, python, request } from '../support/judged-answers.ts';

/** Where memory is watched, shared memory is forbidden: both ways are attacked. */
const ways = [
  { way: 'with a cgroup where one can be made', shut: { sandbox: 'bubblewrap' } },
  { way: 'with its memory watched', shut: { sandbox: 'bubblewrap', watched: true } },
] as const;
const isShut = noBubblewrap === undefined;

/** Each takes 3 GB and then answers as it should, where nothing stops it. */
const sharedMemory = {
  memfds: `import os
held = []
for _ in range(30):
  held.append(os.memfd_create('x'))
  for _ in range(100): os.write(held[-1], b'x' * 1000000)
def add(a, b): return a + b`,
  'shared mappings over forks': `import mmap, os, time
for _ in range(18):
  if os.fork() == 0:
    shared = mmap.mmap(-1, 170 << 20)
    for at in range(0, 170 << 20, 1 << 20): shared[at:at + (1 << 20)] = b'x' * (1 << 20)
    time.sleep(3); os._exit(0)
time.sleep(2)
def add(a, b): return a + b`,
  'segments of System V': `import ctypes
system = ctypes.CDLL(None)
system.shmat.restype = ctypes.c_void_p
system.shmdt.argtypes = [ctypes.c_void_p]
for _ in range(30):
  at = system.shmat(system.shmget(0, ctypes.c_size_t(100 << 20), 0o1600), None, 0)
  if at in (None, 2 ** 64 - 1): raise OSError('shmat')
  ctypes.memset(ctypes.c_void_p(at), 1, 100 << 20); system.shmdt(at)
def add(a, b): return a + b`,
  'files and its heap together': `for at in range(2):
  with open('/box/f%d' % at, 'wb', 0) as file:
    for _ in range(100): file.write(b'x' * 1000000)
heap = bytearray(150 << 20); heap[::4096] = b'1' * len(heap[::4096])
import time; time.sleep(2)
def add(a, b): return a + b`,
};

describe.runIf(hasPython)('an answer that attacks', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'coppice-attack-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  /** It is worth nothing, and an honest answer after it is judged as ever. */
  const attack = async (code: string, options: Partial<CommandOptions> = {}) => {
    const [hostile, honest] = await judged({ ...python, parallel: 1, ...options }, [
      request(1, code),
      request(2, good),
    ]);
    expect(honest).toMatchObject({ reward: 1 });
    if (hostile?.type !== 'score') throw new Error(JSON.stringify(hostile));
    return hostile;
  };

  test('by running for ever is stopped', async () => {
    const { reward, feedback } = await attack('while True: pass', { timeoutMs: 5000 });
    expect([reward, feedback]).toEqual([0, 'It did not end within 5 seconds.']);
  });

  test('by endless output is stopped', async () => {
    const { reward, feedback } = await attack('def add(a, b): return "x" * 1000000', { outputKiB: 256 });
    expect([reward, feedback]).toEqual([0, 'It wrote more than 256 KiB.']);
  });

  test('by 10 GB of memory fails at its limit', async () => {
    const { reward, feedback } = await attack('x = bytearray(10 * 1024 ** 3)\nx[::4096] = b"1" * len(x[::4096])');
    expect(reward).toBe(0);
    expect(feedback).toMatch(/MemoryError|ended before its tests did/);
  });

  test('by a process that keeps its output open ends with its limit', async () => {
    // The shell ends, and what it leaves holds the pipes longer than the limit: in a session of its own, out of reach of a signal to the group.
    const command = [
      '/bin/sh',
      '-c',
      `setsid sh -c ': > up; exec sleep 60' & until [ -e up ]; do :; done; echo '{"reward": 0.5}'`,
    ];
    const [left] = await judged({ command, sandbox: 'limits', watched: true, timeoutMs: 20_000 }, [request(1, good)]);
    expect(left).toMatchObject({ reward: 0.5 });
  });

  test('by endless errors is stopped', async () => {
    const command = ['/bin/sh', '-c', 'while :; do echo xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx >&2; done'];
    const [hostile] = await judged({ command, outputKiB: 64, timeoutMs: 20_000 }, [request(1, good)]);
    expect(hostile).toMatchObject({ reward: 0, feedback: 'It wrote more than 64 KiB.' });
  });

  describe.each(ways)('shut in by bubblewrap, $way', ({ shut }) => {
    test.runIf(isShut)('by a fork bomb is held to its number, and dies with its time', async () => {
      const { reward } = await attack('import os\nwhile True:\n  try: os.fork()\n  except OSError: pass', {
        timeoutMs: 5000,
        ...shut,
      });
      expect(reward).toBe(0);
    });

    test.runIf(isShut)('by reading and writing files finds none but its own', async () => {
      const secret = join(folder, 'secret');
      writeFileSync(secret, 'the key');
      vi.stubEnv('COPPICE_TEST_SECRET', 'the key');
      const tried = [secret, '/etc/passwd', '/etc/shadow', '/proc/1/environ', process.cwd()];
      const code = `import os
seen = [p for p in ${JSON.stringify(tried)} if p != '/proc/1/environ' and os.path.exists(p)]
try: environment = open('/proc/1/environ').read()
except OSError: environment = ''
if 'the key' in environment: seen.append('environment')
try: open(${JSON.stringify(join(folder, 'written'))}, 'w').write('x'); seen.append('written')
except OSError: pass
try: open('/usr/written', 'w'); seen.append('/usr')
except OSError: pass
def add(a, b): return seen or a + b`;
      expect(await attack(code, shut)).toMatchObject({ reward: 1 });
      vi.unstubAllEnvs();
      expect(existsSync(join(folder, 'written'))).toBe(false);
      expect(readFileSync(secret, 'utf8')).toBe('the key');
    });

    test.runIf(isShut)('by the network reaches nothing', async () => {
      let calls = 0;
      const server = createServer((socket) => {
        calls += 1;
        socket.destroy();
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const { port } = server.address() as { port: number };
      const code = `import socket
try: socket.create_connection(('127.0.0.1', ${port}), 1); reached = True
except OSError: reached = False
def add(a, b): return 'reached' if reached else a + b`;
      expect(await attack(code, shut)).toMatchObject({ reward: 1 });
      expect(calls).toBe(0);
      await new Promise((resolve) => server.close(resolve));
    });

    test.runIf(isShut)('by signals hits itself alone', async () => {
      const code = `import os, signal
for pid in [-1, 0, os.getppid(), ${process.pid}]:
  try: os.kill(pid, signal.SIGKILL)
  except OSError: pass`;
      expect((await attack(code, shut)).reward).toBe(0);
    });

    test.runIf(isShut)('by many processes with little memory each is stopped', async () => {
      const code = `import os, time
for _ in range(16):
  if os.fork() == 0:
    x = bytearray(48 * 1024 * 1024); x[::4096] = b'1' * len(x[::4096]); time.sleep(9); os._exit(0)
time.sleep(9)`;
      const { reward, feedback } = await attack(code, { ...shut, timeoutMs: 20_000 });
      expect([reward, feedback]).toEqual([0, 'It used more than 256 MiB of memory.']);
    });

    test.runIf(isShut).each(Object.entries(sharedMemory))('by %s gets no more than it may have', async (_, code) => {
      expect(await attack(code, { ...shut, timeoutMs: 20_000 })).toMatchObject({ reward: 0 });
    });

    test.runIf(isShut)('by files and namespaces of its own gets no more memory than it may have', async () => {
      const code = `import ctypes, os
found = []
for place in ['/', '/dev', '/dev/shm', '/tmp']:
  written = 0
  try:
    for at in range(8):
      with open(place + '/f%d' % at, 'wb', 0) as file:
        for _ in range(40): written += file.write(b'x' * 1000000)
  except OSError: pass
  if written > 17e6: found.append(place)
system = ctypes.CDLL(None, use_errno=True)
if system.unshare(0x10020000) == 0: found.append('a namespace')
def add(a, b): return found or a + b`;
      expect(await attack(code, shut)).toMatchObject({ reward: 1 });
    });
  });
});
