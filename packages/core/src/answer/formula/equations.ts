// Finds a false equation between numbers in what a model wrote: prose, LaTeX, units, percent, chains of equalities. Only what is certain
// counts. A clause is rewritten in few signs: numbers, operators, brackets, `w` for words that only name things, `?` for what is not
// understood. Then its sides are cut out and computed. A number with decimals may be off by its last place; a whole one is not rounded.

import { evaluate } from './expression.ts';
import { add, negate, toFloat } from './value.ts';

const clauseEnd =
  /\n|\\\\|\\[[\]]|[;"“”→⇒]|(?<=\?)|[:,.](?=\s|$|[$*]|\\[)\]])|\\(?:implies|[Rr]ightarrow|therefore|q?quad)(?![a-zA-Z])/;
/** Characters of a clause; a longer one is no sum that a person would check. */
const longestClause = 1000;
/** Characters that are looked at: some 2 µs each. */
const longestText = 50_000;
/** Equal means something else here, or one quantity stands in two units. */
const otherwise =
  /remainder|mod|\\equiv|hour.*minute|minute.*hour|(?:feet|foot).*inch|(?:dollar|\$).*(?:\bcents?|quarters|dimes|nickels)\b|\bcents?\b.*\$|\bmeter.*(?:centi|kilo)/s;
/** Beside these words a number is part of something that is not read. */
const computes =
  'of|by|times|plus|minus|half|twice|thrice|double|triple|squared|cubed|sqrt|sin|cos|tan|log|ln|gcd|lcm|dozen|hundred|thousand|million|billion|am|pm|AM|PM|and|or|base|choose|factorial|not|if|If|st|nd|rd|th';
/** Words so short that they could be products of letters, and are not. */
const short =
  'is|Is|to|To|we|We|in|In|it|It|at|At|on|On|so|So|be|as|As|an|An|he|He|us|no|do|my|up|go|me|cm|mm|km|kg|mg|ml|ft|lb|lbs|oz|hr|hrs|min|sec|mph|yd|mi|for|per';
const text = String.raw`\\(?:text|textbf|textrm|mbox|mathrm)\s?\{`;

/** Parts of a clause and its sign; undefined leaves it as it is. */
const signs: readonly (readonly [string, string | undefined])[] = [
  [String.raw`\d{1,3}(?:(?:,|\{,\}|\\,|,\\!)\d{3})+(?![\d,])|\d+|\.\d+`, undefined],
  [String.raw`==|[<>!:]=|=>|(?<=[a-zA-Z]\s)(?:\\\(|\$)\s?-`, '?'],
  [String.raw`/\s?(?:${text}[^{}=\d]*\}|[a-zA-Z]{2,})`, 'w'],
  [String.raw`\^(?!\{?\\circ)|[-+/(){}=≈÷]|\\(?:sqrt|pi)(?![a-zA-Z])`, undefined],
  ['[−–]', '-'],
  [String.raw`\*\*(?=\s?[\d(])`, '^'],
  [String.raw`\*(?!\*)|[×·]|\\(?:times|cdot)(?![a-zA-Z])|(?<=\d\s?)[xX](?=\s?\d)`, '*'],
  [String.raw`(?<=[%}]\s?|\d/\d{1,3}\s?)(?:of\s(?=[\d$\\(])|\\text\{\s?of\s?\})`, '*'],
  [String.raw`\\div(?![a-zA-Z])`, '÷'],
  [String.raw`\\approx(?![a-zA-Z])`, '≈'],
  [String.raw`\\?%|percent\b`, '%'],
  [String.raw`\\[dt]?frac(?![a-zA-Z])`, '\\frac'],
  [String.raw`\b(?:${computes})\b(?:\sthe\b)?`, '?'],
  [String.raw`${text}(?!\s?(?:${computes})\b|[^{}]*\band\s?\})[^{}=\d]*\}(?:\^\{?[23]\}?)?`, 'w'],
  [String.raw`${text}[^{}]*\}`, '?'],
  [String.raw`(?<=[\d})])(?!(?:${short})\b)[a-zA-Z]{1,3}\b|\b(?!(?:${short})\b|[aA]\s[a-z])[a-zA-Z]{1,2}\b`, '?'],
  [String.raw`[a-zA-Z]+(?:['’][a-z]+)?(?:(?:\\\(|\$)?\^\{?[23]\}?)?(?![_(])`, 'w'],
  [String.raw`(?:[\s$€£&°]|\\[$,;:! ()\\]|\*\*|\^\{?\\circ\}?|\\(?:left|right|displaystyle)(?![a-zA-Z]))+`, ' '],
  [String.raw`\\[a-zA-Z]+|.`, '?'],
];
const sign = new RegExp(signs.map(([pattern]) => `(${pattern})`).join('|'), 'gu');
const number = /^-?[\d.]+%?$/;
const lastUnit = /(?<=[\d)}%])w$/;

/** The first equation in the text that does not hold, in the signs that it was read in. */
export function falseEquation(text: string): string | undefined {
  for (const clause of text.slice(0, longestText).split(clauseEnd)) {
    if (clause.length > longestClause || !/[=≈]|\\approx/.test(clause) || otherwise.test(clause)) continue;
    const sides = inSigns(clause).split(/([=≈])/);
    for (let at = 2; at < sides.length; at += 2) {
      const before = sides[at - 2]!.replace(lastUnit, '');
      const left = at === 2 ? lastSum(before) : before;
      const right = at === sides.length - 1 ? firstSum(sides[at]!) : sides[at]!.replace(lastUnit, '');
      // `12 = 3 * 4` may define something, and `1/2 cup = 4 ounces` converts.
      const isGiven = at === 2 && number.test(left);
      const converts = lastUnit.test(sides[at - 2]!) && /^-?[^-+*÷()]+$/.test(left);
      if (!isGiven && !converts && isFalse(left, right, sides[at - 1]!)) return `${left}${sides[at - 1]}${right}`;
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
    .replace(/ *\( *w[w ]*\) */g, 'w')
    .replace(/ *w[w ]*/g, 'w')
    .replace(/(?<=[\d)}%])w(?=[-+*/÷^)}])/g, '')
    .replace(/(?<!\d) | (?!\d)/g, '');
}

/** What stands between the last relation and words or a closing bracket. */
function firstSum(side: string, open = '(', close = ')'): string {
  const sum = side.split('w', 1)[0]!;
  let depth = 0;
  for (let at = 0; at < sum.length; at += 1) {
    depth += sum[at] === open ? 1 : sum[at] === close ? -1 : 0;
    if (depth < 0) return sum.slice(0, at);
  }
  return sum;
}

/** What stands between words or an open bracket and the first relation. */
function lastSum(side: string): string {
  const reversed = (each: string) => [...each].reverse().join('');
  const sum = reversed(firstSum(reversed(side), ')', '('));
  return /^[+*/÷^]/.test(sum) || (sum.startsWith('-') && side.endsWith(`w${sum}`)) ? '?' : sum;
}

/** False however percents, mixed numbers and a dash at the beginning are meant. */
function isFalse(left: string, right: string, relation: string): boolean {
  if (/[w?]/.test(left + right) || (number.test(left) && number.test(right)) || /÷.*\/|\/.*÷/.test(left)) return false;
  // `3 + 4 = 7 * 2 = 14` goes on computing with what it has.
  const first = /^[\d.]+(?=[-+*/÷])/.exec(right)?.[0];
  const readings = [[left, right], ...(first === undefined ? [] : [[left, first]])];
  const also = (change: (side: string) => string) => readings.push(...readings.map((sides) => sides.map(change)));
  if (/%/.test(left + right)) also((side) => side.replace(/([\d.]+)%/g, asShare));
  if (/\d\\frac/.test(left + right)) also((side) => side.replace(/(?<=\d)\\frac/g, '*\\frac'));
  if (left.startsWith('-')) readings.push(...readings.map(([a, b]) => [a!.slice(1), b!]));
  return readings.every(([a, b]) => differ(a!, b!, relation));
}

const asShare = (_: string, percents: string) => String(Number((Number(percents) / 100).toPrecision(12)));

function differ(left: string, right: string, relation: string): boolean {
  const [a, b] = [left, right].map((side) => evaluate(side.replaceAll('%', '').replaceAll('÷', '/')));
  const difference = a && b && add(a, negate(b));
  if (difference === undefined) return false;
  const size = Math.max(1, Math.abs(toFloat(a!)), Math.abs(toFloat(b!)));
  const rounding = Math.max(roundingOf(left, right), roundingOf(right, left), errorOf(`${left} ${right}`, size));
  const slack = relation === '≈' ? 0.1 : typeof difference === 'number' || /\./.test(left + right) ? 1e-9 : 0;
  return Math.abs(toFloat(difference)) > rounding + slack * size;
}

/** A whole number may be rounded where decimals stand on the other side, and leave a remainder where ÷ does. */
function roundingOf(side: string, other: string): number {
  const places = side.split('.')[1]?.length ?? 0;
  return number.test(side) && (places > 0 || /[.÷]/.test(other)) ? 0.999 * 10 ** -places : 0;
}

/** Numbers of two decimals and more may be rounded: how far that carries in a result of this size. */
function errorOf(sum: string, size: number): number {
  let error = 0;
  for (const [found, places] of sum.matchAll(/\d*\.(\d{2,})/g)) {
    const half = 0.5 * 10 ** -places!.length;
    error += /[*÷/^\\(]/.test(sum) ? (half * size) / Math.max(half, Number(found)) : half;
  }
  return error;
}
