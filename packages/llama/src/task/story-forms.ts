// The sentences of the word problems' stories, as training/words.py draws them, and their effect on the number of things. {P} is the person, {S}
// the person or a pronoun, {Q} and {R} are others, {items} and {other} two kinds of things. Data only.

export interface StoryForm {
  readonly ways: readonly string[];
  readonly operations: 0 | 1 | 2;
  /** The number of things afterwards; undefined if the training had no such story. */
  readonly total: (before: number, numbers: StoryNumbers) => number | undefined;
}

export type StoryNumbers = Readonly<Record<string, number>>;

export const largest = 99_999_999;
export const operationCounts = { least: 2, most: 12 };
export const mostAsides = 3;

/** Smallest and largest value of each letter. */
export const numberBounds: Readonly<Record<string, readonly [number, number]>> = {
  n: [1, largest],
  m: [1, largest],
  a: [1, 9999],
  b: [1, 9999],
  k: [2, 39],
  d: [1, 99],
};

export const knownNames: Readonly<Record<'He' | 'She', readonly string[]>> = {
  She: ['Anna', 'Clara', 'Emma', 'Grace', 'Ida', 'Kate', 'Mia', 'Olga', 'Rosa', 'Tara'],
  He: ['Ben', 'David', 'Finn', 'Henry', 'Jack', 'Leo', 'Noah', 'Paul', 'Sam', 'Victor'],
};
export const knownItems: readonly string[] =
  'stamps coins marbles cards shells beads buttons stickers pencils books tickets apples'.split(' ');
export const knownBoxes: readonly string[] = 'boxes bags packs crates jars trays'.split(' ');

const divided = (before: number, by = 1) => (before % by === 0 && before > by ? before / by : undefined);
const less = (before: number, taken = 0) => (taken < before ? before - taken : undefined);

export const openings: readonly StoryForm[] = [
  {
    ways: ['{Q} has {n} {items} and {P} has {m} more than {Q}.', '{Q} owns {n} {items}. {P} has {m} more.'],
    operations: 1,
    total: (_, { n = 0, m = 0 }) => n + m,
  },
  {
    ways: ['{Q} has {n} {items} and {P} has {m} fewer than {Q}.', '{Q} owns {n} {items}. {P} has {m} fewer.'],
    operations: 1,
    total: (_, { n = 0, m = 0 }) => less(n, m),
  },
  {
    ways: [
      '{Q} has {n} {items} and {P} has {m} times as many.',
      '{Q} owns {n} {items}. {P} has {m} times as many as {Q}.',
    ],
    operations: 1,
    total: (_, { n = 0, m = 0 }) => (m < 10 ? n * m : undefined),
  },
  {
    ways: [
      '{P} has {a} {boxes} with {b} {items} in each.',
      '{P} fills {a} {boxes} with {b} {items} each.',
      'There are {a} {boxes} of {b} {items} in the room of {P}.',
    ],
    operations: 1,
    total: (_, { a = 0, b = 0 }) => a * b,
  },
  {
    ways: [
      '{P} has {n} {items}.',
      '{P} starts with {n} {items}.',
      '{P} owns {n} {items}.',
      'There are {n} {items} in the room of {P}.',
      '{P} counts {n} {items} at home.',
      'At first {P} has {n} {items}.',
    ],
    operations: 0,
    total: (_, { n = 0 }) => n,
  },
];

/** Numbers that sentences state in words. */
const shares: readonly (readonly [number, readonly string[]])[] = [
  [2, ['{S} keeps half of the {items}.', 'Only half of the {items} are good and {P} keeps those.']],
  [3, ['{S} keeps a third of the {items}.']],
  [4, ['{S} keeps a quarter of the {items}.']],
];
const scales: readonly (readonly [number, readonly string[]])[] = [
  [2, ['Then the number of {items} doubles.', '{S} doubles the number of {items}.']],
  [3, ['Then the number of {items} triples.', '{S} triples the number of {items}.']],
];

export const events: readonly StoryForm[] = [
  {
    ways: [
      '{S} buys {n} more {items}.',
      '{S} finds {n} {items} on the way home.',
      '{Q} gives {P} {n} {items}.',
      '{S} wins {n} {items} in a game.',
      'A parcel brings {n} more {items}.',
      '{S} gets {n} {items} as a present.',
      '{S} borrows {n} {items} from {Q}.',
      'Later {P} picks up another {n} {items}.',
    ],
    operations: 1,
    total: (before, { n = 0 }) => before + n,
  },
  {
    ways: [
      '{S} gives {n} {items} to {Q}.',
      '{S} loses {n} {items}.',
      '{S} sells {n} of the {items}.',
      '{S} throws {n} {items} away.',
      '{S} lends {n} {items} to {Q}.',
      '{Q} takes {n} of the {items}.',
      '{S} trades {n} {items} for a toy.',
      'On the way {n} of the {items} get lost.',
      'A thief steals {n} of the {items}.',
    ],
    operations: 1,
    total: (before, { n }) => less(before, n),
  },
  {
    ways: [
      '{S} buys {a} {boxes} with {b} {items} in each.',
      '{S} buys {a} {boxes} of {b} {items}.',
      'Then {a} friends give {P} {b} {items} each.',
      'For {a} days {P} finds {b} {items} every day.',
      'Each of {a} neighbours brings {P} {b} {items}.',
      '{S} earns {b} {items} a day for {a} days.',
    ],
    operations: 2,
    total: (before, { a = 0, b = 0 }) => before + a * b,
  },
  {
    ways: [
      '{S} gives {b} {items} to each of {a} friends.',
      '{S} sells {a} {boxes} with {b} {items} in each.',
      'For {a} days {P} loses {b} {items} every day.',
      '{S} uses {b} {items} a day for {a} days.',
      'Then {a} children take {b} {items} each.',
    ],
    operations: 2,
    total: (before, { a = 0, b = 0 }) => less(before, a * b),
  },
  {
    ways: [
      'A year later {P} has {k} times as many {items}.',
      '{S} works hard until there are {k} times as many {items}.',
      'Soon the number of {items} is {k} times as large.',
    ],
    operations: 1,
    total: (before, { k = 0 }) => before * k,
  },
  {
    ways: [
      '{S} splits the {items} into {k} equal heaps and keeps one heap.',
      '{S} shares the {items} equally with others, {k} people in all.',
      '{S} keeps one of every {k} {items} and gives the rest away.',
    ],
    operations: 1,
    total: (before, { k }) => divided(before, k),
  },
  ...scales.map(([by, ways]): StoryForm => ({ ways, operations: 1, total: (before) => before * by })),
  ...shares.map(([by, ways]): StoryForm => ({ ways, operations: 1, total: (before) => divided(before, by) })),
];

export const asides: StoryForm = {
  ways: [
    '{R} has {n} {other}.',
    '{R} is {d} years old.',
    'The shop is {n} steps away.',
    'The way home takes {d} minutes.',
    '{P} also has {n} {other}.',
    'A toy costs {n} cents.',
    'The room is {d} steps long.',
    '{R} wants to buy {n} {other}.',
  ],
  operations: 0,
  total: (before) => before,
};

export const endings: readonly StoryForm[] = [
  {
    ways: [
      'How many {items} does {P} have now?',
      'How many {items} does {P} have in the end?',
      'How many {items} are left?',
      'How many {items} does that make?',
      'What is the number of {items} at the end?',
    ],
    operations: 0,
    total: (before) => before,
  },
  {
    ways: [
      '{R} has {n} {items}. How many {items} do they have together?',
      '{R} adds {n} {items}. How many {items} is that in all?',
    ],
    operations: 1,
    total: (before, { n = 0 }) => before + n,
  },
  {
    ways: ['{R} has {n} {items}. How many more {items} does {P} have than {R}?'],
    operations: 1,
    total: (before, { n }) => less(before, n),
  },
  {
    ways: ['How many more {items} does {P} need to have {n}?', '{P} wants {n} {items}. How many are missing?'],
    operations: 1,
    total: (before, { n = 0 }) => less(n, before),
  },
  {
    ways: [
      'They cost {n} cents each. How many cents are they worth?',
      'Each weighs {n} grams. How many grams do they weigh together?',
    ],
    operations: 1,
    total: (before, { n = 0 }) => (n > 1 && n < 100 ? before * n : undefined),
  },
  {
    ways: [
      'Then {k} children share the {items} equally. How many does each child get?',
      '{S} puts them into {k} equal heaps. How many are in each heap?',
    ],
    operations: 1,
    total: (before, { k }) => divided(before, k),
  },
];
