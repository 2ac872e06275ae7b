import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

// Two projects: `fast` is what a developer runs on every change, two files at a time at least; `slow` is what
// needs a build, real weights, a browser or many seeds, one at a time on two cores. A slow test is one whose file name ends in `.slow.test.ts`.
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'fast',
          include: ['src/**/*.test.ts', 'tests/**/*.test.ts', 'web/**/*.test.ts'],
          exclude: ['**/*.slow.test.ts', '**/node_modules/**'],
          setupFiles: ['tests/support/property-seed.ts'],
          testTimeout: 60_000,
          maxWorkers: Math.max(2, availableParallelism() - 1),
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'slow',
          include: ['src/**/*.slow.test.ts', 'tests/**/*.slow.test.ts'],
          testTimeout: 600_000,
          hookTimeout: 600_000,
        },
      },
    ],
  },
});
