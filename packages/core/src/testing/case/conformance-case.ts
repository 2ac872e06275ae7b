// Conformance cases as plain data: a case has a name, and throws where a part breaks its contract. Knows no test runner; any
// can register cases, and `prove` runs them without one.

import assert from 'node:assert/strict';

export interface ConformanceCase {
  readonly name: string;
  /** Why the part cannot pass it. The name ends with the reason, and `run` does nothing. */
  readonly skip?: string;
  /** Opens a part of its own, checks it, and closes it. */
  readonly run: () => Promise<void>;
}

/** Reasons by the names of the cases that a part cannot pass. */
export type Skips = Readonly<Record<string, string>>;

/** What a suite checks, by the names of its cases. */
export type Checks<Trial> = Readonly<Record<string, (trial: Trial) => void | Promise<void>>>;

export type Check<Trial> = Checks<Trial>[string];

/** `attempt` opens what a check needs, hands it over, and closes it. */
export function casesOf<Trial>(
  checks: Checks<Trial>,
  attempt: (check: Check<Trial>) => Promise<void>,
  skips: Skips = {},
): readonly ConformanceCase[] {
  const names = Object.keys(checks);
  for (const name of Object.keys(skips))
    assert.ok(names.includes(name), `no case to skip is named '${name}'; there are:\n  ${names.join('\n  ')}`);
  return Object.entries(checks).map(([name, check]) => {
    const skip = skips[name];
    if (skip === undefined) return { name, run: () => attempt(check) };
    return { name: `${name} (${skip})`, skip, run: async () => {} };
  });
}

/** Closes a part after its check. A check that fails is reported, not an error of the closing that follows it. */
export async function closeAfter(check: () => void | Promise<void>, close: () => Promise<void>): Promise<void> {
  try {
    await check();
  } catch (error) {
    await close().catch(() => {});
    throw error;
  }
  await close();
}

/** Runs cases one after another, and throws one error that names each case that failed. */
export async function prove(cases: readonly ConformanceCase[]): Promise<void> {
  const failures: Error[] = [];
  for (const { name, run } of cases) {
    try {
      await run();
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      failures.push(new Error(`${name}: ${why}`, { cause: error }));
    }
  }
  if (failures.length === 0) return;
  const lines = failures.map(({ message }) => `- ${message}`).join('\n');
  throw new AggregateError(failures, `${failures.length} of ${cases.length} cases failed:\n${lines}`);
}
