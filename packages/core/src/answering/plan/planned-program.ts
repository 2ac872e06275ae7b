// The program of a request: the one that it or its model's configuration names, or the one that suits what can judge and compare its
// answers. A plan names what this gives.

import { asksForShortAnswer } from '../../answer/asked.ts';
import { extractAnswer } from '../../answer/extract.ts';
import { namesRule, ruledProgram } from '../../config/vocabulary.ts';
import type { ProgramName } from '../../program/registry/programs.ts';
import { agentTurn } from '../../tree/readings/agent-turn.ts';
import type { Prompt } from '../../tree/step.ts';
import { lastAsked } from '../question.ts';
import { refuseSetting } from './plan-check.ts';
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
  /** Default of the program; request and model overrule it. */
  readonly threshold?: number;
}

/** Undefined: one generation without search. `asked` is unset where no question is known yet: then it is one with a short answer. */
export function programChoice(asked: Prompt | undefined, wish: Wish, model: PlannedModel): ProgramChoice | undefined {
  const { config, verifier } = model;
  const { kind } = config.verifier;
  if (wish.effort === 'none') return undefined;
  if (asked && agentTurn(asked)) return turnProgram(wish, model);
  if (wish.program !== undefined || config.program !== 'auto') return { name: wish.program ?? config.program };
  const isExact = verifier !== undefined && (kind === 'exact' || config.check === 'lines');
  if (isExact || namesRule(wish)) return { name: ruledProgram };
  const isTested = wish.tests !== undefined || config.verifier.language !== undefined;
  // Tests draw one sample after the other until one passes; a reward is the share of passed tests.
  if (verifier !== undefined && (kind === 'command' || isTested))
    return { name: 'best-of-n', options: { window: 1 }, whole: true, ...(isTested && { threshold: 1 }) };
  if (isComparable(asked, wish, model)) return { name: 'auto' };
  // A model's own confidence does not judge its texts.
  if (verifier !== undefined && kind !== 'confidence') return { name: 'best-of-n', share: 1 / 4 };
  const { answers = 1, onUnaccepted = config.onUnaccepted } = wish;
  return answers === 1 && onUnaccepted === 'best'
    ? undefined
    : { name: 'self-consistency', samples: answers, whole: true };
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

/** Verifiers that can say nothing of a call: they read the words of an answer, or run its code. */
function isDeaf({ kind, format, language }: PlannedModel['config']['verifier']): boolean {
  return kind === 'prm' ? format !== 'http' : language !== undefined || ['judge', 'confidence', 'exact'].includes(kind);
}

/** The model as it draws turns: only a command or a scorer of its operator's judges them, and they are compared by what they call. */
export function turnModel(model: PlannedModel): PlannedModel {
  const { config, engine, verifier, weights } = model;
  const own = { ...config, check: 'none', program: 'auto', recordTokens: 'off' } as const;
  if (!isDeaf(config.verifier)) return { config: own, engine, verifier, weights };
  return { config: { ...own, verifier: { kind: 'none' } }, engine, weights };
}
