// What a process of the command verifier may use unless its operator says otherwise.

/** A test of a function takes milliseconds: what runs for ten seconds is stuck. */
export const commandDefaults = { timeoutMs: 10_000, memoryMiB: 512, outputKiB: 64, parallel: 2 } as const;
