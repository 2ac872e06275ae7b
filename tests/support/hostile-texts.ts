// Long texts that a model or a client could write to make a reader slow: each kind of token repeated, two kinds in turn, and a run of one
// before a run of another, with a beginning or an end that fits a pattern.

export const tokens: readonly string[] = [
  ...[
    '0',
    '7',
    '1,',
    '1.',
    '12,345',
    ' ',
    '\n',
    '\t',
    '\u00a0',
    'a',
    'answer',
    'answer is ',
    'Answer: ',
    '#### ',
    'x^',
    '_',
  ],
  ...[
    '+',
    '-',
    '*',
    '/',
    '=',
    '(',
    ')',
    '{',
    '}',
    '[',
    ']',
    '\\',
    '\\frac{',
    '\\frac{1}{',
    '\\boxed{',
    '\\sqrt',
    '\\text{',
  ],
  ...[
    '\\left(',
    '\\\\',
    '\\pm',
    '\\,',
    ',',
    '.',
    ';',
    '"',
    '`',
    '```',
    '**',
    '$',
    '%',
    '&',
    '|',
    '<',
    '>',
    '\\begin{matrix}',
  ],
  ...[
    '1+',
    '1/3+',
    '2^',
    '(1',
    '1=',
    '=1',
    '1 = 1 ',
    '4 - ',
    '12 ',
    ' and ',
    'é',
    '中',
    '😀',
    '−',
    '×',
    '°',
    '^{\\circ}',
    'how many ',
    '?',
    'find ',
  ],
  ...[
    'make 24 from ',
    '1 left ',
    '5*5=25 ',
    'ledger 1: ',
    'a+1',
    'sudoku ',
    'Ben has 3 coins. ',
    '1. ',
    '- ',
    '<think>',
    '</think>',
  ],
];

const beginnings = [
  '',
  '\\boxed{',
  'The answer is ',
  '5 = ',
  'make 24 from 1',
  'Sudoku ',
  'Ledger 4821: a',
  'Answer: ',
  'How many',
];
const ends = ['', '}', '!', '=1', 'x', '?', '\n', '.'];

/** The text with this number, of about `length` characters. */
export function hostileText(kind: number, length: number): string {
  const pick = <Item>(list: readonly Item[], by: number) => list[Math.floor(kind / by) % list.length]!;
  const [first, second] = [pick(tokens, 1), pick(tokens, tokens.length * 3)];
  const way = pick([0, 1, 2], tokens.length);
  const half = (token: string, share: number) => token.repeat(Math.ceil((length * share) / token.length));
  const body = way === 0 ? half(first, 1) : way === 1 ? half(first + second, 1) : half(first, 0.5) + half(second, 0.5);
  const rare = kind * 31 + way;
  return beginnings[rare % beginnings.length]! + body + ends[Math.floor(rare / 7) % ends.length]!;
}

/** Number of texts in which each token appears next to each other one. */
export const kinds = tokens.length * 3 * tokens.length;
