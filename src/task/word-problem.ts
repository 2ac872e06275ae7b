// Word problems: a story with numbers and one question; a step is "12*28=336", the answer a whole number. Which quantity a
// story asks for is not known from its text, so the gold answer decides, and lines are judged on arithmetic alone.

import { sameAnswer } from '../answer/canonical.ts';
import { fault } from '../base/fault.ts';
import { familiarWords } from './familiar-words.ts';
import {
  answerPrefix,
  isArithmetic,
  lineCheckOf,
  operationOf,
  type Rightness,
  right,
  type Task,
  wrong,
} from './task.ts';

/** More unknown words than this share, and the models would only guess. */
const mostUnfamiliar = 0.2;
/** About the context of the models, in characters. */
const longest = 1200;
/** Numbers that a story may say in words: half, a third, a quarter, doubles, triples. */
const spoken = [2, 3, 4];

export const wordProblem: Task = {
  kind: 'word-problem',
  decides: false,

  recognise(question) {
    const text = question.trim().replace(/\s+/g, ' ');
    const asks = /\b(?:how many|what is the number)\b[^?]*\?$/i.test(text);
    if (!asks || (text.match(/\d+/g) ?? []).length < 2) return undefined;
    if (text.length > longest) {
      return fault('unsupported', `the question has ${text.length} characters; the shipped models read ${longest}`);
    }
    const strange = unfamiliar(text);
    if (strange.share <= mostUnfamiliar) return text;
    const named = strange.words.slice(0, 5).join(', ');
    return fault('unsupported', `the shipped models know only the words of their own stories; not ${named}`);
  },

  check(_question, answer, gold) {
    const number = answer.trim().replace(/\.$/, '').replaceAll(',', '');
    if (!/^-?\d+(?:\.\d+)?$/.test(number)) return wrong('form');
    if (gold === undefined) return wrong('unsolvable');
    return sameAnswer(number, gold) ? right : wrong('quantity');
  },

  judge(question, lines) {
    const known = new Set([...(question.match(/\d+/g) ?? []).map(Number), ...spoken]);
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
    const strange = verdict?.right === false && verdict.reason === 'numbers';
    if (!strange) return lineCheckOf(verdict);
    // A number that is nowhere in the story may be said in words that this file does not know.
    const operation = operationOf(line);
    return operation !== undefined && isArithmetic(operation) ? 'unknown' : 'false';
  },
};

function judgeAnswer(answer: string, last: number | undefined): Rightness {
  if (!/^\d{1,15}$/.test(answer)) return wrong('form');
  return Number(answer) === last ? right : wrong('quantity');
}

/** The words that no story uses. A capital inside a sentence makes a name, and names are free. */
function unfamiliar(text: string): { readonly share: number; readonly words: readonly string[] } {
  const words = text.match(/[\p{L}’']+/gu) ?? [];
  const strange = words.filter((word, index) => {
    if (familiarWords.has(word.toLowerCase())) return false;
    return !/^\p{Lu}/u.test(word) || index === 0;
  });
  return { share: strange.length / Math.max(1, words.length), words: [...new Set(strange)] };
}
