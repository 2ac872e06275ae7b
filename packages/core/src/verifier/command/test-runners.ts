// Programs that run tests against the code of an answer, in Python and JavaScript. Tests and code run in two processes and exchange plain
// values, so the code can give a wrong value and nothing else. Tests that need more run inside the code's process, which could forge their
// outcome; the tests alone decide that, never the code.

import { javascriptRunner } from './javascript-runner.ts';
import { pythonRunner } from './python-runner.ts';

export const testLanguages = ['python', 'javascript'] as const;
export type TestLanguage = (typeof testLanguages)[number];

/** `node` reserves far more addresses than it uses. */
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
