// The command verifier as an attacker would use it: hostile answers are contained or worth nothing, and the next answer is judged as if
// nothing had been. Each way to shut a process in is attacked where this system has it; where it has none, the tests say so and are skipped.

import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CommandOptions } from '../../src/verifier/command/command-verifier.ts';
import { findSandbox } from '../../src/verifier/command/sandbox.ts';
import { good, hasPython, judged, python, request } from '../support/judged-answers.ts';

const kinds = (['bubblewrap', 'namespaces'] as const).map((kind) => {
  const sandbox = findSandbox([kind]);
  const isShut = sandbox.open.length === 0;
  return { kind, sandbox, isShut, skipped: isShut ? '' : ' (skipped: it does not work here)' };
});

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
    const { reward, feedback } = await attack('while True: pass', { timeoutMs: 1500 });
    expect([reward, feedback]).toEqual([0, 'It did not end within 1.5 seconds.']);
  });

  test('by endless output is stopped', async () => {
    const { reward, feedback } = await attack('import os\nwhile True: os.write(3, b"x" * 65536)', { outputKiB: 256 });
    expect([reward, feedback]).toEqual([0, 'It wrote more than 256 KiB.']);
  });

  test('by a forged judgement without its proof is worth nothing', async () => {
    const forged = 'import os\nos.write(3, b\'\\n{"reward": 1}\\n\')\nos._exit(0)';
    expect((await attack(forged)).reward).toBe(0);
  });

  test('by 10 GB of memory fails at its limit', async () => {
    const { reward, feedback } = await attack('x = bytearray(10 * 1024 ** 3)\nx[::4096] = b"1" * len(x[::4096])');
    expect(reward).toBe(0);
    expect(feedback).toMatch(/MemoryError|ended before its tests did/);
  });

  test('by the memory of JavaScript that its heap does not count is stopped', async () => {
    const code = `const bytes = assert.constructor('return Buffer')(), kept = [];
for (;;) kept.push(bytes.alloc(1 << 24, 1));`;
    const options = {
      command: 'javascript',
      tests: 'assert(true)',
      timeoutMs: 10_000,
      memoryMiB: 160,
      parallel: 1,
    } as const;
    const [hostile] = await judged(options, [request(1, code)]);
    expect(hostile).toMatchObject({ reward: 0, feedback: 'It used more than 160 MiB of memory.' });
  });

  test('by endless errors is stopped', async () => {
    const command = ['/bin/sh', '-c', 'while :; do echo xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx >&2; done'];
    const [hostile] = await judged({ command, outputKiB: 64, timeoutMs: 20_000 }, [request(1, good)]);
    expect(hostile).toMatchObject({ reward: 0, feedback: 'It wrote more than 64 KiB.' });
  });

  describe.each(kinds)('shut in by $kind $skipped', ({ sandbox, isShut }) => {
    test.runIf(isShut)('by a fork bomb is held to its number, and dies with its time', async () => {
      const { reward } = await attack('import os\nwhile True:\n  try: os.fork()\n  except OSError: pass', {
        timeoutMs: 1500,
        sandbox,
      });
      expect(reward).toBe(0);
    });

    test.runIf(isShut)('by reading and writing files finds none but its own', async () => {
      const secret = join(folder, 'secret');
      writeFileSync(secret, 'the key');
      const tried = [secret, '/etc/passwd', '/etc/shadow', '/proc/1/environ', process.cwd()];
      const code = `import os
seen = [p for p in ${JSON.stringify(tried)} if p != '/proc/1/environ' and os.path.exists(p)]
try: environment = open('/proc/1/environ').read()
except OSError: environment = ''
if 'PATH=${process.env.PATH ?? ''}' in environment: seen.append('environment')
try: open(${JSON.stringify(join(folder, 'written'))}, 'w').write('x'); seen.append('written')
except OSError: pass
try: open('/usr/written', 'w'); seen.append('/usr')
except OSError: pass
def add(a, b): return seen or a + b`;
      expect(await attack(code, { sandbox })).toMatchObject({ reward: 1 });
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
      expect(await attack(code, { sandbox })).toMatchObject({ reward: 1 });
      expect(calls).toBe(0);
      await new Promise((resolve) => server.close(resolve));
    });

    test.runIf(isShut)('by signals hits itself alone', async () => {
      const code = `import os, signal
for pid in [-1, 0, os.getppid(), ${process.pid}]:
  try: os.kill(pid, signal.SIGKILL)
  except OSError: pass`;
      expect((await attack(code, { sandbox })).reward).toBe(0);
    });

    test.runIf(isShut)('by many processes with little memory each is stopped', async () => {
      const code = `import os, time
for _ in range(16):
  if os.fork() == 0:
    x = bytearray(48 * 1024 * 1024); x[::4096] = b'1' * len(x[::4096]); time.sleep(9); os._exit(0)
time.sleep(9)`;
      const { reward, feedback } = await attack(code, { sandbox, timeoutMs: 20_000 });
      expect([reward, feedback]).toEqual([0, 'It used more than 256 MiB of memory.']);
    });

    test.runIf(isShut)('by files and namespaces of its own gets no more memory than it may have', async () => {
      const code = `import ctypes, os
found = []
for place in ['/', '/dev', '/dev/shm', '/tmp', '/box']:
  written = 0
  try:
    for at in range(8):
      with open(place + '/f%d' % at, 'wb', 0) as file:
        for _ in range(40): written += file.write(b'x' * 1000000)
  except OSError: pass
  if written > (70e6 if place == '/box' else 17e6): found.append(place)
system = ctypes.CDLL(None, use_errno=True)
if system.unshare(0x10020000) == 0: found.append('a namespace')
def add(a, b): return found or a + b`;
      expect(await attack(code, { sandbox, memoryMiB: 64 })).toMatchObject({ reward: 1 });
    });
  });
});
