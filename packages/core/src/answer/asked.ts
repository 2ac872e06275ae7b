// Reads off a question's words what it asks for: a number, or any short answer that can be marked and compared. Where it is a
// number, a text that marks none still says one: its last. Reads words alone, so it errs on the side of asking for neither.

import { canonical } from './canonical.ts';
import { lastNumber, numbersIn } from './extract.ts';

export type ReadAnswer = (text: string) => string | undefined;

const howMuch = /\bhow (?:many|much|far|long|old|tall|fast|heavy|wide|deep|high|often)\b/i;
const quantity =
  'number|value|sum|product|difference|quotient|total|remainder|average|mean|median|probability|percentage|area|perimeter|volume|' +
  'circumference|radius|diameter|length|width|height|distance|speed|rate|weight|mass|age|cost|price|profit|salary|bill|balance|amount|measure|degree';
const asksOne = /\b(?:what (?:is|was|will be|would be)|what's|find|compute|calculate|determine)\b/i;
const oneQuantity = new RegExp(String.raw`\b(?:${quantity})\b`, 'i');
const whatPercent = new RegExp(String.raw`\bwhat (?:percent|${quantity})\b`, 'i');
const product =
  /^(?:(?:what is|what's|calculate|compute)\s+|(?=.*[+*/×÷^]))[-\d(][\d\s.,+\-*/×÷()^%]*(?:[=?][=?\s]*)?$/i;

/** More than one number, or none: its last number would make different answers equal. */
const otherThanOne =
  /\b(?:all (?:\w+ ){0,3}(?:values|solutions|numbers|integers|pairs)|ordered (?:pair|triple)|interval|in terms of|as a (?:polynomial|fraction)|coordinates|matrix|vector|inequality|equation of|in base|respectively|which of)\b/i;

/** A question with one of these verbs wants a text of its own, whatever numbers stand in it. */
const composing =
  /^\W*(?:please\s+|can you\s+|could you\s+)*(?:write(?! (?:\$|the (?:number|fraction|expression|equation|polynomial|following)\b))|compose|draft|rewrite|summari[sz]e|translate|explain|describe|tell|list|implement|create|design|generate|suggest|give me|help|code|refactor|review|edit|proofread)\b/i;
const exercise =
  /\b(?:find|compute|calculate|evaluate|determine|simplify|solve|express|factor|expand|convert|rationalize|what|which|how|if|let|given|suppose|write)\b/i;
const proof = /(?:^|[.,;:]\s*)(?:then )?(?:prove|show that|justify)\b/i;
const formula = /[\\^=<>+]|\b[b-hj-z]\b/;
const drawing = /\[asy\].*?(?:\[\/asy\]|$)/gs;
const code = /```|\bdef \w+\(|^(?:import|from) \w+|#include/m;

export function asksForNumber(question: string): boolean {
  if (wantsText(question) || otherThanOne.test(question)) return false;
  if (howMuch.test(question) || whatPercent.test(question) || product.test(question.trim())) return true;
  return question.split(/[.?!]/).some(asksForQuantity);
}

/** True where a quantity stands behind the words of a sentence that ask for something. */
function asksForQuantity(sentence: string): boolean {
  const asked = asksOne.exec(sentence);
  return asked !== null && oneQuantity.test(sentence.slice(asked.index + asked[0].length));
}

/** A number, an expression, a choice: something that fits into a box. Exercises in mathematics are told by their numbers and formulas. */
export function asksForShortAnswer(question: string): boolean {
  if (wantsText(question)) return false;
  const isExercise = /\d|\$|\\[a-z(]/i.test(question) && exercise.test(question);
  const inDollars = question.split('$').slice(1, -1);
  const isFormal = /\\[[(]|__/.test(question) || inDollars.some((each) => formula.test(each));
  return isExercise || isFormal || asksForNumber(question);
}

function wantsText(question: string): boolean {
  return composing.test(question) || proof.test(question) || code.test(question.replace(drawing, ''));
}

/** Reads answers to this question by `read`; where a number is asked for, the number alone counts. */
export function readingFor(question: string, read: ReadAnswer): ReadAnswer {
  if (!asksForNumber(question)) return read;
  return (text) => {
    const marked = read(text);
    return marked === undefined ? lastNumber(text) : numberSaid(marked);
  };
}

/** "that Natalia sold 72 clips" says 72, "6 * 3 = 18 dollars a day" says 18. What has a value, or is no prose, is left as it is. */
function numberSaid(marked: string): string {
  const isValue = !/^["e]/.test(canonical(marked));
  const words = marked.trim().split(/\s/).slice(0, -1);
  const isProse = words.some((word) => /(?<!\\)\b[a-z]{2,}\b/i.test(word)) || marked.includes('=');
  if (isValue || !isProse || marked.includes('_')) return marked;
  return numbersIn(marked.slice(marked.lastIndexOf('=') + 1))[0] ?? marked;
}
