// How much work a search is likely to be, from what others like it took, and how much of it is left, from its own history
// (P1 §5.3.1: tokens of a rollout by what its rollouts took so far, times the rollouts to come). Kept outside the scheduler,
// which remembers nothing. Kinds are few: a program and how many rollouts it may use.

const newest = 1 / 16;
const mostKinds = 256;
/** What others took counts as much as so many steps of a search's own, and what its steps say as so many paths. */
const stepWeight = 8;
const pathWeight = 2;
/** A search that has done all that was expected of it has this much of a rollout left. */
const leastRollout = 0.25;

export function workKind(program: string, rollouts: number): string {
  return `${program} ${rollouts}`;
}

interface SearchWork {
  /** From admission to end. */
  readonly seconds: number;
  readonly tokens: number;
  readonly steps: number;
  readonly rollouts: number;
  /** Mean length of its completed paths; 0 where there was none. */
  readonly pathTokens: number;
}

export interface WorkDone extends Omit<SearchWork, 'seconds'> {
  readonly paths: number;
  readonly rolloutsLeft: number;
}

/** How much work searches are: measured, or known to a simulation. */
export interface WorkEstimates {
  ended(kind: string, work: SearchWork): void;
  /** Seconds from admission to end; undefined where nothing is known. */
  estimate(kind: string): number | undefined;
  left(kind: string, done: WorkDone, id: string): number;
}

export class WorkMeter implements WorkEstimates {
  readonly #byKind = new Map<string, SearchWork>();
  #ofAll: SearchWork | undefined;

  ended(kind: string, work: SearchWork): void {
    this.#ofAll = smoothed(this.#ofAll, work);
    if (!this.#byKind.has(kind) && this.#byKind.size >= mostKinds) return;
    this.#byKind.set(kind, smoothed(this.#byKind.get(kind), work));
  }

  estimate(kind: string): number | undefined {
    return this.#usual(kind)?.seconds;
  }

  /** Tokens still to generate, by the length of the search's own steps so far, and better by that of its completed paths. */
  left(kind: string, done: WorkDone): number {
    const usual = this.#usual(kind) ?? unmeasured(done);
    const perRollout = (usual.tokens / Math.max(1, usual.rollouts)) * lengthOf(usual, done);
    const rollouts = Math.min(usual.rollouts, done.rollouts + done.rolloutsLeft);
    return Math.max(rollouts * perRollout - done.tokens, leastRollout * perRollout);
  }

  #usual(kind: string): SearchWork | undefined {
    return this.#byKind.get(kind) ?? this.#ofAll;
  }
}

/** Before the first end: all rollouts that a search may use, of a usual length that need not be right to tell searches apart. */
function unmeasured({ rollouts, rolloutsLeft }: WorkDone): SearchWork {
  const all = rollouts + rolloutsLeft;
  return { seconds: 0, tokens: 400 * all, steps: 8 * all, rollouts: all, pathTokens: 400 };
}

function lengthOf(usual: SearchWork, done: WorkDone): number {
  const usualStep = usual.tokens / Math.max(1, usual.steps);
  if (usualStep === 0) return 1;
  const bySteps = (stepWeight + done.tokens / usualStep) / (stepWeight + done.steps);
  if (done.paths === 0 || usual.pathTokens === 0) return bySteps;
  return (pathWeight * bySteps + done.paths * (done.pathTokens / usual.pathTokens)) / (pathWeight + done.paths);
}

function smoothed(before: SearchWork | undefined, work: SearchWork): SearchWork {
  if (before === undefined) return work;
  const mean = (read: (each: SearchWork) => number) => read(before) + newest * (read(work) - read(before));
  return {
    seconds: mean(({ seconds }) => seconds),
    tokens: mean(({ tokens }) => tokens),
    steps: mean(({ steps }) => steps),
    rollouts: mean(({ rollouts }) => rollouts),
    pathTokens: mean(({ pathTokens }) => pathTokens),
  };
}
