// The textbooks, for comparison: beam search, DVTS, REBASE and plain samples as in their papers, one step after the other, without code
// of src/program. Given the same draws, the programs must grow the same paths at any width. No two draws below a node are equal:
// the textbooks do not treat twins.

export interface Drawn {
  readonly text: string;
  readonly reward: number;
  /** The step ends the answer. */
  readonly ends: boolean;
}

/** The draw with this index below a path. */
export type Draw = (path: readonly string[], index: number) => Drawn;

interface State {
  readonly path: readonly string[];
  readonly score: number;
  readonly reward: number;
  readonly over: boolean;
}

const start: State = { path: [], score: 1, reward: 1, over: false };

class Textbook {
  readonly #draw: Draw;
  readonly #maxDepth: number;
  readonly grown: string[] = [];

  constructor(draw: Draw, maxDepth: number) {
    this.#draw = draw;
    this.#maxDepth = maxDepth;
  }

  below({ path, score }: State, count: number, from = 0): State[] {
    return Array.from({ length: count }, (_, at) => {
      const { text, reward, ends } = this.#draw(path, from + at);
      const child = [...path, text];
      this.grown.push(child.join('/'));
      return { path: child, score: score * reward, reward, over: ends || child.length >= this.#maxDepth };
    });
  }
}

function byScore(a: State, b: State): number {
  return b.score - a.score;
}

/** P0 appendix B: the best of all candidates are the next beams; each finished one leaves the beam narrower. */
export function serialBeam(draw: Draw, maxDepth: number, beams: number, candidates: number): string[] {
  const book = new Textbook(draw, maxDepth);
  let [level, room] = [[start], beams];
  while (level.length > 0 && room > 0) {
    const drawn = level.flatMap((state) =>
      book.below(state, state === start ? Math.max(beams, candidates) : candidates),
    );
    const best = drawn.sort(byScore).slice(0, room);
    level = best.filter(({ over }) => !over);
    room = level.length;
  }
  return book.grown;
}

/** Each subtree continues with the best of its own candidates. */
export function serialDvts(draw: Draw, maxDepth: number, subtrees: number, candidates: number): string[] {
  const book = new Textbook(draw, maxDepth);
  for (let subtree = 0; subtree < subtrees; subtree += 1) {
    let state = start;
    while (!state.over)
      [state] = book.below(state, candidates, state === start ? subtree * candidates : 0).sort(byScore) as [State];
  }
  return book.grown;
}

/** A step of reward R gets B · exp(R / T) / Σ exp(R / T) draws, where B is what finished paths leave. */
export function serialRebase(draw: Draw, maxDepth: number, paths: number, balance: number): string[] {
  const book = new Textbook(draw, maxDepth);
  let [level, room] = [book.below(start, paths), paths];
  while (level.length > 0) {
    room -= level.filter(({ over }) => over).length;
    const open = level.filter(({ over }) => !over);
    const weights = open.map(({ reward }) => Math.exp(reward / balance));
    const whole = weights.reduce((sum, weight) => sum + weight, 0);
    const shares = weights.map((weight) => (Math.max(0, room) * weight) / whole);
    const draws = largestRemainders(shares, Math.max(0, room));
    level = open.flatMap((state, at) => book.below(state, draws[at]!));
  }
  return book.grown;
}

/** Rounds down, then gives the rest one by one to those that lost most. */
function largestRemainders(shares: readonly number[], budget: number): number[] {
  const draws = shares.map(Math.floor);
  const losses = shares.map((share, at) => ({ at, loss: share - draws[at]! })).sort((a, b) => b.loss - a.loss);
  const left = budget - draws.reduce((sum, each) => sum + each, 0);
  for (const { at } of losses.slice(0, left)) draws[at]! += 1;
  return draws;
}

/** The k-th sample takes draw k of the root, and one draw of every step below. */
export function serialSamples(draw: Draw, maxDepth: number, samples: number): string[] {
  const book = new Textbook(draw, maxDepth);
  for (let sample = 0; sample < samples; sample += 1) {
    let state = start;
    while (!state.over) [state] = book.below(state, 1, state === start ? sample : 0) as [State];
  }
  return book.grown;
}
