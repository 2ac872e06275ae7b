// The embedded engine on a GPU that is none: Vulkan's software driver (Debian's mesa-vulkan-drivers) under the package for
// Vulkan, which is fetched into a folder of its own. Skipped where the driver or the registry is missing.

import { execFile } from 'node:child_process';
import { existsSync, globSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const run = promisify(execFile);
const name = '@node-llama-cpp/linux-x64-vulkan';
const driver = globSync('/usr/share/vulkan/icd.d/lvp_icd*.json')[0];
const suits = process.platform === 'linux' && process.arch === 'x64' && driver !== undefined;

/** A software driver is slow. */
const small = ['--rollouts', '2', '--branching', '2', '--policy', 'vanilla'];

let folder: string;
let fetched = false;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'vulkan-'));
  if (!suits) return;
  const home = join(folder, 'node_modules', name);
  mkdirSync(home, { recursive: true });
  try {
    const { stdout } = await run('npm', ['pack', '--silent', `${name}@3.22.1`], { cwd: folder, timeout: 60_000 });
    await run('tar', ['-xzf', join(folder, stdout.trim()), '--strip-components=1', '-C', home]);
    fetched = existsSync(join(home, 'package.json'));
  } catch {
    // Without the registry there is nothing to try.
  }
}, 120_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** `coppice ask` in a process of its own, where the package is found and the driver is the only one. */
async function ask(
  gpu: string,
  devices: Readonly<Record<string, string>>,
): Promise<{ model: string; verdict: string }> {
  const args = [
    'packages/coppice/src/cli/main.ts',
    'ask',
    'make 24 from 4 7 8 8',
    '--set',
    `engine.gpu=${gpu}`,
    '--seed',
    '1',
    ...small,
    '--json',
  ];
  const env = { ...process.env, NODE_PATH: join(folder, 'node_modules'), VK_ICD_FILENAMES: driver, ...devices };
  const { stdout } = await run(process.execPath, args, { env, timeout: 100_000 });
  return JSON.parse(stdout) as { model: string; verdict: string };
}

describe.skipIf(!suits)('the embedded engine with Vulkan', () => {
  it('computes on the device that the driver shows', async (context) => {
    if (!fetched) return context.skip(`${name} could not be fetched`);
    // libllama passes over devices that are no GPUs unless one is named.
    const { model, verdict } = await ask('vulkan', { GGML_VK_VISIBLE_DEVICES: '0' });
    expect(model).toContain('on the GPU (vulkan)');
    expect(['accepted', 'below-threshold']).toContain(verdict);
  }, 120_000);

  it('computes on the CPU where there is no GPU, and says so', async (context) => {
    if (!fetched) return context.skip(`${name} could not be fetched`);
    const { model, verdict } = await ask('auto', {});
    expect(model).toMatch(
      /on the CPU: the library for vulkan cannot run here \(it ended with status 1: it finds no GPU\)/,
    );
    expect(['accepted', 'below-threshold']).toContain(verdict);
  }, 120_000);
});
