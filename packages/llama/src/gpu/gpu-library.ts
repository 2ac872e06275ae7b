// Chooses the libllama to load: the GPU's if it is wanted, its package is installed and a trial decode succeeds; else the CPU's, with
// one line that says why. Never installs anything.

import { dirname, join } from 'node:path';
import { FaultError, raise } from '@coppice/core/base';
import { type PackageResolver, resolvePackage } from '../native/platform.ts';
import type { GpuChoice } from './gpu-names.ts';

interface GpuPackage {
  readonly gpu: Exclude<GpuChoice, 'auto' | 'off'>;
  readonly name: string;
  readonly version: string;
}

/** Packages by platform, the fastest first. On macOS the usual library is the one for Metal. */
const gpuPackages: Readonly<Record<string, readonly GpuPackage[]>> = {
  'linux-x64': [
    { gpu: 'cuda', name: 'linux-x64-cuda', version: '3.22.1' },
    { gpu: 'vulkan', name: 'linux-x64-vulkan', version: '3.22.1' },
  ],
  'win32-x64': [
    { gpu: 'cuda', name: 'win-x64-cuda', version: '3.21.1' },
    { gpu: 'vulkan', name: 'win-x64-vulkan', version: '3.21.1' },
  ],
  'darwin-arm64': [{ gpu: 'metal', name: 'mac-arm64-metal', version: '3.21.1' }],
};

export interface GpuLibrary {
  readonly directory?: string;
  /** 0 keeps a library that could use a GPU on the CPU. */
  readonly gpuLayers?: number;
  /** The device, or why it is not the wanted one; undefined if there was no choice. */
  readonly note?: string;
}

/** Undefined if the library ran a model, else why it did not. */
export type GpuTrial = (directory: string, model: string) => Promise<string | undefined>;

export interface GpuMachine {
  readonly platform: string;
  readonly resolve: PackageResolver;
  readonly trial: GpuTrial;
}

export async function chooseGpu(gpu: GpuChoice, model: string, surroundings: GpuMachine): Promise<GpuLibrary> {
  const { platform } = surroundings;
  const all = gpuPackages[platform] ?? [];
  if (gpu === 'off') return platform.startsWith('darwin') ? { gpuLayers: 0 } : {};
  const wanted = gpu === 'auto' ? all : all.filter((each) => each.gpu === gpu);
  if (gpu !== 'auto' && wanted.length === 0) raise('bad-setting', missingText(gpu, platform, all));
  const reasons: string[] = [];
  for (const each of wanted) {
    if (each.gpu === 'metal') return {};
    const directory = directoryOf(each, surroundings.resolve);
    if (directory === undefined && gpu !== 'auto') raise('unsupported', installText(each));
    if (directory === undefined) continue;
    const reason = await surroundings.trial(directory, model);
    if (reason === undefined) return { directory, note: `on the GPU (${each.gpu})` };
    reasons.push(`the library for ${each.gpu} cannot run here (${reason})`);
  }
  return reasons.length === 0 ? {} : { note: `on the CPU: ${reasons.join('; ')}` };
}

export function thisMachine(trial: GpuTrial): GpuMachine {
  return { platform: `${process.platform}-${process.arch}`, resolve: resolvePackage, trial };
}

function directoryOf({ name }: GpuPackage, resolve: PackageResolver): string | undefined {
  try {
    return join(dirname(dirname(resolve(`@node-llama-cpp/${name}`))), 'bins', name);
  } catch (error) {
    if (error instanceof FaultError) throw error;
    return undefined;
  }
}

function installText({ gpu, name, version }: GpuPackage): string {
  const wanted = `@node-llama-cpp/${name}`;
  return `gpu is '${gpu}', which needs the package ${wanted}; run: npm install ${wanted}@${version}, or set gpu to auto or off`;
}

function missingText(gpu: GpuChoice, platform: string, all: readonly GpuPackage[]): string {
  const known = [...all.map((each) => each.gpu), 'auto', 'off'].join(', ');
  return `gpu is '${gpu}', which has no library for ${platform}; it may be ${known}`;
}
