// How fast paths are completed (P4's precise goodput is the rate of their tokens over that of their time) and how often guesses were
// right, read from the growth meter of each model when somebody asks. Labels end in a class for the rest, so that they stay few.

import type { Registry } from 'prom-client';
import type { ObservedModel } from './observed.ts';
import { ReadMetrics } from './read-metrics.ts';

const mostAhead = 4;
const mostDepth = 8;

export function addGrowthMetrics(registry: Registry, models: () => Iterable<ObservedModel>): void {
  const totals = () => Array.from(models(), ({ name, growth }) => [{ model: name }, growth.total] as const);
  const paths = new ReadMetrics(registry, ['model'], totals);
  paths.count('path_tokens', 'Tokens of completed paths', ({ pathTokens }) => pathTokens);
  paths.count('path_seconds', 'From admission to their completion', ({ pathMs }) => pathMs / 1000);

  const ahead = new ReadMetrics(registry, ['model', 'ahead'], () =>
    totals().flatMap(([{ model }, { byDistance }]) =>
      byDistance.map((guesses, at) => [{ model, ahead: classOf(at + 1, mostAhead) }, guesses] as const),
    ),
  );
  const depth = new ReadMetrics(registry, ['model', 'depth'], () =>
    totals().flatMap(([{ model }, { byDepth }]) =>
      byDepth.map((guesses, at) => [{ model, depth: classOf(at + 1, mostDepth) }, guesses] as const),
    ),
  );
  const made = 'Steps that were grown ahead of the program';
  const came = 'Those of them that it came to ask for';
  ahead.count('guesses', made, ({ guessed }) => guessed);
  ahead.count('guesses_right', came, ({ right }) => right);
  depth.count('guesses_by_depth', made, ({ guessed }) => guessed);
  depth.count('guesses_by_depth_right', came, ({ right }) => right);
}

function classOf(value: number, most: number): string {
  return value < most ? String(value) : `${most}+`;
}
