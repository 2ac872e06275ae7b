// Finds a false equation between numbers in what a model wrote: prose, LaTeX, units, percent, chains of equalities. Only what is certain
// counts. Each clause is rewritten in few signs: numbers, operators, brackets, `w` for words that only name things, `?` for what is not
// understood. Then its sides are cut out and computed.

import { evaluate } from './expression.ts';
import { add, negate, toFloat } from './value.ts';

const clauseEnd =
  /\n|\\\\|\\[[\]]|[;"“”→⇒]|(?<=\?)|[:,.](?=\s|$)|\\(?:implies|Rightarrow|rightarrow|therefore|q?quad)(?![a-zA-Z])/;
/** Characters of a clause; a longer one is no sum that a person would check. */
const longestClause = 1000;
/** Beside these words a number is part of something that is not read. */
const computes =
  'of|by|times|plus|minus|half|twice|thrice|double|triple|squared?|cubed?|sqrt|sin|cos|tan|log|ln|mod|modulo|gcd|lcm|remainder|dozen|hundred|thousand|million|billion|am|pm|AM|PM|and|or|base|choose|factorial|not|if|If|st|nd|rd|th';

/** Of words this short only these are no products of letters. */
const short =
  'is|Is|to|To|we|We|in|In|it|It|at|At|on|On|so|So|be|as|As|an|An|he|He|us|no|do|my|cm|mm|km|kg|mg|ml|ft|lb|lbs|oz|hr|hrs|min|sec|mph|yd|mi|for|per';

/** What a clause is made of, and its sign; undefined: as it is. */
const signs: readonly (readonly [string, string | undefined])[] = [
  [String.raw`\d{1,3}(?:(?:,|\{,\}|\\,|,\\!)\d{3})+(?![\d,])|\d+|\.\d+`, undefined],
  [String.raw`==|[<>!:]=|=>`, '?'],
  [String.raw`[-+/^(){}=]`, undefined],
  [String.raw`[−–]`, '-'],
  [String.raw`\*\*(?=\s?[\d(])`, '^'],
  [
    String.raw`\*(?!\*)|[×·]|\\(?:times|cdot)(?![a-zA-Z])|(?<=\d\s?)[xX](?=\s?\d)|(?<=[%}]\s?|\d/\d{1,3}\s?)(?:of\s(?=[\d$\\(])|\\text\s?\{\s?of\s?\})`,
    '*',
  ],
  [String.raw`÷|\\div(?![a-zA-Z])`, '÷'],
  [String.raw`≈|\\approx(?![a-zA-Z])`, '≈'],
  [String.raw`\\?%|percent\b`, '%'],
  [String.raw`\\[dt]?frac(?![a-zA-Z])`, '\\frac'],
  [String.raw`\\(?:sqrt|pi)(?![a-zA-Z])`, undefined],
  [String.raw`\b(?:${computes})\b`, '?'],
  [String.raw`\\(?:text|textbf|textrm|mbox|mathrm)\s?\{(?![^{}]*\b(?:${computes})\b)[^{}=\d]*\}(?:\^\{?[23]\}?)?`, 'w'],
  [String.raw`(?<=[\d})])(?!(?:${short})\b)[a-zA-Z]{1,3}\b|(?<=[\d})])[aA]|\b(?!(?:${short})\b|[aA]\s[a-z])[a-zA-Z]{1,2}\b|(?<=[a-zA-Z]\s)(?:\\\(|\$)\s?-`, '?'],
  [String.raw`/\s?[a-zA-Z]{2,}|[a-zA-Z]+(?:['’][a-z]+)?(?:(?:\\\(|\$)?\^\{?[23]\}?)?(?![_(])`, 'w'],
  [
    String.raw`[ \t$€£&°]|\\[$,;:! ()]|\*\*|\^\{?\\circ\}?|\\(?:left|right|displaystyle)(?![a-zA-Z])|^\s*(?:\d+[.)]|[-*•])\s`,
    ' ',
  ],
  [String.raw`\\[a-zA-Z]+|.`, '?'],
];
const sign = new RegExp(signs.map(([pattern]) => `(${pattern})`).join('|'), 'gu');

/** The first equation in the text that does not hold, in the signs that it was read in. */
export function falseEquation(text: string): string | undefined {
  for (const clause of text.split(clauseEnd)) {
    if (clause.length > longestClause || !/\d.*[=≈]|\\approx/s.test(clause)) continue;
    const sides = inSigns(clause).split(/([=≈])/);
    for (let at = 2; at < sides.length; at += 2) {
      const left = at === 2 ? lastSum(sides[0]!) : sides[at - 2]!;
      const right = at === sides.length - 1 ? firstSum(sides[at]!) : sides[at]!;
      if (at === 2 && numberOnly.test(left)) continue;
      if (isFalse(left, right, sides[at - 1] === '≈' ? 0.05 : 0)) return `${left}${sides[at - 1]}${right}`;
    }
  }
  return undefined;
}

function inSigns(clause: string): string {
  return clause
    .replace(sign, (found, ...groups) => {
      const at = signs.findIndex((_, each) => groups[each] !== undefined);
      return signs[at]![1] ?? found.replace(/[{},\\!]+(?=\d)/g, '');
    })
    .replace(/ {2,}/g, ' ')
    .replace(/ *\( ?w[w ]*\) */g, 'w')
    .replace(/ *w[w ]*/g, 'w')
    .replace(/(?<=[\d)}%])w(?=[-+*/^)}=≈]|$)/g, '')
    .replace(/(?<!\d) | (?!\d)/g, '');
}

function lastSum(side: string): string {
  const sum = side.slice(side.lastIndexOf('w') + 1);
  let open = 0;
  let start = sum.length;
  while (start > 0 && open >= 0) {
    start -= 1;
    if (sum[start] === ')') open += 1;
    else if (sum[start] === '(') open -= 1;
  }
  const cut = open < 0 ? sum.slice(start + 1) : sum;
  return cut !== side && /^[-+*/^]/.test(cut) ? '?' : cut;
}

function firstSum(side: string): string {
  const sum = side.split(/w(?!\?)/, 1)[0]!;
  let open = 0;
  for (const [at, each] of [...sum].entries()) {
    if (each === '(') open += 1;
    else if (each === ')') open -= 1;
    if (open < 0) return sum.slice(0, at);
  }
  return sum;
}

const numberOnly = /^-?[\d.]+%?$/;

function isFalse(left: string, right: string, slack: number): boolean {
  if (/[w?]/.test(left + right) || (numberOnly.test(left) && numberOnly.test(right))) return false;
  if (left.includes('÷') && left.includes('/')) return false;
  const led = /^[\d.]+(?=[-+*/÷])/.exec(right);
  if (led && !differs(`${left}=${led[0]}`)) return false;
  const whole = `${left}=${right}`;
  const readings = whole.includes('%')
    ? [whole.replaceAll('%', ''), whole.replace(/([\d.]+)%/g, '($1/100)').replaceAll('%', '/100')]
    : [whole];
  if (/\d\\frac/.test(whole)) readings.push(...readings.map((each) => each.replace(/(?<=\d)\\frac/g, '*\\frac')));
  if (left.startsWith('-')) readings.push(...readings.map((each) => each.slice(1)));
  return readings.every((each) => differs(each, slack));
}

function differs(equation: string, slack = 0): boolean {
  const [left = '', right = ''] = equation.split('=');
  const [a, b] = [evaluate(left.replaceAll('÷', '/')), evaluate(right.replaceAll('÷', '/'))];
  if (a === undefined || b === undefined) return false;
  const difference = add(a, negate(b));
  if (difference === undefined) return false;
  const size = Math.max(1, Math.abs(toFloat(a)), Math.abs(toFloat(b)));
  return Math.abs(toFloat(difference)) > Math.max(roundingOf(left, right), roundingOf(right, left), (1e-9 + slack + coarseness(equation)) * size);
}

function roundingOf(side: string, other: string): number {
  if (!numberOnly.test(side)) return 0;
  const places = side.split('.')[1]?.length ?? 0;
  if (places === 0 && !/[.÷]/.test(other)) return 0;
  return 10 ** -places;
}

function coarseness(equation: string): number {
  let sum = 0;
  for (const [number] of equation.matchAll(/\d*\.\d{2,}/g)) {
    const places = number.split('.')[1]!.length;
    sum += (0.5 * 10 ** -places) / Math.max(10 ** -places, Number(number));
  }
  return sum;
}
