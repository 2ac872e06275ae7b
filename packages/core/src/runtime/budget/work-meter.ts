// The work of a search, estimated from searches of its kind, and what is left of it, from its own history (P1 §5.3.1: tokens per rollout so
// far, times the rollouts to come). A kind is a program and its rollouts.

const newest = 1 / 16;
const mostKinds = 256;
/** Weights of the kind's mean, in steps of the search's own; and of its steps, in completed paths. */
const stepWeight = 8;
const pathWeight = 2;
/** Left, in rollouts, of a search that has done all that was expected. */
const leastRollout = 0.25;

export function workKind(program: string, rollouts: number): string {
  return `${program} ${rollouts}`;
}

interface SearchWork {
  readonly seconds: number;
  readonly tokens: number;
  readonly steps: number;
  readonly rollouts: number;
  readonly pathTokens: number;
}

export interface WorkDone extends Omit<SearchWork, 'seconds'> {
  readonly paths: number;
  readonly rolloutsLeft: number;
}

export interface WorkEstimates {
  ended(kind: string, work: SearchWork): void;
  estimate(kind: string): number | undefined;
  left(kind: string, done: WorkDone, id: string): number;
  /** Tokens of a path of this kind. */
  usualPath?(kind: string): number | undefined;
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

  usualPath(kind: string): number | undefined {
    return this.#byKind.get(kind)?.pathTokens;
  }

  /** Tokens still to generate, from the lengths of the search's own steps and completed paths. */
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

/** Before the first end: any usual length tells searches apart. */
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
