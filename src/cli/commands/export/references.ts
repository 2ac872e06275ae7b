// Whether an answer is right: by the answers of a file, or by the question alone where it is a puzzle whose answers can be checked.

import { isGradable, isRight } from '../../../answering/question.ts';
import { readQuestions } from '../../../answering/question-file.ts';
import type { AnswerJudge } from '../../../export/finished-tree.ts';

export function rightnessBy(file: string | undefined): AnswerJudge {
  const known = new Map((file === undefined ? [] : readQuestions(file)).map((gold) => [gold.question.trim(), gold]));
  return (question, answer) => {
    if (question === undefined) return undefined;
    const unknown = { id: '', question, answer: undefined, solvable: true, difficulty: undefined };
    const gold = known.get(question.trim()) ?? unknown;
    return isGradable(gold) ? isRight(gold, answer) : undefined;
  };
}
