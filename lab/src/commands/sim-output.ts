// What an experiment tells while it runs, and the files that it leaves: progress on stderr, charts in a folder.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Figure } from '../sim/p0-figures.ts';

export function progress(startMs: number): (done: number, all: number) => void {
  return (done, all) => {
    const seconds = Math.round((performance.now() - startMs) / 1000);
    const line = `${done} of ${all} runs, ${seconds} s`;
    if (process.stderr.isTTY) process.stderr.write(`\r${line} `);
    else if (done % 16 === 0 || done === all) process.stderr.write(`${line}\n`);
  };
}

export function endProgress(): void {
  if (process.stderr.isTTY) process.stderr.write('\r\x1b[K');
}

export function writeFigures(folder: string, figures: readonly Figure[]): void {
  if (figures.length === 0) return;
  mkdirSync(folder, { recursive: true });
  for (const { name, svg } of figures) {
    const path = join(folder, `${name}.svg`);
    writeFileSync(path, svg);
    console.error(`wrote ${path}`);
  }
}
