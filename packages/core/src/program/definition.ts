// The definition of a program: its name, what it is in one line, what must hold for it, the options of its own, and how
// it is made at a given size. The list of all of them is registry/programs.ts; nothing else needs to know a program by name.

import type { Knobs, OptionsOf } from '../base/knob.ts';
import { checkDefaults, checkKeys } from '../base/part.ts';
import type { Aggregation } from '../tree/aggregate.ts';
import type { Sampling } from '../tree/step.ts';
import type { Choice } from './choice.ts';
import type { Program } from './program.ts';
import type { ProgramThinking } from './thinking-moves.ts';

/** Sizes that compare: the same words buy about the same work from every program. */
export interface ProgramSize {
  /** Paths that are paid for: rollouts of MCTS, samples of best-of-n and self-consistency; a beam is worth two of them. */
  readonly rollouts: number;
  /** Steps per expansion: children of a node of MCTS, candidates of a beam. Samples take one each, whatever it says. */
  readonly branching: number;
  readonly maxDepth: number;
  readonly maxPathTokens?: number | undefined;
  /** Tokens that the whole search may generate: a program may leave off what they would not pay for. */
  readonly tokenBudget?: number | undefined;
  readonly sampling: Sampling;
  /** Rule that chooses the answer where there are scores; self-consistency votes by its nature. */
  readonly choose: Choice;
  /** Names of the models that its draws may name, where it asks several; the search's own is among them only if it is to answer. */
  readonly models?: readonly string[] | undefined;
  /** The search's own, by name, where it asks several: only by name can another stand in for it. */
  readonly own?: string | undefined;
  /** The one that is shown what the others wrote, where one is named. */
  readonly synthesizer?: string | undefined;
  readonly thinking?: ProgramThinking | undefined;
  readonly prompts?: Readonly<Record<string, string>>;
}

/** Defaults for code that makes a program without a plan. */
export const usualSize = { maxDepth: 40, sampling: { temperature: 0.8 }, choose: 'best' } as const;

export interface ProgramDefinition {
  readonly name: string;
  readonly summary: string;
  readonly needsVerifier: boolean;
  /**
   * Goes on while that is worth the price that an effort sets, and has its samples read by a verifier where that is (tree/readings/worth.ts).
   * No other rule ends it unless request or model asks for one: a score alone accepts no answer, and a path that cannot win still votes.
   */
  readonly isPriced?: boolean;
  /** See Program: it expands once, or knows when a node is full. The negative exits need it, and early streaming rests on it. */
  readonly expandsOnce: boolean;
  /** True where, with these options, it adds children to nodes that have some although it expands once otherwise. */
  growsAgain?(options: Readonly<Record<string, unknown>>): boolean;
  /** False where it samples at temperature 0 by its nature, so that a temperature asks for something that it cannot do. */
  readonly takesTemperature: boolean;
  /** Its draws name models: those of the panel that its model is configured with. */
  readonly asksModels?: boolean;
  /** All its rollouts are wanted, the bad ones too: no rule ends the search or a path before they are there. */
  readonly keepsRollouts?: boolean;
  /** Aggregation by the program's nature, not the verifier's: `last` where a node is a whole answer. */
  readonly aggregation?: Aggregation;
  readonly options: Knobs;
  /** Names of its prompts: files of the folder `prompts/`, which users can edit. */
  readonly prompts?: readonly string[];
  /** True where it reads token entropies, which not every engine tells. */
  readsEntropy?(options: Readonly<Record<string, number | string>>): boolean;
  /** Its rollouts that cost as much as one of P0's, with all steps of every expansion: efforts are counted in those. 1 by default. */
  pathsPerRollout?(branching: number, options: Readonly<Record<string, unknown>>): number;
  create(size: ProgramSize, options: Readonly<Record<string, number | string>>): Program;
}

const programKeys: readonly (keyof ProgramDefinition)[] = [
  'name',
  'summary',
  'needsVerifier',
  'isPriced',
  'expandsOnce',
  'growsAgain',
  'takesTemperature',
  'asksModels',
  'keepsRollouts',
  'aggregation',
  'options',
  'prompts',
  'readsEntropy',
  'pathsPerRollout',
  'create',
];

/** Members that are typed by a definition's own options and prompts. */
type NarrowKeys = 'name' | 'options' | 'prompts' | 'growsAgain' | 'readsEntropy' | 'pathsPerRollout' | 'create';

/** Checks a definition and keeps the exact types of its name and options. */
export function defineProgram<
  const Name extends string,
  const Options extends Knobs,
  const Prompts extends string = never,
>(
  definition: Omit<ProgramDefinition, NarrowKeys> & {
    readonly name: Name;
    readonly options: Options;
    readonly prompts?: readonly Prompts[];
    readonly growsAgain?: (options: OptionsOf<Options>) => boolean;
    readonly readsEntropy?: (options: OptionsOf<Options>) => boolean;
    readonly pathsPerRollout?: (branching: number, options: OptionsOf<Options>) => number;
    readonly create: (
      size: ProgramSize & { readonly prompts: Readonly<Record<Prompts, string>> },
      options: OptionsOf<Options>,
    ) => Program;
  },
): ProgramDefinition & { readonly name: Name; readonly options: Options } {
  checkKeys(`program '${definition.name}'`, definition, programKeys);
  checkDefaults(`program '${definition.name}'`, definition.options);
  return definition as ProgramDefinition & { readonly name: Name; readonly options: Options };
}
