// Results in a file, one line each, so that a long run can be stopped and resumed. A result is a function of its cell and of the
// code: it is found by the hash of its cell, and lines from other code are ignored.

import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { raise } from '@coppice/core/base';

interface KeptLine {
  readonly code: string;
  readonly key: string;
  readonly result: unknown;
}

interface KeptOptions {
  /** Nothing of what is there is used; what is kept from now on takes its place. */
  readonly fresh?: boolean;
  readonly code?: string;
}

export class KeptResults {
  readonly #file: string;
  readonly #code: string;
  readonly #known = new Map<string, unknown>();

  constructor(file: string, { fresh = false, code = codeHash() }: KeptOptions = {}) {
    this.#file = file;
    this.#code = code;
    mustBeWritable(file);
    const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
    // The last line of a run that was stopped may be half written.
    const whole = lines.slice(0, -1);
    for (const [at, line] of whole.entries()) this.#take(line, at + 1);
    if (lines.length > 0 && lines.at(-1) !== '') writeFileSync(file, whole.map((line) => `${line}\n`).join(''));
    if (fresh) this.#known.clear();
  }

  find(cell: unknown): unknown {
    return this.#known.get(keyOf(cell));
  }

  keep(cell: unknown, result: unknown): void {
    const line: KeptLine = { code: this.#code, key: keyOf(cell), result };
    this.#known.set(line.key, result);
    appendFileSync(this.#file, `${JSON.stringify(line)}\n`);
  }

  #take(text: string, at: number): void {
    if (text === '') return;
    const line = parsed(text);
    if (line === undefined)
      raise('bad-setting', `--results: line ${at} of ${this.#file} is no result; name another folder`);
    if (line.code === this.#code) this.#known.set(line.key, line.result);
  }
}

function keyOf(cell: unknown): string {
  return createHash('sha256').update(JSON.stringify(cell)).digest('hex').slice(0, 32);
}

function mustBeWritable(file: string): void {
  try {
    mkdirSync(dirname(file), { recursive: true });
    appendFileSync(file, '');
  } catch (error) {
    raise('bad-setting', `--results: cannot write ${file}: ${(error as NodeJS.ErrnoException).code}`);
  }
}

function parsed(text: string): KeptLine | undefined {
  try {
    const line: unknown = JSON.parse(text);
    return typeof line === 'object' && line !== null && 'key' in line && 'result' in line
      ? (line as KeptLine)
      : undefined;
  } catch {
    return undefined;
  }
}

/** Of every source file of the product and of the lab, so that no figure comes from two versions. */
function codeHash(): string {
  const hash = createHash('sha256');
  const repository = join(import.meta.dirname, '..', '..', '..');
  for (const file of globSync(['packages/*/src/**/*.ts', 'lab/src/**/*.ts'], { cwd: repository }).sort()) {
    if (!file.endsWith('.test.ts')) hash.update(file).update(readFileSync(join(repository, file)));
  }
  return hash.digest('hex').slice(0, 16);
}
