import { availableParallelism } from 'node:os';
import { matchesGlob } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

// `fast` is what a developer of the product runs on every change. A slow test is one whose file name ends in `.slow.test.ts`: `slow` needs a
// build, real weights, a browser or servers, and `lab` (all of its tests) and `slow-seeds` compute (many seeds, virtual time, small models). All
// of them share the cores: no test asserts on a time.
const cores = Math.max(2, availableParallelism() - 1);
/** One more than cores: while a test waits for a server, a browser or a lease, others compute. */
const slowWorkers = cores + 1;
const computed = [
  'tests/{simulation,properties}/**/*.slow.test.ts',
  'tests/model/{ahead,later-saplings,smollm2}.slow.test.ts',
];
/** Files that take longest, none of which may be left alone at the end. */
const longest = [
  'tests/integration/{cluster,cluster-storm,endless-answers,hostile-answers,python-clients,pack,load,guides,greedy}.slow.test.ts',
  'tests/integration/browser/dashboard.slow.test.ts',
  'tests/model/kv-split.slow.test.ts',
  'tests/model/smollm2.slow.test.ts',
  'tests/simulation/{worlds,p0-shape,goodput,calibration}.slow.test.ts',
];
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification) => longest.some((each) => matchesGlob(moduleId, `**/${each}`));
    const sorted = await super.sort(files);
    return [...sorted.filter(isLong), ...sorted.filter((each) => !isLong(each))];
  }
}
// A command that a test starts finds its code compiled by the one before.
const env = {
  NODE_COMPILE_CACHE: fileURLToPath(new URL('node_modules/.cache/compiled', import.meta.url)),
  NODE_OPTIONS: '--conditions=coppice-source',
};
// Packages import each other from source here.
const conditions = ['coppice-source', 'module', 'node', 'development|production'];
const fromSource = { resolve: { conditions }, ssr: { resolve: { conditions } } };
/** Registers the kinds that configurations of tests name. */
const plugins = 'packages/coppice/src/cli/plugins/plugins.ts';
/**
 * Node reads the source itself, as it does for a user. Through Vite every use of an import is a look into an object, which
 * makes what computes a third slower.
 */
const native = { experimental: { viteModuleRunner: false, nodeLoader: false } };
/** For what never comes; a busy machine may need minutes for what takes seconds. */
const patience = { testTimeout: 600_000, hookTimeout: 600_000 };

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        ...fromSource,
        test: {
          name: 'fast',
          include: ['packages/**/*.test.ts', 'tests/**/*.test.ts'],
          exclude: ['**/*.slow.test.ts', '**/node_modules/**'],
          setupFiles: [plugins, 'tests/support/property-seed.ts'],
          // The files of a worker share its modules, which would be read anew for each. No test mocks a module; spies and variables end with their test.
          isolate: false,
          restoreMocks: true,
          unstubEnvs: true,
          env,
          ...patience,
          maxWorkers: cores,
        },
      },
      {
        ...fromSource,
        test: {
          name: 'slow-seeds',
          include: computed,
          setupFiles: [plugins],
          isolate: false,
          env,
          ...native,
          ...patience,
          maxWorkers: slowWorkers,
          sequence: { groupOrder: 1 },
        },
      },
      {
        ...fromSource,
        test: {
          name: 'lab',
          include: ['lab/src/**/*.test.ts'],
          setupFiles: [plugins, 'tests/support/property-seed.ts'],
          isolate: false,
          restoreMocks: true,
          unstubEnvs: true,
          env,
          ...native,
          ...patience,
          maxWorkers: slowWorkers,
          sequence: { groupOrder: 1 },
        },
      },
      {
        ...fromSource,
        test: {
          name: 'slow',
          include: ['packages/**/*.slow.test.ts', 'tests/**/*.slow.test.ts'],
          exclude: [...computed, '**/node_modules/**'],
          setupFiles: [plugins],
          env,
          ...patience,
          maxWorkers: slowWorkers,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
