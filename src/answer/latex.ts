// Takes off what LaTeX and prose add around an answer without changing what it says: spacing, sizes, fonts, dollar and
// percent signs, degrees, units, thousands separators, a trailing full stop.

const replacements: readonly (readonly [RegExp, string])[] = [
  // Rows of a matrix first: the second half of `\\\\` must not be taken for an escape.
  [/\\\\(?:\[[^\]]*\])?/g, ' \\cr '],
  [/,\s*\\!\s*/g, ','],
  [/[−–]/g, '-'],
  [/×/g, '\\times '],
  [/π/g, '\\pi '],
  [/∞/g, '\\infty '],
  [/√/g, '\\sqrt '],
  [/°|\^\s*\{?\s*\\circ\s*\}?|\\degree\b/g, ' '],
  [/\\\(|\\\)|\\\[|\\\]|\\\$|\$|\\?%/g, ' '],
  [/\\(?:left|right|[bB]igg?[lr]?|displaystyle|limits)(?![a-zA-Z])\.?/g, ''],
  [/\\[!,;:]|~|\\ |\\q?quad(?![a-zA-Z])/g, ' '],
  [/\\[dtc]frac(?![a-zA-Z])/g, '\\frac'],
  [/\\(?:text|textbf|textit|textrm|mbox|mathrm|mathbf|operatorname)\s*\{([^{}]*)\}/g, ' $1 '],
  [/\\(?:lbrace|\{)/g, '\\{'],
  [/\\(?:rbrace|\})/g, '\\}'],
  [/\s+(?:and|or)\s+/g, ' , '],
];

const units =
  'mm|cm|km|in|ft|yd|mi|kg|mg|lb|lbs|oz|ml|kl|hr|hrs|min|sec|am|pm|a\\.m\\.|p\\.m\\.|mph|kph|rpm|sq|deg|rad|units?';
const unitTail = new RegExp(
  `^(.*[\\d})])(?:\\s*(?:${units})|\\s+[a-zA-Z]{3,})(?:[\\s/]+(?:per\\s+)?[a-zA-Z]{1,})*(?:\\s*\\^\\s*\\{?[23]\\}?)?$`,
);

export function clean(answer: string): string {
  let text = answer.trim();
  for (const [pattern, plain] of replacements) text = text.replace(pattern, plain);
  text = text.replace(/[.;,:\s]+$/, '').trim();
  return withoutThousands(withoutUnit(text));
}

/** `15 cm^2` is 15 and `18 dollars` is 18; `3x` and `2ab` are what they are. */
function withoutUnit(text: string): string {
  return unitTail.exec(text)?.[1] ?? text;
}

/** `1,000` is a number; `(1,000)` could be a pair, and `1, 000` is a list. */
function withoutThousands(text: string): string {
  if (/[([{]/.test(text)) return text;
  return text.replace(/(?<![\d,.])\d{1,3}(?:,\d{3})+(?![\d,])/g, (number) => number.replaceAll(',', ''));
}
