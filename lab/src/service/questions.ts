// Questions of a simulated run: drawn from a setting's profile, or replayed from a recording. A recording is read once per
// thread, and refused if the shipped weights are no longer those that drew it.

import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { extractAnswer as extractWritten } from '@coppice/core/answer';
import { raise } from '@coppice/core/base';
import { shippedModel } from '@coppice/core/config';
import type { Prompt } from '@coppice/core/tree';
import type { QuestionProfile, RewardSource, StepSource } from '@coppice/sim/engine';
import { extractAnswer, QuestionModel } from '@coppice/sim/engine';
import { profileOf, type SettingName } from './profiles.ts';
import { RecordedTrees } from './recorded-trees.ts';
import type { TraceUse } from './trace/trace-stream.ts';
import { tracedQuestions, traceStreamOf } from './trace/traced-questions.ts';

export interface SimulatedQuestions extends StepSource, RewardSource {
  promptOf(at: number): Prompt;
  isRight(prompt: Prompt, answer: string | undefined): boolean;
  difficulty(prompt: Prompt): Difficulty;
  readonly extract: (pathText: string) => string | undefined;
}

/** Factor on a deadline (P1 §6.1): 1 for questions that are always answered right, 3 for those never, else 2. */
export type Difficulty = 1 | 2 | 3;
const difficulties = { easy: 1, scaling: 2, impossible: 3 } as const;

interface Asked {
  readonly setting: SettingName;
  readonly seed: number;
  readonly profile?: Partial<QuestionProfile>;
  readonly trees?: string;
  readonly trace?: TraceUse;
}

export function questionsOf({ setting, seed, profile: turned, trees, trace }: Asked): SimulatedQuestions {
  if (trees !== undefined) return replaying(readTrees(trees), seed);
  const profile = { ...profileOf(setting), ...turned };
  const name = `${setting} seed ${seed}`;
  if (trace === undefined) {
    const promptOf = (at: number): Prompt => ({ kind: 'text', text: `${name} question ${at}` });
    return modelled(new QuestionModel(profile), promptOf);
  }
  const { model, promptOf, promptBlocks } = tracedQuestions(traceStreamOf(trace), profile, name);
  return { ...modelled(model, promptOf), promptBlocks };
}

function modelled(model: QuestionModel, promptOf: (at: number) => Prompt): SimulatedQuestions {
  return {
    promptTokens: (prompt) => model.promptTokens(prompt),
    draw: (request) => model.draw(request),
    reward: (prompt, path, step) => model.reward(prompt, path, step),
    promptOf,
    isRight: (prompt, answer) => answer === model.question(prompt).answer,
    difficulty: (prompt) => difficulties[model.question(prompt).kind],
    extract: extractAnswer,
  };
}

function replaying(trees: RecordedTrees, seed: number): SimulatedQuestions {
  return {
    wholes: true,
    promptTokens: (prompt) => trees.promptTokens(prompt),
    draw: (request) => trees.draw(request),
    reward: (prompt, path, step) => trees.reward(prompt, path, step),
    promptOf: (at) => trees.promptOf(at, seed),
    isRight: (prompt, answer) => trees.isRight(prompt, answer),
    difficulty: (prompt) => difficultyOf(trees.ends(prompt)),
    extract: extractWritten,
  };
}

function difficultyOf(ends: readonly boolean[]): Difficulty {
  if (ends.every((right) => right)) return 1;
  return ends.some((right) => right) ? 2 : 3;
}

const known = new Map<string, RecordedTrees>();

export function readTrees(file: string, flag = '--trees'): RecordedTrees {
  const read = known.get(file) ?? checked(file, flag);
  known.set(file, read);
  return read;
}

function textOf(file: string): string {
  const bytes = readFileSync(file);
  return (file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString();
}

function checked(file: string, flag: string): RecordedTrees {
  if (!existsSync(file)) raise('bad-setting', `${flag}: cannot read ${file}`);
  const trees = RecordedTrees.parse(`${flag} ${file}`, textOf(file));
  const { model, modelHash } = trees.header;
  const { path } = shippedModel({ kind: 'llama', model }) ?? {};
  if (path === undefined || !existsSync(path)) return trees;
  const hash = createHash('sha256').update(readFileSync(path)).digest('hex');
  if (hash === modelHash) return trees;
  return raise('bad-setting', `${flag} ${file} was drawn by other weights of ${model}; record it again`);
}
