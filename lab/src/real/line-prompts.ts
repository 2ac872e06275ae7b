// Few-shot conversations that have a chat model answer exact tasks in lines which the shipped tasks' checkers can judge. Data alone; none of their
// questions is measured.

import type { Message } from 'coppice';

export type LineTask = 'game24' | 'countdown' | 'sudoku';

interface Shots {
  readonly system: string;
  /** Question and answer. */
  readonly examples: readonly (readonly [string, string])[];
}

const combining =
  'Every line takes two of the numbers that are left, combines them with +, -, * or / into a whole number that is not negative, and lists in brackets the numbers ' +
  'that are left then: the result, and those that the line did not use. The last line leaves one number, the target. Then write "Answer:" and the whole ' +
  'calculation as one expression of the given numbers. Write nothing else.';

const shots: Readonly<Record<LineTask, Shots>> = {
  game24: {
    system: `You play the Game of 24: make 24 from four numbers, each of them used exactly once. ${combining}`,
    examples: [
      [
        'Make 24 from 2 5 8 11.',
        '11 - 5 = 6 (left: 2 6 8)\n8 / 2 = 4 (left: 4 6)\n4 * 6 = 24 (left: 24)\nAnswer: (8 / 2) * (11 - 5) = 24',
      ],
      [
        'Make 24 from 1 3 9 12.',
        '9 + 12 = 21 (left: 1 3 21)\n1 * 3 = 3 (left: 3 21)\n3 + 21 = 24 (left: 24)\nAnswer: (1 * 3) + (9 + 12) = 24',
      ],
      [
        'Make 24 from 6 7 10 13.',
        '13 - 10 = 3 (left: 3 6 7)\n7 - 3 = 4 (left: 4 6)\n4 * 6 = 24 (left: 24)\nAnswer: (7 - (13 - 10)) * 6 = 24',
      ],
    ],
  },
  countdown: {
    system: `You make a target from some numbers, each of them used exactly once. ${combining}`,
    examples: [
      ['Make 53 from 4 7 25.', '4 * 7 = 28 (left: 25 28)\n25 + 28 = 53 (left: 53)\nAnswer: 25 + (4 * 7) = 53'],
      [
        'Make 96 from 3 8 11 15.',
        '15 - 11 = 4 (left: 3 4 8)\n3 * 4 = 12 (left: 8 12)\n8 * 12 = 96 (left: 96)\nAnswer: 8 * (3 * (15 - 11)) = 96',
      ],
      [
        'Make 145 from 1 5 9 14 30.',
        '5 * 30 = 150 (left: 1 9 14 150)\n14 - 9 = 5 (left: 1 5 150)\n150 - 5 = 145 (left: 1 145)\n1 * 145 = 145 (left: 145)\nAnswer: 1 * ((5 * 30) - (14 - 9)) = 145',
      ],
    ],
  },
  sudoku: {
    system:
      'You fill a 4x4 sudoku with the digits 1 to 4: no digit comes twice in a row, a column or a 2x2 box. The grid is given as rows a, b, c and d, a point for an ' +
      'empty cell. Every line fills one empty cell, such as b3=4 for row b, column 3. When all cells are filled, write "Answer:" and the four rows. Write nothing else.',
    examples: [
      ['Sudoku 1234 3412 2..3 432.', 'c2=1\nc3=4\nd4=1\nAnswer: 1234 3412 2143 4321'],
      ['Sudoku 2..3 431. 3421 1.3.', 'a2=1\na3=4\nb4=2\nd2=2\nd4=4\nAnswer: 2143 4312 3421 1234'],
      ['Sudoku 3.2. .2.3 41.2 .314', 'a2=4\na4=1\nb1=1\nb3=4\nc3=3\nd1=2\nAnswer: 3421 1243 4132 2314'],
    ],
  },
};

export function linePrompt(task: LineTask, question: string): Message[] {
  const { system, examples } = shots[task];
  const worked = examples.flatMap(([user, assistant]) => [
    { role: 'user', content: user } as const,
    { role: 'assistant', content: assistant } as const,
  ]);
  return [{ role: 'system', content: system }, ...worked, { role: 'user', content: question }];
}

export function exampleQuestions(task: LineTask): string[] {
  return shots[task].examples.map(([question]) => question);
}
