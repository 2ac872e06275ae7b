// `npm run lab -- wire [--engine URL]`: the benchmark of that name.

import { run as runBenchmark } from '../micro/micro.ts';

export function run(args: readonly string[]): Promise<number> {
  return runBenchmark(['wire', ...args]);
}
