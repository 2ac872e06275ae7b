// Default limits of the command verifier.

/** A test takes milliseconds: what runs for ten seconds is stuck. Results of tested functions count as output. */
export const commandDefaults = { timeoutMs: 10_000, memoryMiB: 512, outputKiB: 1024, parallel: 2 } as const;

export const sandboxKinds = ['bubblewrap', 'limits'] as const;
export type SandboxKind = (typeof sandboxKinds)[number];
