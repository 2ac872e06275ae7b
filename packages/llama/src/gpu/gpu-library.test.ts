import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findLibrary } from '../native/platform.ts';
import { modelPath } from '../shipped-models.ts';
import { chooseGpu, type GpuMachine, type GpuTrial } from './gpu-library.ts';
import { tryLibrary } from './gpu-trial.ts';

/** A machine with some packages installed; the trial fails with the given reasons. */
function machine(installed: readonly string[], reasons: Readonly<Record<string, string>> = {}): GpuMachine {
  const resolve = (specifier: string): string => {
    if (!installed.some((name) => specifier === `@node-llama-cpp/${name}`)) throw new Error('not found');
    return `/packages/${specifier.split('/')[1]}/dist/index.js`;
  };
  const trial: GpuTrial = async (directory) => reasons[directory.split('/').at(-1)!];
  return { platform: 'linux-x64', resolve, trial };
}

describe('chooseGpu', () => {
  it('takes the fastest library that is installed and runs', async () => {
    expect(await chooseGpu('auto', 'm', machine([]))).toEqual({});
    const both = machine(['linux-x64-cuda', 'linux-x64-vulkan']);
    expect(await chooseGpu('auto', 'm', both)).toEqual({
      directory: '/packages/linux-x64-cuda/bins/linux-x64-cuda',
      note: 'on the GPU (cuda)',
    });
    expect((await chooseGpu('vulkan', 'm', both)).note).toBe('on the GPU (vulkan)');
    expect(await chooseGpu('off', 'm', both)).toEqual({});
  });

  it('falls back to the next and then to the CPU, and says why in one line', async () => {
    const reasons = { 'linux-x64-cuda': 'it was ended by SIGABRT: no kernel image is available' };
    const both = machine(['linux-x64-cuda', 'linux-x64-vulkan'], reasons);
    expect((await chooseGpu('auto', 'm', both)).note).toBe('on the GPU (vulkan)');
    const { directory, note } = await chooseGpu('cuda', 'm', both);
    expect(directory).toBeUndefined();
    expect(note).toBe(`on the CPU: the library for cuda cannot run here (${reasons['linux-x64-cuda']})`);
  });

  it('names the package that is missing, and what there is instead', async () => {
    await expect(chooseGpu('cuda', 'm', machine([]))).rejects.toThrow(
      'npm install @node-llama-cpp/linux-x64-cuda@3.22.1',
    );
    await expect(chooseGpu('metal', 'm', machine([]))).rejects.toThrow('it may be cuda, vulkan, auto, off');
    const mac = { ...machine([]), platform: 'darwin-arm64' };
    expect(await chooseGpu('metal', 'm', mac)).toEqual({});
    expect(await chooseGpu('off', 'm', mac)).toEqual({ gpuLayers: 0 });
  });
});

describe('a trial in a child process', () => {
  it('tells why a library does not run: the usual one finds no GPU', async () => {
    const { directory } = findLibrary('linux', 'x64');
    expect(await tryLibrary(directory, modelPath('sapling'))).toBe('it ended with status 1: it finds no GPU');
    expect(await tryLibrary(dirname(directory), modelPath('sapling'))).toMatch(/status 1.*/);
  });
});
