// Asks a generator a few easy sums, as a search would, and says in one line whether answers are unmarked, cut or wrong. A bench measures
// quality; this does not.

import { extractAnswer, lastNumber, sameAnswer } from '@coppice/core/answer';
import type { Engine } from '@coppice/core/engine';
import type { Message, StepEnd } from '@coppice/core/tree';
import { EngineProbe } from '../engine-probe.ts';
import { type Finding, good, warning } from './findings.ts';

export interface ProbedAnswer {
  readonly text: string;
  readonly end: StepEnd | undefined;
}

const sums = [
  { question: 'A box holds 12 eggs. How many eggs are in 3 boxes?', answer: '36' },
  { question: 'Tom has 20 apples and gives 7 of them away. How many apples are left?', answer: '13' },
  { question: 'A book costs $15 and a pen costs $2. How much do 2 books and 3 pens cost together?', answer: '36' },
] as const;

/** Four times the length of such an answer. */
const mostTokens = 400;

/** Connects the engine: the caller must not use it meanwhile. `advice`: text that a search adds to the system message. */
export async function probeAnswers(engine: Engine, advice: string, seconds: number): Promise<ProbedAnswer[]> {
  const system: Message[] = advice === '' ? [] : [{ role: 'system', content: advice }];
  const requests = sums.map(({ question }) => ({
    search: 'doctor',
    prompt: { kind: 'chat', messages: [...system, { role: 'user', content: question }] } as const,
    temperature: 0,
    maxTokens: mostTokens,
  }));
  const { steps } = await new EngineProbe(engine).ask(requests, seconds * 1000);
  engine.release('doctor');
  return sums.map((_, id) => {
    const step = steps.find(({ request }) => request === id)?.step;
    return { text: step?.text ?? '', end: step?.end };
  });
}

/** The worst trouble that such answers would give a search. */
export function answerFinding(answers: readonly ProbedAnswer[]): Finding {
  const of = (count: number) => `${count} of ${answers.length} sums`;
  const ended = answers.filter(({ end }) => end === 'eos');
  const cut = answers.filter(({ end }) => end === 'length' || end === 'delimiter').length;
  if (ended.length + cut === 0) return warning('no sum was answered in the time: raise --seconds');
  if (cut > 0) return warning(`goes on writing: ${of(cut)} had no end after ${mostTokens} tokens, so paths are cut`);
  const marked = ended.filter(({ text }) => extractAnswer(text) !== undefined).length;
  const right = answers.filter(({ text }, at) => isRight(text, sums[at]!.answer)).length;
  if (marked < ended.length)
    return warning(
      `does not mark its answers (${of(ended.length - marked)}): their last number is compared where a number is asked for; other answers by their last line`,
    );
  if (right < ended.length)
    return warning(`gets simple sums wrong: ${of(ended.length - right)}; a vote helps, a search cannot mend it`);
  return good(`marks its answers and ends them: ${of(ended.length)}, all right`);
}

function isRight(text: string, answer: string): boolean {
  const found = extractAnswer(text) ?? lastNumber(text);
  return found !== undefined && sameAnswer(found, answer);
}
