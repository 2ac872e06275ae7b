// Countdown: make a target from some numbers, each used once. "Make 24 from 4 7 8 8."; a step is "8/8=1 left 1 4 7", the
// answer an expression. Checked exactly, fractions included.

import { evaluate, valueKey } from '@coppice/core/answer';
import { type Fault, fault } from '@coppice/core/base';
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

export interface CountdownQuestion {
  readonly target: number;
  readonly numbers: readonly number[];
}

/** Numbers per puzzle in the models' training. */
const counts = { least: 3, most: 6 };
const largestNumber = 99;
const largestTarget = 999;

const list = String.raw`(?<list>\d+(?:(?:\s*,\s*(?:and\s+)?|\s+and\s+|\s+)\d+)+)`;
const target = String.raw`(?:the\s+)?(?:number\s+|target\s+)?(?<target>\d+)`;
const reach = '(?:make|reach|get|obtain|form|hit|build)';
const polite = String.raw`(?:(?:please|can you|could you|how (?:can|do|could) (?:i|you|we|one)|try to|i want to|let us|let's)\s+)*`;
const numbers = String.raw`(?:the\s+)?(?:numbers?\s+|digits\s+)?`;
const shapes = [
  `${polite}${reach}\\s+${target}\\s+(?:from|with|using|by using|out of)\\s+${numbers}${list}`,
  `${polite}(?:use|using|with|from|combine|take|given)\\s+${numbers}${list}\\s*,?\\s*(?:to\\s+|and\\s+)?${polite}${reach}\\s+${target}`,
  `(?:the\\s+)?game\\s+of\\s+${target}\\s*(?::|,|with|from|for)?\\s*${numbers}${list}`,
  `${list}\\s*(?:->|=>|→|to\\s+${reach}|for)\\s*${target}`,
].map((shape) => new RegExp(`^${shape}\\s*[.?!]*$`, 'i'));

export function parseCountdown(question: string): CountdownQuestion | undefined {
  const text = question.trim().replace(/\s+/g, ' ');
  for (const shape of shapes) {
    const found = shape.exec(text)?.groups;
    if (found?.list === undefined) continue;
    const values = found.list.match(/\d+/g)!.map(Number);
    return { target: Number(found.target), numbers: values.sort((a, b) => a - b) };
  }
  return undefined;
}

function countdownText({ target, numbers }: CountdownQuestion): string {
  return `Make ${target} from ${numbers.join(' ')}.`;
}

function outOfReach({ target, numbers }: CountdownQuestion): Fault | undefined {
  const { least, most } = counts;
  if (numbers.length < least || numbers.length > most) {
    return fault('unsupported', `the shipped models combine ${least} to ${most} numbers, not ${numbers.length}`);
  }
  const large = numbers.find((number) => number < 1 || number > largestNumber);
  if (large !== undefined)
    return fault('unsupported', `the shipped models know numbers from 1 to ${largestNumber}, not ${large}`);
  if (target < 1 || target > largestTarget) {
    return fault('unsupported', `the shipped models know targets from 1 to ${largestTarget}, not ${target}`);
  }
  return undefined;
}

/** Accepts `×`, `÷` and a last `= 24`. */
function plain(answer: string): string {
  const equals = answer.lastIndexOf('=');
  const isSaid = equals >= 0 && /^\s*\d+\s*$/.test(answer.slice(equals + 1));
  return (isSaid ? answer.slice(0, equals).trimEnd() : answer)
    .replaceAll('×', '*')
    .replaceAll('÷', '/')
    .replaceAll('−', '-')
    .replaceAll(' ', '');
}

/** True for binary + - * / and parentheses over whole numbers: no unary signs, no implied products. */
function isExpression(text: string): boolean {
  return /^[\d+\-*/()]+$/.test(text) && !/[\d)]\(|\)\d|(?:^|[(+\-*/])[+\-*/)]|[(+\-*/]$/.test(text);
}

function same(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && [...a].sort((x, y) => x - y).every((value, index) => value === b[index]);
}

function checkExpression(asked: CountdownQuestion, answer: string): Rightness {
  const text = plain(answer);
  if (!isExpression(text)) return wrong('form');
  const value = evaluate(text);
  if (value === undefined) return wrong('form');
  if (!same(text.match(/\d+/g)!.map(Number), asked.numbers)) return wrong('numbers');
  return valueKey(value) === valueKey(evaluate(String(asked.target))!) ? right : wrong('target');
}

/** Checks one line against the numbers left before it; returns the numbers that it leaves. */
function judgeLine(line: string, before: readonly number[]): { verdict: Rightness; left: readonly number[] } {
  const operation = operationOf(line);
  const left = /^ left (\d+(?: \d+)*)$/
    .exec(operation?.rest ?? '')?.[1]
    ?.split(' ')
    .map(Number);
  if (operation === undefined || left === undefined) return { verdict: wrong('form'), left: [] };
  const rest = [...before];
  for (const used of [operation.a, operation.b]) {
    const at = rest.indexOf(used);
    if (at < 0) return { verdict: wrong('numbers'), left };
    rest.splice(at, 1);
  }
  if (!isArithmetic(operation)) return { verdict: wrong('arithmetic'), left };
  const expected = [...rest, operation.result].sort((a, b) => a - b);
  return { verdict: same(left, expected) ? right : wrong('numbers'), left };
}

export const countdown: ShippedTask = {
  kind: 'countdown',
  decides: true,

  recognise(question) {
    const asked = parseCountdown(question);
    return asked && (outOfReach(asked) ?? countdownText(asked));
  },

  check(question, answer) {
    const asked = parseCountdown(question);
    return asked === undefined ? wrong('form') : checkExpression(asked, answer);
  },

  judge(question, lines) {
    const asked = parseCountdown(question);
    let left = asked?.numbers ?? [];
    return lines.map((line) => {
      if (asked !== undefined && line.startsWith(answerPrefix))
        return checkExpression(asked, line.slice(answerPrefix.length));
      const judged = judgeLine(line, left);
      left = judged.left;
      return judged.verdict;
    });
  },

  checkLine(question, before, line) {
    return lineCheckOf(countdown.judge(question, [...before, line]).at(-1));
  },
};
