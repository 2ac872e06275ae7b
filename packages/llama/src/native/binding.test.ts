import { describe, expect, it } from 'vitest';
import { FaultError } from '../../../core/src/base/fault.ts';
import { type AbiSigns, checkAbi } from './abi-guard.ts';
import { loadBinding } from './binding.ts';
import { findLibrary, libraryFilesIn } from './platform.ts';

function messageOf(action: () => unknown): string {
  try {
    action();
  } catch (error) {
    if (error instanceof FaultError) return error.message;
    throw error;
  }
  return 'nothing was thrown';
}

describe('the native library', () => {
  it('is found, has a known layout and loads twice in one process', () => {
    const files = findLibrary();
    expect(loadBinding(files).sizes).toEqual({ modelParameters: 80, contextParameters: 160, batch: 56 });
    expect(loadBinding(files).modelDefaults()).toMatchObject({ n_gpu_layers: -1, use_extra_bufts: true });
  });

  it('is explained where its package is missing: which one, and the command that installs it', () => {
    const absent = () => {
      throw new Error('not found');
    };
    expect(messageOf(() => findLibrary('darwin', 'arm64', absent))).toContain(
      'npm install @node-llama-cpp/mac-arm64-metal@3.21.1',
    );
    expect(messageOf(() => findLibrary('aix', 'ppc64'))).toContain('no embedded engine for aix-ppc64');
    expect(messageOf(() => libraryFilesIn('/nonexistent'))).toContain('holds no complete libllama');
  });

  it('is refused when any sign of its layout differs', () => {
    const binding = loadBinding(findLibrary());
    const good: AbiSigns = {
      release: 'v0.5.0',
      version: '0.5.0-dev',
      sizes: binding.sizes,
      model: binding.modelDefaults(),
      context: binding.contextDefaults(),
    };
    expect(() => checkAbi(good)).not.toThrow();
    const bad: Partial<AbiSigns>[] = [
      { release: 'b8390', version: '8390' },
      { version: '0.6.0' },
      { sizes: { ...good.sizes, contextParameters: 168 } },
      { model: { ...good.model, use_extra_bufts: 0 } },
      { context: { ...good.context, kv_unified: true } },
    ];
    for (const change of bad) {
      expect(messageOf(() => checkAbi({ ...good, ...change }))).toMatch(/does not have the layout that coppice knows/);
    }
  });
});
