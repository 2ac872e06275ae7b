// Questions in rounds until the time is up: every contender answers the questions of a round before the next one begins, so that whenever it
// ends, nearly all that was answered was answered by all. Rounds grow while they fit. Takes the time as an argument.

export interface RoundLimits {
  readonly limitMs: number;
  /** Questions of a round at most. */
  readonly most: number;
  readonly nowMs: () => number;
}

/** A round takes no more of the time that is left: what a break can spoil. */
const shareOfRest = 0.5;

/** Resolves with how many questions were begun. `answer` gets the time that is left, must not take more, and says whether to go on. */
export async function timedRounds<Question>(
  questions: readonly Question[],
  { limitMs, most, nowMs }: RoundLimits,
  answer: (round: readonly Question[], leftMs: number) => Promise<boolean>,
): Promise<number> {
  const startMs = nowMs();
  let [begun, size] = [0, 1];
  while (begun < questions.length && size > 0) {
    const beganMs = nowMs();
    const round = questions.slice(begun, begun + size);
    begun += round.length;
    if (!(await answer(round, startMs + limitMs - beganMs))) break;
    const leftMs = startMs + limitMs - nowMs();
    const fitting = (share: number) => Math.floor((share * leftMs * round.length) / Math.max(1, nowMs() - beganMs));
    // The last ones may take all that is left.
    size = Math.min(most, 2 * round.length, Math.max(fitting(shareOfRest), Math.min(1, fitting(1))));
  }
  return begun;
}
