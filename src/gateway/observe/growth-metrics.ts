// How fast paths are completed (P4's precise goodput is the rate of their tokens over that of their time) and how often guesses were
// right, read from the growth meter of each model when somebody asks. Labels end in a class for the rest, so that they stay few.

import { Counter, type Registry } from 'prom-client';
import type { Guesses } from '../../log/guesses.ts';
import type { ObservedModel } from './observed.ts';

const mostAhead = 4;
const mostDepth = 8;

export function addGrowthMetrics(registry: Registry, models: () => Iterable<ObservedModel>): void {
  const registers = [registry];
  const counted = (name: string, help: string, read: (model: ObservedModel) => number) =>
    new Counter({
      ...{ name: `coppice_${name}`, help, labelNames: ['model'], registers },
      collect() {
        this.reset();
        for (const model of models()) this.inc({ model: model.name }, read(model));
      },
    });
  counted('path_tokens_total', 'Tokens of completed paths', ({ growth }) => growth.total.pathTokens);
  counted('path_seconds_total', 'From admission to their completion', ({ growth }) => growth.total.pathMs / 1000);

  const guessed = (name: string, help: string, label: 'ahead' | 'depth', of: keyof Guesses) =>
    new Counter({
      ...{ name: `coppice_${name}`, help, labelNames: ['model', label], registers },
      collect() {
        this.reset();
        for (const { name: model, growth } of models()) {
          const { byDistance, byDepth } = growth.total;
          const [guesses, most] = label === 'ahead' ? [byDistance, mostAhead] : [byDepth, mostDepth];
          for (const [at, each] of guesses.entries()) this.inc({ model, [label]: classOf(at + 1, most) }, each[of]);
        }
      },
    });
  guessed('guesses_total', 'Steps that were grown ahead of the program', 'ahead', 'guessed');
  guessed('guesses_right_total', 'Those of them that it came to ask for', 'ahead', 'right');
  guessed('guesses_by_depth_total', 'Steps that were grown ahead of the program', 'depth', 'guessed');
  guessed('guesses_by_depth_right_total', 'Those of them that it came to ask for', 'depth', 'right');
}

function classOf(value: number, most: number): string {
  return value < most ? String(value) : `${most}+`;
}
