// The command verifier as an attacker would use it: hostile answers are contained or worth nothing, and the next answer is judged as if
// nothing had been. What needs bubblewrap is skipped where it does not work, and says so.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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

const fork = `import os
def fork():
  try: return os.fork()
  except OSError: return 1
`;

/** Each takes a gigabyte or more and then answers as it should, where nothing stops it. */
const hiddenMemory = {
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
  'buffers of sockets': `${fork}import socket, time
for _ in range(20):
  if fork() == 0:
    held = []
    try:
      while True:
        held.append(socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM))
        for one in held[-1]:
          one.setblocking(False)
          try:
            one.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 24)
          except OSError: pass
          try:
            while True: one.send(b'x' * 100000)
          except OSError: pass
    except OSError: pass
    time.sleep(5); os._exit(0)
time.sleep(4)
def add(a, b): return a + b`,
  'empty files with long names': `import os
os.mkdir('d')
for at in range(250000): os.symlink('t' * 100, 'd/%0200d' % at)
def add(a, b): return a + b`,
  'huge pages that pipes keep': `import ctypes, os, time
system = ctypes.CDLL(None)
system.mmap.restype = ctypes.c_void_p
class Part(ctypes.Structure): _fields_ = [('base', ctypes.c_void_p), ('length', ctypes.c_size_t)]
huge, held = 2 << 20, []
for at in range(300):
  if at % 12 == 0: held.append(os.pipe())
  begin = system.mmap(None, ctypes.c_size_t(2 * huge), 3, 0x22, -1, ctypes.c_size_t(0))
  whole = (begin + huge - 1) // huge * huge
  system.madvise(ctypes.c_void_p(whole), ctypes.c_size_t(huge), 14)
  ctypes.memset(whole, 1, 1)
  if system.vmsplice(held[-1][1], ctypes.byref(Part(whole, 4096)), 1, 0) < 0: raise OSError('vmsplice')
  system.munmap(ctypes.c_void_p(begin), ctypes.c_size_t(2 * huge))
heap = bytearray(150 << 20); heap[::4096] = b'1' * len(heap[::4096])
time.sleep(2)
def add(a, b): return a + b`,
  'threads whose first has ended': `${fork}import ctypes, threading, time
held = []
def take():
  time.sleep(0.3)
  try:
    while True:
      held.append(bytearray(1 << 20)); held[-1][::4096] = b'1' * 256
  except MemoryError: pass
  time.sleep(3)
for _ in range(8):
  forked = fork()
  while forked == 1:
    time.sleep(0.1)
    forked = fork()
  if forked == 0:
    threading.Thread(target=take).start()
    ctypes.CDLL(None).pthread_exit(0)
time.sleep(4)
def add(a, b): return a + b`,
  'files, behind a child that has ended': `import os, time
if os.fork() == 0: os._exit(0)
for at in range(2):
  with open('/box/f%d' % at, 'wb', 0) as file:
    for _ in range(100): file.write(b'x' * 1000000)
heap = bytearray(150 << 20); heap[::4096] = b'1' * len(heap[::4096])
time.sleep(2)
def add(a, b): return a + b`,
};

/** A look at exact sizes of such memory stood still for thirteen seconds. */
const splitMappings = `${fork}import ctypes, time
system = ctypes.CDLL(None)
system.mmap.restype = ctypes.c_void_p
for _ in range(60):
  if fork() == 0:
    at = system.mmap(None, ctypes.c_size_t(60000 * 4096), 0, 0x4022, -1, ctypes.c_size_t(0))
    for page in range(0, 60000, 2): system.mprotect(ctypes.c_void_p(at + page * 4096), ctypes.c_size_t(4096), 1)
    time.sleep(9); os._exit(0)
time.sleep(9)`;

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
      // Sockets of a virtual machine (40) know no network namespaces, and no cgroup of version 1 counts those of the internet.
      const code = `import socket
reached = []
try: socket.create_connection(('127.0.0.1', ${port}), 1); reached.append('the server')
except OSError: pass
for family, kind in [(socket.AF_INET, socket.SOCK_STREAM), (socket.AF_INET, socket.SOCK_DGRAM), (40, socket.SOCK_STREAM)]:
  try: socket.socket(family, kind); reached.append(family)
  except OSError: pass
for one in socket.socketpair(): one.close()
def add(a, b): return reached or a + b`;
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

    test.runIf(isShut).each(Object.entries(hiddenMemory))('by %s gets no more than it may have', async (_, code) => {
      expect(await attack(code, { ...shut, timeoutMs: 20_000 })).toMatchObject({ reward: 0 });
    });

    test.runIf(isShut)('by what outlives its process leaves nothing to the next', async () => {
      const code = `import ctypes, platform
system = ctypes.CDLL(None)
add_key, search = (248, 249) if platform.machine() == 'x86_64' else (217, 218)
found = [open(place + '/left').read() for place in ['/tmp', '/dev/shm', '/box'] if __import__('os').path.exists(place + '/left')]
if system.syscall(search, b'user', b'left', None, 0) != -1: found.append('a key')
system.syscall(add_key, b'user', b'left', b'mark', 4, -4)
for place in ['/tmp', '/dev/shm', '/box']: open(place + '/left', 'w').write(place)
def add(a, b): return found or a + b`;
      const options = { ...python, ...shut, parallel: 1 };
      const both = await judged(options, [request(1, code), request(2, code)]);
      expect(both).toMatchObject([{ reward: 1 }, { reward: 1 }]);
    });

    test.runIf(isShut)('by refusing to die with bubblewrap dies with its time', async () => {
      // A thread that runs another program has no signal at its parent's death.
      const mark = `7${process.pid}.25`;
      const code = `import ctypes, os, threading, time
ctypes.CDLL(None).prctl(1, 0, 0, 0, 0)
threading.Thread(target=lambda: os.execv('/bin/sleep', ['sleep', '${mark}'])).start()
time.sleep(60)`;
      expect(await attack(code, { ...shut, timeoutMs: 3000 })).toMatchObject({ reward: 0 });
      expect(commandLines().filter((line) => line.includes(mark))).toEqual([]);
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

  test.runIf(isShut)('by many mappings does not hold the watch up', async () => {
    const { feedback } = await attack(splitMappings, { watched: true, timeoutMs: 20_000 });
    expect(feedback).toBe('It used more than 256 MiB of memory.');
  });

  test('by a folder that is locked and deep ends nothing under limits alone', async () => {
    const code = `import os
os.makedirs('locked/inner'); os.chmod('locked/inner', 0); os.chmod('locked', 0)
os.mkdir('deep'); os.chdir('deep')
for _ in range(1000): os.mkdir('d'); os.chdir('d')
def add(a, b): return a + b`;
    const left = mkdtempSync(join(folder, 'limits-'));
    const script = `const options = { ...python, sandbox: 'limits', watched: true };
console.log(JSON.stringify(await judged(options, [request(1, ${JSON.stringify(code)}), request(2, good)])));`;
    // Fewer open files than the folder is deep.
    const said = saidByChild(['env', `TMPDIR=${left}`, 'sh', '-c', 'ulimit -n 256; exec "$@"', 'sh'], script);
    expect(said).toMatchObject([{ reward: 1 }, { reward: 1 }]);
    await vi.waitFor(() => expect(readdirSync(left)).toEqual([]), 60_000);
  });

  test.runIf(isShut)('dies with the server', async () => {
    const mark = `8${process.pid}.25`;
    const code = `import os
if os.fork() == 0: os.setsid()
os.execv('/bin/sleep', ['sleep', '${mark}'])`;
    const script = `void judged({ ...python, watched: true, timeoutMs: 60_000 }, [request(1, ${JSON.stringify(code)})]);
const { readFileSync, readdirSync } = await import('node:fs');
const isAsleep = (pid) => {
  try { return readFileSync('/proc/' + pid + '/cmdline', 'utf8').split(String.fromCharCode(0))[1] === '${mark}'; } catch { return false; }
};
setInterval(() => readdirSync('/proc').some(isAsleep) && process.kill(process.pid, 'SIGKILL'), 20);`;
    expect(() => saidByChild(['env'], script)).toThrow(expect.objectContaining({ signal: 'SIGKILL' }));
    await vi.waitFor(() => expect(commandLines().filter((line) => line.includes(mark))).toEqual([]), 10_000);
  });

  test.runIf(isShut)('by descriptors finds none that the server was started with', () => {
    const code = `import os
found = [each for each in os.listdir('/proc/self/fd') if os.path.islink('/proc/self/fd/' + each) and int(each) > 9]
def add(a, b): return found or a + b`;
    const script = `console.log(JSON.stringify(await judged(python, [request(1, ${JSON.stringify(code)})])))`;
    const said = saidByChild(['bash', '-c', 'exec 77</etc/passwd; exec "$@"', 'bash'], script);
    expect(said).toMatchObject([{ reward: 1 }]);
  });

  test.runIf(isShut && canUnshare())('leaves no zombie where the server is process 1', () => {
    const script = `const { readdirSync, readFileSync } = await import('node:fs');
const options = { ...python, watched: true };
const [given] = await judged(options, [request(1, good)]);
const [late] = await judged({ ...options, timeoutMs: 1500 }, [request(1, 'while True: pass')]);
const states = readdirSync('/proc').filter(Number).flatMap((pid) => {
  try {
    return [readFileSync('/proc/' + pid + '/stat', 'utf8').split(' ')];
  } catch {
    return []; // It has ended meanwhile.
  }
});
const zombies = states.filter(([, name, state]) => state === 'Z' && /bwrap|python/.test(name));
console.log(JSON.stringify([process.pid, given.reward, late.reward, zombies]));`;
    expect(saidByChild(['unshare', ...unshared], script)).toEqual([1, 1, 0, []]);
  });
});

function saidByChild([program = '', ...before]: readonly string[], script: string): unknown {
  const helpers = JSON.stringify(new URL('../support/judged-answers.ts', import.meta.url).href);
  const whole = `const { good, judged, python, request } = await import(${helpers});\n${script}`;
  const options = ['--no-warnings', '--conditions=coppice-source', '--input-type=module', '-e', whole];
  const said = execFileSync(program, [...before, process.execPath, ...options], { encoding: 'utf8' });
  return JSON.parse(said.trim().split('\n').at(-1)!);
}

const unshared = ['--user', '--map-root-user', '--pid', '--fork', '--mount-proc', '--kill-child'];

function canUnshare(): boolean {
  try {
    execFileSync('unshare', [...unshared, 'true'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

function commandLines(): string[] {
  return readdirSync('/proc').flatMap((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
    } catch {
      return [];
    }
  });
}
