// How a question is put to a model and how its answer is read: prompt, what ends a step, what the finished path says.
import { extractAnswer } from '../answer/extract.ts';
import type { Message, Prompt } from '../tree/step.ts';

export type QuestionForm = {
  readonly prompt: Prompt;
  readonly delimiters: readonly string[];
  readonly maxStepTokens: number;
  readonly maxDepth: number;
  readonly temperature: number;
  readonly extract: (pathText: string) => string | undefined;
};

export const STEP_PROMPT =
  'Solve the problem step by step. Write each step as a short paragraph and leave an empty line between steps. ' +
  'End with a line that says "The answer is" and the answer.';

/** For any chat model: steps are paragraphs. */
export function generalForm(
  question: string,
  stepPrompt = STEP_PROMPT,
  delimiters: readonly string[] = ['\n\n'],
): QuestionForm {
  const system: readonly Message[] = stepPrompt === '' ? [] : [{ role: 'system', content: stepPrompt }];
  return {
    prompt: { kind: 'chat', messages: [...system, { role: 'user', content: question }] },
    delimiters,
    maxStepTokens: 256,
    maxDepth: 40,
    temperature: 0.8,
    extract: extractAnswer,
  };
}
