// Ready processes that run tests against the code of an answer, for Python and JavaScript. The tests run in one process, the code in another:
// names of the code are functions there whose arguments and results cross as plain values, so that the code can give a wrong
// value and nothing else. Tests that pass anything else (functions, objects of their own), or that use an object of the answer, run inside the
// code's process, which could forge their outcome; that is decided by the tests alone, never by what the code does.
// Each program gets JSON on its input, with the role that it plays.

import { javascriptRunner } from './javascript-runner.ts';
import { pythonRunner } from './python-runner.ts';

export const testLanguages = ['python', 'javascript'] as const;
export type TestLanguage = (typeof testLanguages)[number];

/** `node` reserves far more addresses than it uses: its memory is bounded by its own limit, and addresses by a wide one. */
export const addressMiB: Readonly<Record<TestLanguage, (memoryMiB: number) => number>> = {
  python: (memoryMiB) => memoryMiB,
  javascript: (memoryMiB) => memoryMiB + 16_384,
};

/** `code` executes the answer, `tests` runs the tests against that process; `inside` does both in one. */
export type RunnerRole = 'code' | 'tests' | 'inside';

export function runnerCommand(language: TestLanguage, program: string, memoryMiB: number, role: RunnerRole): string[] {
  if (language === 'python') return [program, '-I', '-S', '-c', pythonRunner, role];
  return [program, `--max-old-space-size=${Math.ceil(memoryMiB / 2)}`, '-e', javascriptRunner, role];
}
