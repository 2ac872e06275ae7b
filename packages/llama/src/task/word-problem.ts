// Word problems: a story with numbers and one question; a step is "12*28=336", the answer a whole number. Only stories in the sentences of
// the training are recognised (story.ts). Lines are checked for arithmetic alone; a reward model judges which quantity the story asks for.

import { sameAnswer } from '@coppice/core/answer';
import { fault } from '@coppice/core/base';
import { storyFault } from './story.ts';
import {
  answerPrefix,
  isArithmetic,
  lineCheckOf,
  operationOf,
  type Rightness,
  right,
  type ShippedTask,
  wrong,
} from './task.ts';

/** Most characters of a question: about the models' context. */
const longest = 1200;
/** Numbers that a story may state in words: half, a third, a quarter, doubles, triples. */
const spokenNumbers = [2, 3, 4];

export const wordProblem: ShippedTask = {
  kind: 'word-problem',
  decides: false,

  recognise(question) {
    const text = question.trim().replace(/\s+/g, ' ');
    const last = text.slice(text.lastIndexOf('?', text.length - 2) + 1);
    const asks = /\b(?:how many|what is the number)\b/i.test(last) && text.endsWith('?');
    if (!asks || !/\d/.test(text)) return undefined;
    if (text.length > longest) {
      return fault('unsupported', `the question has ${text.length} characters; the shipped models read ${longest}`);
    }
    return storyFault(text) ?? text;
  },

  check(_question, answer, gold) {
    const number = answer.trim().replace(/\.$/, '').replaceAll(',', '');
    if (!/^-?\d+(?:\.\d+)?$/.test(number)) return wrong('form');
    if (gold === undefined) return wrong('unsolvable');
    return sameAnswer(number, gold) ? right : wrong('quantity');
  },

  judge(question, lines) {
    const known = new Set([...(question.match(/\d+/g) ?? []).map(Number), ...spokenNumbers]);
    let last: number | undefined;
    return lines.map((line): Rightness => {
      if (line.startsWith(answerPrefix)) return judgeAnswer(line.slice(answerPrefix.length), last);
      const operation = operationOf(line);
      if (operation === undefined || operation.rest !== '') return wrong('form');
      const fits = known.has(operation.a) && known.has(operation.b);
      last = operation.result;
      known.add(last);
      if (!fits) return wrong('numbers');
      return isArithmetic(operation) ? right : wrong('arithmetic');
    });
  },

  checkLine(question, before, line) {
    const verdict = wordProblem.judge(question, [...before, line]).at(-1);
    // True sums do not prove that the story asks for this number: a judge of answers decides.
    if (verdict?.right === true && line.startsWith(answerPrefix)) return 'unknown';
    const strange = verdict?.right === false && verdict.reason === 'numbers';
    if (!strange) return lineCheckOf(verdict);
    // A number that is not in the story may stand there in words that this file does not know.
    const operation = operationOf(line);
    return operation !== undefined && isArithmetic(operation) ? 'unknown' : 'false';
  },
};

function judgeAnswer(answer: string, last: number | undefined): Rightness {
  if (!/^\d{1,15}$/.test(answer)) return wrong('form');
  return Number(answer) === last ? right : wrong('quantity');
}
