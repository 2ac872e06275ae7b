// What a search begins with besides its question: what earlier searches of the same model and verifier have shown. It stands in the
// `planted` event of its log, so that a search that is taken up again, replayed or moved goes on from the same belief. Plain data; what
// its names mean is the program's.

/** Of scores: how many, their sum, and the sum of their squares. Old ones may count for less than one. */
export interface ScoreSums {
  readonly count: number;
  readonly sum: number;
  readonly squares: number;
}

export type Learned = Readonly<Record<string, ScoreSums>>;
