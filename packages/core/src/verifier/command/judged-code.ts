// Two processes for one answer: code in the first, tests in the second, joined by pipes. The verdict comes from the second alone, on a
// descriptor that the first does not have.

import type { Readable, Writable } from 'node:stream';
import { type ContainedCommand, type ProcessEnd, startContained } from './contained-process.ts';

type OfBoth<Each> = Readonly<Record<'code' | 'tests', Each>>;
export type JudgedEnd = OfBoth<ProcessEnd>;

const control = 3;

export async function judgeCode(
  run: OfBoth<ContainedCommand>,
  answer: string,
  tests: string,
  signal: AbortSignal,
): Promise<JudgedEnd> {
  const first = startContained(run.code, signal, undefined, null);
  const { stdin, stdout } = first.child;
  if (stdin === null || stdout === null || !(await sent(stdin, { answer })))
    return { code: await first.ended, tests: notStarted };
  const second = startContained(run.tests, signal, [stdout, stdin, 'pipe', 'pipe'], control);
  stdin.destroy();
  stdout.destroy();
  void sent(second.child.stdio[control] as Writable, { tests, outputKiB: run.code.limits.outputKiB });
  // Children of the code may keep the pipes open.
  void first.ended.then(({ stopped }) => stopped !== undefined && second.stop('cancelled'));
  const ended = await second.ended;
  first.stop('cancelled');
  return { code: await first.ended, tests: ended };
}

const notStarted: ProcessEnd = { output: '', errors: '', code: null, signal: null };

function sent(to: Writable | Readable, line: object): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  to.on('error', () => resolve(false));
  (to as Writable).write(`${JSON.stringify(line)}\n`, (error) => resolve(!error));
  to.on('close', () => resolve(false));
  return promise;
}
