// Answers judged by a command verifier, one message each: for its tests and for attacks on it.

import type { Step } from '../../packages/core/src/tree/step.ts';
import { type CommandOptions, CommandVerifier } from '../../packages/core/src/verifier/command/command-verifier.ts';
import type { SandboxKind } from '../../packages/core/src/verifier/command/sandbox.ts';
import { findSandbox, pythonProgram } from '../../packages/core/src/verifier/command/sandbox.ts';
import type { ScoreRequest, VerifierMessage } from '../../packages/core/src/verifier/verifier.ts';

/** Why bubblewrap does not work here, or undefined. */
export const noBubblewrap = why();
export const sandbox: SandboxKind = noBubblewrap === undefined ? 'bubblewrap' : 'limits';
if (noBubblewrap !== undefined) console.log(`what bubblewrap contains is not tested: ${noBubblewrap}`);
export const hasPython = pythonProgram() !== undefined;
if (!hasPython) console.log('tests of Python code are skipped: there is no python3');

function why(): string | undefined {
  try {
    return void findSandbox('bubblewrap');
  } catch (error) {
    return (error as Error).message;
  }
}

export const step = (text: string, end: Step['end'] = 'eos'): Step => ({ text, tokens: 1, meanLogprob: 0, end });

export function request(id: number, text: string, more: Partial<ScoreRequest> = {}): ScoreRequest {
  const place = { id, search: 's', prompt: { kind: 'text', text: 'Add two numbers.' }, parent: 0, index: id } as const;
  return { ...place, path: [], step: step(text), lane: 'primary', priority: 0, ...more };
}

export async function judged(options: CommandOptions, requests: readonly ScoreRequest[]) {
  const verifier = new CommandVerifier({ sandbox, ...options });
  const messages: VerifierMessage[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const answers = () => messages.filter(({ type }) => type === 'score' || type === 'fault');
  verifier.connect((message) => {
    messages.push(message);
    if (answers().length === requests.length) resolve();
  });
  verifier.score(requests);
  await promise;
  await verifier.close();
  return requests.map(({ id }) => answers().find(({ request: each }) => each === id)!);
}

const tests =
  'assert add(1, 2) == 3\nassert add(0, 0) == 0\ndef check(f):\n  assert f(2, 2) == 4\n  assert f(5, 5) == 10\ncheck(add)';
export const python = { command: 'python', tests, timeoutMs: 10_000, memoryMiB: 256 } as const;
export const good = 'Here it is:\n```python\ndef add(a, b):\n  return a + b\n```\n';
