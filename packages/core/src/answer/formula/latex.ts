// Takes off what LaTeX and prose add around an answer without changing what it says: spacing, sizes, fonts, dollar and
// percent signs, degrees, units, thousands separators, a trailing full stop.

const replacements: readonly (readonly [RegExp, string])[] = [
  // Rows of a matrix first: the second half of `\\\\` must not be taken for an escape.
  [/\\\\(?:\[[^\]]*\])?/g, ' \\cr '],
  [/\*\*|__/g, ' '],
  [/\\(?:boxed|fbox|framebox|underline)\s*\{([^{}]*)\}/g, ' $1 '],
  // `5,\\!525`, `8{,}880` and `1\\,000` are one number wherever they stand.
  [/(?<=\d)(?:,\s*\\!|\{,\}|\\,)\s*(?=\d{3}(?!\d))/g, ''],
  [/,\s*\\!\s*/g, ','],
  [/[−–]/g, '-'],
  [/×/g, '\\times '],
  [/π/g, '\\pi '],
  [/∞/g, '\\infty '],
  [/√/g, '\\sqrt '],
  [/(?:°|\^\s*\{?\s*\\circ\s*\}?|\\degree\b)(?:\s*(?:\\(?:text|mathrm)\s*\{\s*)?[CF]\b\s*\}?)?/g, ' '],
  [/≥|\\geq(?![a-zA-Z])/g, '\\ge '],
  [/≤|\\leq(?![a-zA-Z])/g, '\\le '],
  [/^\s*(?:\\approx(?![a-zA-Z])|≈)/, ''],
  [/\\\(|\\\)|\\\[|\\\]|\\\$|[$€£¥]|\bUSD\b|\\?%/g, ' '],
  // The time of day says which half of it is meant, however that is written; any other words in a font behind a number are its unit.
  [/(\d|\{)\s*a\.?\s?m\b\.?/gi, '$1 am'],
  [/(\d|\{)\s*p\.?\s?m\b\.?/gi, '$1 pm'],
  [/(?<=[\d})]|\\pi)\s*\\(?:text|textrm|mbox|mathrm)\s*\{(?!\s*[ap]m\b)[^{}\d]*\}(?:\s*\^\s*\{?[23]\}?)?\s*\.?$/, ''],
  [/\\(?:left|right|[bB]igg?[lr]?|displaystyle|limits)(?![a-zA-Z])\.?/g, ''],
  [/\\[!,;:]|~|\\ |\\q?quad(?![a-zA-Z])/g, ' '],
  [/\\[dtc]frac(?![a-zA-Z])/g, '\\frac'],
  [/\\(?:text|textbf|textit|textrm|mbox|mathrm|mathbf|operatorname)\s*\{([^{}]*)\}/g, ' $1 '],
  [/\\(?:lbrace|\{)/g, '\\{'],
  [/\\(?:rbrace|\})/g, '\\}'],
  [/\s+(?:and|or)\s+/g, ' , '],
];

const units = 'mm|cm|km|in|ft|yd|mi|kg|mg|lb|lbs|oz|ml|kl|hr|hrs|min|sec|mph|kph|rpm|sq|deg|rad|units?';
const unitTail = new RegExp(
  `^(.*[\\d})])(?:\\s*(?:${units})|\\s+[a-zA-Z]{3,})(?:[\\s/]+(?:per\\s+)?[a-zA-Z]{1,})*(?:\\s*\\^\\s*\\{?[23]\\}?)?$`,
);

/** In characters; what is longer is prose, and stays as it is. */
export const longestFormula = 500;

export function clean(answer: string): string {
  if (answer.length > longestFormula) return answer;
  // Patterns look from every space of a run to its end.
  let text = answer.trim().replace(/\s{2,}/g, (run) => (run.includes('\n') ? '\n' : run[0]!));
  for (const [pattern, plain] of replacements) text = text.replace(pattern, plain);
  return withoutThousands(withoutUnit(trimEndOf(text, /[.;,:\s]/).trim()));
}

/** `15 cm^2` is 15 and `18 dollars` is 18; `3x` and `2ab` are what they are. */
function withoutUnit(text: string): string {
  return unitTail.exec(text)?.[1] ?? text;
}

/** `1,000` and `1 000` are numbers; `(1,000)` could be a pair, and `1, 000` is a list. */
function withoutThousands(text: string): string {
  if (/^-?\d{1,3}(?: \d{3})+$/.test(text)) return text.replaceAll(' ', '');
  if (/[([{]/.test(text)) return text;
  return text.replace(/(?<![\d,.])\d{1,3}(?:,\d{3})+(?![\d,])/g, (number) => number.replaceAll(',', ''));
}

/**
 * Takes characters of a kind off the end. A pattern like `[.,]+$` looks on to the end from every one of them, and takes the square of their
 * number where something else stands behind.
 */
export function trimEndOf(text: string, kind: RegExp): string {
  let end = text.length;
  while (end > 0 && kind.test(text[end - 1]!)) end -= 1;
  return text.slice(0, end);
}
