// The command verifier as an attacker would use it: hostile answers are contained or worth nothing, and the next answer is judged as if
// nothing had been. Where this system cannot shut a process in, the tests of that say so and are skipped.

import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CommandOptions } from '../../src/verifier/command/command-verifier.ts';
import { good, hasPython, judged, python, request, sandbox } from '../support/judged-answers.ts';

const isShut = sandbox.open.length === 0;
const skipped = isShut ? '' : ` (skipped: this system leaves open ${sandbox.open.join(', ')})`;

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

  test.runIf(isShut)(`by a fork bomb is held to its number, and dies with its time${skipped}`, async () => {
    const { reward } = await attack('import os\nwhile True:\n  try: os.fork()\n  except OSError: pass', {
      timeoutMs: 1500,
    });
    expect(reward).toBe(0);
  });

  test.runIf(isShut)(`by reading and writing files finds none but its own${skipped}`, async () => {
    const secret = join(folder, 'secret');
    writeFileSync(secret, 'the key');
    const tried = [secret, '/etc/passwd', '/etc/shadow', '/proc/1/environ', process.cwd()];
    const code = `import os
seen = [p for p in ${JSON.stringify(tried)} if p != '/proc/1/environ' and os.path.exists(p)]
environment = open('/proc/1/environ').read() if os.path.exists('/proc/1/environ') else ''
if 'PATH=${process.env.PATH ?? ''}' in environment: seen.append('environment')
try: open(${JSON.stringify(join(folder, 'written'))}, 'w').write('x'); seen.append('written')
except OSError: pass
try: open('/usr/written', 'w'); seen.append('/usr')
except OSError: pass
def add(a, b): return seen or a + b`;
    expect(await attack(code)).toMatchObject({ reward: 1 });
    expect(existsSync(join(folder, 'written'))).toBe(false);
    expect(readFileSync(secret, 'utf8')).toBe('the key');
  });

  test.runIf(isShut)(`by the network reaches nothing${skipped}`, async () => {
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
    expect(await attack(code)).toMatchObject({ reward: 1 });
    expect(calls).toBe(0);
    await new Promise((resolve) => server.close(resolve));
  });

  test.runIf(isShut)(`by signals hits itself alone${skipped}`, async () => {
    const code = `import os, signal
for pid in [-1, 0, os.getppid(), ${process.pid}]:
  try: os.kill(pid, signal.SIGKILL)
  except OSError: pass`;
    expect((await attack(code)).reward).toBe(0);
  });
});
