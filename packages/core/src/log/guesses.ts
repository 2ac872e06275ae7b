// Counts how often steps grown ahead of a program were asked for: by how far ahead of the tree they were (P3, figure 14a) and by depth
// (14b). What was given up since the program cannot ask for it any more was wrong; what had to yield is not counted.

export interface Guesses {
  guessed: number;
  right: number;
}

export interface GuessTotals {
  /** From one step ahead on: a child of a node, a child of such a guess, and so on. */
  readonly byDistance: readonly Guesses[];
  readonly byDepth: readonly Guesses[];
}

export function guessesAt(guesses: Guesses[], from1: number): Guesses {
  while (guesses.length < from1) guesses.push({ guessed: 0, right: 0 });
  return guesses[from1 - 1]!;
}

export function addGuesses(to: Guesses[], more: readonly Guesses[]): void {
  for (const [at, { guessed, right }] of more.entries()) {
    const sum = guessesAt(to, at + 1);
    sum.guessed += guessed;
    sum.right += right;
  }
}

export function sumOfGuesses(guesses: readonly Guesses[]): Guesses {
  const sum = { guessed: 0, right: 0 };
  for (const each of guesses) addGuesses([sum], [each]);
  return sum;
}
