// The registry of programs: those of core, and those that a package registers. Names, options, usage texts, the schemas of
// configuration and bodies, and what may be asked of whom all follow from it, and are read when they are needed.

import { raise } from '../../base/fault.ts';
import { defaultsOf, type Knobs } from '../../base/knob.ts';
import { packageOf } from '../../base/unknown-names.ts';
import { auto } from '../auto.ts';
import { bestFirst } from '../best-first/best-first.ts';
import { bestOfN, greedy, selfConsistency } from '../best-of-n.ts';
import type { ProgramDefinition, ProgramSize } from '../definition.ts';
import { mcts } from '../mcts/mcts.ts';
import type { Program } from '../program.ts';
import { panel } from '../whole-answers/panel.ts';

const core = [mcts, bestFirst, bestOfN, selfConsistency, greedy, auto, panel] as const;

export type CoreProgram = (typeof core)[number];
/** A program of core, or one that a package registers. */
export type ProgramName = CoreProgram['name'] | (string & Record<never, never>);

const registered: ProgramDefinition[] = [...core];

/** Registering a program twice changes nothing; two programs of one name are refused. */
export function registerPrograms(definitions: readonly ProgramDefinition[]): void {
  for (const definition of definitions) {
    const same = registered.find(({ name }) => name === definition.name);
    if (same === undefined) registered.push(definition);
    else if (same !== definition) raise('bad-setting', `there are two programs '${same.name}': give one another name`);
  }
}

export function programs(): readonly ProgramDefinition[] {
  return registered;
}

export function programNames(): readonly ProgramName[] {
  return registered.map(({ name }) => name);
}

export function programOf(name: string): ProgramDefinition {
  const found = registered.find((each) => each.name === name);
  if (found !== undefined) return found;
  const missing = packageOf('program', name);
  if (missing !== undefined) return raise('bad-setting', `program is '${name}', ${missing}`);
  return raise('bad-setting', `there is no program '${name}'; there are ${programNames().join(', ')}`);
}

/** The options of all programs by name. Programs that share an option share its knob. */
export function programKnobs(): Knobs {
  return Object.assign({}, ...registered.map(({ options }) => options)) as Knobs;
}

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
export function programWith(name: string, options: Readonly<Record<string, unknown>>): ProgramDefinition {
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
