// Labelled questions in two halves: settings are chosen on one, and reported on the other. Which half a question is in
// follows from its text, so that the same question never stands in both, in whatever order a file has it.

import { hash } from '@coppice/core/base';

export interface Halves<Question> {
  readonly choosing: readonly Question[];
  readonly reporting: readonly Question[];
}

export function halvesOf<Question>(
  questions: readonly Question[],
  textOf: (question: Question) => string,
  seed: number,
): Halves<Question> {
  const isChoosing = (question: Question) => hash(seed, 'half', textOf(question)) % 2 === 0;
  return {
    choosing: questions.filter(isChoosing),
    reporting: questions.filter((question) => !isChoosing(question)),
  };
}
