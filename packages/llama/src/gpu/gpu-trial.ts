// A trial decode in a child process: a library without code for this GPU returns no error but aborts its process, which must not be ours.

import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { GpuTrial } from './gpu-library.ts';

/** The first load of a large model onto a GPU takes a while. */
const longestMs = 120_000;
const quotedCharacters = 160;

export const tryLibrary: GpuTrial = (directory, model) => {
  const file = import.meta.url.endsWith('.ts') ? './gpu-trial-main.ts' : './gpu-trial-main.js';
  const script = fileURLToPath(new URL(file, import.meta.url));
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [...process.execArgv, script, directory, model], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const timer = setTimeout(() => child.kill('SIGKILL'), longestMs);
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(-4096);
    });
    child.on('error', (error) => resolve(error.message));
    child.on('close', (status, signal) => {
      clearTimeout(timer);
      if (status === 0) return resolve(undefined);
      const last =
        said
          .trim()
          .split('\n')
          .findLast((line) => line.trim() !== '') ?? '';
      const how = signal === null ? `it ended with status ${status}` : `it was ended by ${signal}`;
      resolve(last === '' ? how : `${how}: ${last.trim().slice(0, quotedCharacters)}`);
    });
  });
};
