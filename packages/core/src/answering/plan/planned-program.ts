// The program of a request: the one that it or its model's configuration names, or the one that suits what can judge and compare its
// answers; with its options, and who judges its answer.

import { asksForShortAnswer } from '../../answer/asked.ts';
import { extractAnswer } from '../../answer/extract.ts';
import { optionsGiven } from '../../config/named-options.ts';
import { namesRule, ruledProgram } from '../../config/vocabulary.ts';
import type { ScoredBy } from '../../log/verdict.ts';
import type { Choice } from '../../program/choice.ts';
import type { ProgramDefinition } from '../../program/definition.ts';
import { type ProgramName, programOf, programOptions, programWith } from '../../program/registry/programs.ts';
import { isBound } from '../../tree/aggregate.ts';
import { agentTurn } from '../../tree/readings/agent-turn.ts';
import type { Prompt } from '../../tree/step.ts';
import { lastAsked } from '../question.ts';
import { refuseSetting } from './refusal.ts';
import type { PlannedModel, Wish } from './search-plan.ts';

export interface ProgramChoice {
  readonly name: ProgramName;
  readonly options?: Readonly<Record<string, number>>;
  /** Part of the rollouts that an effort buys. */
  readonly share?: number;
  /** Samples, whatever an effort buys. */
  readonly samples?: number;
  /** Answers of one step: they are judged, or given, as they are. */
  readonly whole?: true;
  /** Goes before the model's: an answer that fails a test is not accepted. */
  readonly threshold?: number;
}

/** Undefined: one generation without search. `asked` is unset where no question is known yet: then it is one with a short answer. */
export function programChoice(asked: Prompt | undefined, wish: Wish, model: PlannedModel): ProgramChoice | undefined {
  const { config, verifier } = model;
  if (wish.effort === 'none') return undefined;
  if (asked && agentTurn(asked)) return turnProgram(wish, model);
  if (wish.program !== undefined || config.program !== 'auto') return { name: wish.program ?? config.program };
  const { exact, aggregation = 'last' } = verifier?.capabilities ?? {};
  const judgesLines = verifier !== undefined && (config.check === 'lines' || (exact && isBound(aggregation)));
  if (judgesLines || namesRule(wish)) return { name: namesRule(wish) ? ruledProgram : 'best-first' };
  const isTested = wish.tests !== undefined || config.verifier.language !== undefined;
  // One sample is drawn after the other until one passes; a reward of tests is the share that passed.
  if (exact || (verifier !== undefined && isTested))
    return { name: 'best-of-n', options: { window: 1 }, whole: true, ...(isTested && { threshold: 1 }) };
  if (isComparable(asked, wish, model)) return { name: 'auto' };
  // A model's own confidence does not judge its texts.
  if (verifier !== undefined && config.verifier.kind !== 'confidence') return { name: 'best-of-n', share: 1 / 4 };
  const { answers = 1, onUnaccepted = config.onUnaccepted } = wish;
  if (answers === 1 && onUnaccepted === 'best') return undefined;
  return { name: 'self-consistency', samples: answers, whole: true };
}

function isComparable(asked: Prompt | undefined, { shape }: Wish, { form, extract, embedder }: PlannedModel): boolean {
  const isRead = form !== undefined || (extract !== undefined && extract !== extractAnswer);
  return isRead || shape !== undefined || embedder !== undefined || !asked || asksForShortAnswer(lastAsked(asked));
}

/** A turn is drawn whole, and its words are the engine's: it has no steps that a tree could grow from. */
function turnProgram(wish: Wish, { verifier }: PlannedModel): ProgramChoice {
  const name = wish.program ?? (verifier?.capabilities.exact ? 'best-of-n' : 'auto');
  if (!turnPrograms.includes(name)) {
    const what = `is '${name}'; turns with tools are drawn by ${turnPrograms.join(', ')}`;
    return refuseSetting('unsupported', 'program', what);
  }
  const options = name === 'best-of-n' && wish.program === undefined ? { options: { window: 1 } } : {};
  return { name, whole: true, ...options };
}

const turnPrograms: readonly ProgramName[] = ['auto', 'self-consistency', 'best-of-n', 'greedy'];

/** The chosen program with its options. */
export interface PlannedProgram {
  /** As rules see it with these options. */
  readonly program: ProgramDefinition;
  readonly options: Readonly<Record<string, number | string>>;
  readonly scoring: ScoredBy;
  readonly choice: ProgramChoice;
  readonly choose: Choice;
  readonly branching: number;
  /** Its rollouts that cost as much as one of P0's. */
  readonly paths: number;
}

/** Without a verifier only a program that needs none. */
export function programFor(wish: Wish, model: PlannedModel, choice: ProgramChoice): PlannedProgram {
  const { config, verifier } = model;
  const named = programOf(choice.name);
  const isVerified = verifier !== undefined || !named.needsVerifier;
  if (!isVerified && wish.program !== undefined) {
    const what = `is '${named.name}', which needs a verifier; model '${config.name}' has none`;
    return refuseSetting('unsupported', 'program', what);
  }
  const name = isVerified ? named.name : 'self-consistency';
  const options = programOptions(name, Object.assign({}, ...optionLayers(name, wish, model, choice)));
  const program = programWith(name, options);
  const branching = wish.branching ?? config.branching;
  const paths = program.pathsPerRollout?.(branching, options) ?? 1;
  const choose = wish.choose ?? config.choose;
  return { program, options, scoring: scoringOf(program, model), choice, choose, branching, paths };
}

/** Lists what is said of a program's options: each overrules those above it, and all of them the program's own defaults. */
function optionLayers(
  name: ProgramName,
  wish: Wish,
  { config, engine }: PlannedModel,
  choice: ProgramChoice,
): readonly Readonly<Record<string, unknown>>[] {
  // A server that is asked for log probabilities writes a quarter of its tokens a second; both priors solve as much.
  const isDear = engine.capabilities.wholes === true && 'prior' in programOf(name).options;
  return [
    isDear ? { prior: 'draws' } : {},
    choice.options ?? {},
    optionsGiven(config, name),
    optionsGiven(wish, name),
    wish.internal ?? {},
  ];
}

/** Names the judge of the answer: the generator's own confidence is none. */
function scoringOf({ name, needsVerifier, isPriced }: ProgramDefinition, { config, verifier }: PlannedModel): ScoredBy {
  const { kind } = config.verifier;
  if (name === 'greedy') return 'none';
  const isRead = isPriced === true && verifier !== undefined && kind !== 'confidence';
  if (!needsVerifier && !isRead) return 'self-consistency';
  return kind === 'confidence' ? 'confidence' : 'verifier';
}
