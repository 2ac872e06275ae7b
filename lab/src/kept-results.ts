// Results in a file, one line each, so that a long comparison can be stopped and taken up again. A result is a function of its
// spec and of the code: a line of other code is not used.

import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { raise, sourceFolder } from 'coppice/internals';

interface KeptLine {
  readonly code: string;
  readonly spec: string;
  readonly result: unknown;
}

export class KeptResults<Spec, Result> {
  readonly #file: string;
  readonly #code: string;
  readonly #known = new Map<string, Result>();

  constructor(file: string, code: string = codeHash()) {
    this.#file = file;
    this.#code = code;
    mustBeWritable(file);
    const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
    // The last line of a run that was stopped may be half written.
    const whole = lines.slice(0, -1);
    for (const [at, line] of whole.entries()) this.#take(line, at + 1);
    if (lines.length > 0 && lines.at(-1) !== '') writeFileSync(file, whole.map((line) => `${line}\n`).join(''));
  }

  find(spec: Spec): Result | undefined {
    return this.#known.get(JSON.stringify(spec));
  }

  keep(spec: Spec, result: Result): void {
    const line: KeptLine = { code: this.#code, spec: JSON.stringify(spec), result };
    this.#known.set(line.spec, result);
    appendFileSync(this.#file, `${JSON.stringify(line)}\n`);
  }

  #take(text: string, at: number): void {
    if (text === '') return;
    const line = parsed(text);
    if (line === undefined)
      raise('bad-setting', `--resume: line ${at} of ${this.#file} is no result; name another file`);
    if (line.code === this.#code) this.#known.set(line.spec, line.result as Result);
  }
}

function mustBeWritable(file: string): void {
  try {
    appendFileSync(file, '');
  } catch (error) {
    raise('bad-setting', `--resume: cannot write ${file}: ${(error as NodeJS.ErrnoException).code}`);
  }
}

function parsed(text: string): KeptLine | undefined {
  try {
    const line: unknown = JSON.parse(text);
    return typeof line === 'object' && line !== null && 'spec' in line && 'result' in line
      ? (line as KeptLine)
      : undefined;
  } catch {
    return undefined;
  }
}

/** Of every source file of the product and of the lab, so that no figure comes from two versions. */
function codeHash(): string {
  const hash = createHash('sha256');
  for (const root of [sourceFolder, import.meta.dirname]) {
    for (const file of readdirSync(root, { recursive: true, encoding: 'utf8' }).sort()) {
      if (/(?<!\.test)\.[jt]s$/.test(file)) hash.update(file).update(readFileSync(join(root, file)));
    }
  }
  return hash.digest('hex').slice(0, 16);
}
