// Finds the libllama that npm installed for this machine. It never downloads, builds or guesses: for a missing package it
// names the command that installs it.

import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { raise } from '@coppice/core/base';

// The newest release of each platform whose layout the guard knows. macOS and Windows had no 3.22 when this was written.
const packages: Readonly<Record<string, { readonly name: string; readonly version: string }>> = {
  'linux-x64': { name: 'linux-x64', version: '3.22.1' },
  'linux-arm64': { name: 'linux-arm64', version: '3.22.1' },
  'darwin-arm64': { name: 'mac-arm64-metal', version: '3.21.1' },
  'darwin-x64': { name: 'mac-x64', version: '3.21.1' },
  'win32-x64': { name: 'win-x64', version: '3.21.1' },
  'win32-arm64': { name: 'win-arm64', version: '3.21.1' },
};

export interface LibraryFiles {
  readonly directory: string;
  readonly ggml: string;
  readonly ggmlBase: string;
  readonly llama: string;
  /** The llama.cpp release in the file name, for example `v0.5.0`. */
  readonly release: string;
}

/** Resolves a package's `package.json`; an argument, so that a test can simulate a missing package. */
export type PackageResolver = (specifier: string) => string;

const require = createRequire(import.meta.url);

export const resolvePackage: PackageResolver = (specifier) => require.resolve(specifier);

export function findLibrary(
  platform: string = process.platform,
  architecture: string = process.arch,
  resolve: PackageResolver = resolvePackage,
): LibraryFiles {
  const wanted = packages[`${platform}-${architecture}`];
  if (wanted === undefined) {
    const known = Object.keys(packages).join(', ');
    return raise(
      'unsupported',
      `no embedded engine for ${platform}-${architecture} (there is one for ${known}); use a remote engine instead`,
    );
  }
  const packageName = `@node-llama-cpp/${wanted.name}`;
  let entry: string;
  try {
    entry = resolve(packageName);
  } catch {
    return raise(
      'unsupported',
      `the embedded engine needs the package ${packageName}, which is not installed; run: npm install ${packageName}@${wanted.version}`,
    );
  }
  return libraryFilesIn(join(dirname(dirname(entry)), 'bins', wanted.name));
}

/** The three libraries in a platform package's folder. Their names contain the release and differ by system. */
export function libraryFilesIn(directory: string): LibraryFiles {
  const names = listNames(directory);
  const llamaName = names.find((name) => /^(lib)?llama\.(.*\.)?v?[\w.]+\.(so|dylib|dll)$/.test(name));
  const release = llamaName?.match(/\.(v\d+\.\d+\.\d+|b\d+)\.(so|dylib|dll)$/)?.[1];
  const ggmlName = names.find((name) => /^(lib)?ggml(\..*)?\.(so|dylib|dll)$/.test(name));
  const ggmlBaseName = names.find((name) => /^(lib)?ggml-base(\..*)?\.(so|dylib|dll)$/.test(name));
  if (!llamaName || !release || !ggmlName || !ggmlBaseName) {
    return raise(
      'unsupported',
      `${directory} holds no complete libllama (libllama.<release>, libggml, libggml-base); reinstall the package that owns it`,
    );
  }
  return {
    directory,
    ggml: join(directory, ggmlName),
    ggmlBase: join(directory, ggmlBaseName),
    llama: join(directory, llamaName),
    release,
  };
}

function listNames(directory: string): readonly string[] {
  try {
    return readdirSync(directory).sort();
  } catch {
    return [];
  }
}
