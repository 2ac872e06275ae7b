// The command line as a stranger meets it: version, mistakes, a reader that stops reading, and questions put to a server.

import { execFile, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { run as ask } from '../../packages/coppice/src/cli/commands/ask.ts';
import { VllmServer } from '../servers/vllm-server.ts';
import { writeTinyModel } from '../support/tiny-gguf.ts';

type Ran = { readonly status: number; readonly output: string; readonly errors: string };

function coppice(...args: readonly string[]): Promise<Ran> {
  return new Promise((resolve) => {
    execFile(process.execPath, ['packages/coppice/src/cli/main.ts', ...args], (error, output, errors) => {
      resolve({ status: error === null ? 0 : Number(error.code ?? -1), output, errors });
    });
  });
}

describe('coppice', () => {
  it('tells its version, and what a mistyped command was meant to be', async () => {
    const [version, typo] = await Promise.all([coppice('--version'), coppice('sevre')]);
    expect(version).toMatchObject({ status: 0, output: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });
    expect(typo).toMatchObject({ status: 2, errors: "coppice: there is no command 'sevre'; did you mean serve?\n" });
  });

  it("says of what is the lab's where it is", async () => {
    const there = 'coppice: sim is a command of the lab: npm run lab -- sim in the repository\n';
    expect(await coppice('sim', '--full')).toMatchObject({ status: 2, errors: there });
  });

  // Both would end with a status of their own, 3 and 2, if somebody were still reading.
  it.each([
    ['stdout', ['ask', 'make 24 from 1 1 1 1', '--rollouts', '1']],
    ['stderr', ['sevre']],
  ] as const)('ends quietly when whoever reads its %s stops reading', async (stream, args) => {
    const child = spawn(process.execPath, ['packages/coppice/src/cli/main.ts', ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child[stream].destroy();
    let said = '';
    child[stream === 'stdout' ? 'stderr' : 'stdout'].on('data', (data) => {
      said += data;
    });
    const status = await new Promise((resolve) => child.once('close', resolve));
    expect({ status, said }).toEqual({ status: 0, said: '' });
  });
});

describe('coppice ask on a server', () => {
  const folder = mkdtempSync(join(tmpdir(), 'coppice-line-'));
  const server = new VllmServer();
  afterEach(() => vi.restoreAllMocks());

  it('answers without a score where nothing scores, and with a GGUF reward model beside the server', async () => {
    const prm = join(folder, 'prm.gguf');
    writeTinyModel(prm, { kind: 'random', seed: 3 });
    await server.listen();
    try {
      const plain = await answered('--engine', server.url);
      expect(plain.record).toMatchObject({ score: null, confidence: expect.any(Number), program: 'self-consistency' });
      const scored = await answered('--engine', server.url, '--prm', prm, '--threshold', '1');
      expect(scored.record).toMatchObject({ verdict: 'unsure', program: 'mcts' });
      expect(scored.status).toBe(3);
      expect(scored.warned).toContain('does not tell right steps from wrong ones');
    } finally {
      await server.close();
      rmSync(folder, { recursive: true });
    }
  });

  async function answered(...flags: readonly string[]) {
    const [lines, warnings]: [string[], string[]] = [[], []];
    vi.spyOn(console, 'log').mockImplementation((line: string) => void lines.push(line));
    vi.spyOn(console, 'error').mockImplementation((line: string) => void warnings.push(line));
    const status = await ask(['What is 2 + 3?', '--json', '--rollouts', '3', '--policy', 'vanilla', ...flags]);
    return { status, record: JSON.parse(lines.join('\n')) as Record<string, unknown>, warned: warnings.join('\n') };
  }
});

it('an older Node is one line', () => {
  const older = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.19.0' } })`;
  const args = [
    '--import',
    `data:text/javascript,${encodeURIComponent(older)}`,
    'packages/coppice/src/cli/main.ts',
    '--version',
  ];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  expect([status, stdout]).toEqual([2, '']);
  expect(stderr).toMatch(/^coppice needs Node 24 or newer, this is 20\.19\.0; [^\n]*\n$/);
});
