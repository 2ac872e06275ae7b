// Refuses a search, before it runs, whose rules do not go with its program or its aggregation.

import { raise } from '../base/fault.ts';
import { requireBound } from '../exit/bound.ts';
import type { ProgramDefinition } from '../program/definition.ts';
import type { Aggregation } from '../tree/aggregate.ts';
import type { Rules } from './policy.ts';

/** What the rules need to know of a program: one that runs, or its definition. */
export type RuledProgram = Pick<ProgramDefinition, 'name' | 'expandsOnce' | 'samplesIndependently'> & {
  readonly fullAt?: number;
};

export function checkRules({ exits, prunes }: Rules, program: RuledProgram, aggregation: Aggregation): void {
  for (const { name, needsBound } of [...exits, ...prunes]) if (needsBound) requireBound(name, aggregation);
  const sampling = [...exits, ...prunes].find(({ needsSamples }) => needsSamples && !program.samplesIndependently);
  if (sampling !== undefined)
    refuseSampling(
      sampling.name,
      program.name,
      exits.some(({ name }) => name === sampling.name),
    );
  const wrong = exits.find(({ needsLeaves }) => needsLeaves && !program.expandsOnce && program.fullAt === undefined);
  if (wrong === undefined) return;
  raise(
    'bad-setting',
    `rule '${wrong.name}' cannot go with program '${program.name}', which adds children to nodes that have some: a tree ` +
      'whose leaves are all futile may still grow a good path. Take a policy without this rule, such as positive',
  );
}

function refuseSampling(rule: string, program: string, ends: boolean): never {
  return raise(
    'bad-setting',
    `rule '${rule}' cannot go with program '${program}', whose paths depend on each other: it reads independent ` +
      `samples. Take ${ends ? 'certain=lead, certain=threshold or certain=margin, or ' : ''}a program that samples`,
  );
}
