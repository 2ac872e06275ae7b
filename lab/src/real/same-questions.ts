// Tests whether a file of samples or searches was made on these questions. Names do not tell, since they are line numbers in most sets. But
// the questions must also grade most of the answers right that were graded as right in the file.

import { type GoldQuestion, isRight } from '@coppice/core/answering';
import { raise } from '@coppice/core/base';

/** A file's answer to one question. */
export interface GradedAnswer {
  readonly question: string;
  readonly answer: string | null | undefined;
  readonly correct: boolean;
}

export function checkQuestions(
  file: string,
  graded: readonly GradedAnswer[],
  questions: readonly GoldQuestion[],
): void {
  const byId = new Map(questions.map((each) => [each.id, each]));
  const unknown = graded.find(({ question }) => !byId.has(question));
  if (unknown !== undefined)
    raise('bad-setting', `${file} has a question that is not in QUESTIONS: ${unknown.question}`);
  const right = graded.filter(({ correct, answer }) => correct && typeof answer === 'string');
  const agreed = right.filter(({ question, answer }) => isRight(byId.get(question)!, answer!)).length;
  if (2 * agreed < right.length)
    raise(
      'bad-setting',
      `${file} is of other questions than QUESTIONS: ${agreed} of its ${right.length} right answers are right there`,
    );
}
