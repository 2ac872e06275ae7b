// The list of programs: the one place where a program is registered. Names, options, usage texts, the schemas of
// configuration and bodies, and what may be asked of whom all follow from it.

import { raise } from '../../base/fault.ts';
import { defaultsOf } from '../../base/knob.ts';
import { bestFirst } from '../best-first/best-first.ts';
import { bestOfN, greedy, selfConsistency } from '../best-of-n.ts';
import { chain } from '../chain.ts';
import type { ProgramDefinition, ProgramSize } from '../definition.ts';
import { beam } from '../levels/beam.ts';
import { dvts } from '../levels/dvts.ts';
import { ets } from '../levels/ets.ts';
import { rebase } from '../levels/rebase.ts';
import { tot } from '../levels/tot.ts';
import { mcts } from '../mcts/mcts.ts';
import { rest } from '../mcts/rest.ts';
import { rstar } from '../mcts/rstar.ts';
import type { Program } from '../program.ts';
import { refine } from '../refine/refine.ts';
import { scoredTreeSamples, treeSamples } from '../tree-samples.ts';
import { aggregate } from '../whole-answers/aggregate.ts';
import { pairwise } from '../whole-answers/pairwise.ts';
import { panel } from '../whole-answers/panel.ts';

export const programs = [
  mcts,
  bestFirst,
  rest,
  rstar,
  beam,
  dvts,
  rebase,
  ets,
  tot,
  bestOfN,
  selfConsistency,
  greedy,
  chain,
  aggregate,
  panel,
  pairwise,
  refine,
  treeSamples,
  scoredTreeSamples,
] as const;

export type ProgramName = (typeof programs)[number]['name'];
export const programNames: readonly ProgramName[] = programs.map(({ name }) => name);

export function programOf(name: string): ProgramDefinition & { readonly name: ProgramName } {
  const found = programs.find((each) => each.name === name);
  return found ?? raise('bad-setting', `there is no program '${name}'; there are ${programNames.join(', ')}`);
}

type Intersected<Union> = (Union extends unknown ? (each: Union) => void : never) extends (all: infer All) => void
  ? All
  : never;
type ProgramKnobs = Intersected<(typeof programs)[number]['options']>;

/** The options of all programs by name. One name means one thing: programs that share an option share its knob. */
export const programKnobs = Object.assign({}, ...programs.map(({ options }) => options)) as ProgramKnobs;

/** Values for the options of one program: those given that are its own, the rest at their defaults. */
export function programOptions(
  name: string,
  given: Readonly<Record<string, unknown>>,
): Record<string, number | string> {
  const { options } = programOf(name);
  const own = Object.entries(given).filter(([key, value]) => Object.hasOwn(options, key) && value !== undefined);
  return { ...defaultsOf(options), ...Object.fromEntries(own) } as Record<string, number | string>;
}

/** A program as rules see it: whether it expands a node once may depend on its options. */
export function programWith(name: string, options: Readonly<Record<string, unknown>>): ReturnType<typeof programOf> {
  const definition = programOf(name);
  return { ...definition, expandsOnce: definition.expandsOnce && !definition.growsAgain?.(options) };
}

export function createProgram(
  name: string,
  size: ProgramSize,
  options: Readonly<Record<string, unknown>> = {},
): Program {
  const definition = programOf(name);
  const missing = definition.prompts?.find((prompt) => size.prompts?.[prompt] === undefined);
  if (missing !== undefined) raise('bad-setting', `program '${name}' needs the prompt '${missing}'`);
  return definition.create(size, programOptions(name, options));
}
