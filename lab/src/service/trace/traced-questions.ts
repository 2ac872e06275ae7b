// Questions with the lengths of a trace: difficulty and rewards come from the setting; lengths of prompt and answer, and shared blocks, from the trace.

import type { Prompt } from '@coppice/core/tree';
import type { PromptBlocks, QuestionProfile, QuestionSize } from '@coppice/sim/engine';
import { QuestionModel } from '@coppice/sim/engine';
import { fitting, readRequestTrace } from './request-trace.ts';
import { TraceStream, type TraceUse } from './trace-stream.ts';

/** A search's path may grow to so many recorded answers, plus one step. */
const spareAnswers = 4;
const spareTokens = 1024;

export function traceStreamOf({ file, roomTokens, resampled }: TraceUse): TraceStream {
  const all = readRequestTrace(file);
  const fits = (size: QuestionSize) => roomTokens === undefined || fitsInto(roomTokens, size);
  return new TraceStream(fitting(all, fits), resampled);
}

export function fitsInto(roomTokens: number, { promptTokens, answerTokens }: QuestionSize): boolean {
  return promptTokens + spareAnswers * answerTokens + spareTokens <= roomTokens;
}

/** Offset of the names of repeated blocks. */
const apart = 2 ** 40;

export function tracedQuestions(stream: TraceStream, profile: QuestionProfile, name: string) {
  const places = new Map<string, number>();
  const promptOf = (at: number): Prompt => {
    const text = `${name} question ${at}`;
    places.set(text, at);
    return { kind: 'text', text };
  };
  const streamed = (prompt: Prompt) => stream.at(prompt.kind === 'text' ? (places.get(prompt.text) ?? 0) : 0);
  const model = new QuestionModel(profile, (prompt) => streamed(prompt).request);
  const promptBlocks = (prompt: Prompt): PromptBlocks | undefined => {
    const { request, again } = streamed(prompt);
    const { blockTokens: tokens } = stream.trace;
    if (request.blocks === undefined || tokens === undefined) return undefined;
    return { names: request.blocks.map((each) => each + again * apart), tokens };
  };
  return { model, promptOf, promptBlocks };
}
