// Asks questions in rounds until the time is up. Every contender finishes a round before the next begins, so that all answer nearly the
// same questions. Rounds grow while they fit.

export interface RoundLimits {
  readonly limitMs: number;
  readonly most: number;
  readonly nowMs: () => number;
}

/** Largest share of the remaining time that a round may take. */
const shareOfRest = 0.5;

/** Resolves to the number of questions begun. `answer` gets the remaining time, must not take longer, and resolves to false to stop. */
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
    // The last questions may take all that is left.
    size = Math.min(most, 2 * round.length, Math.max(fitting(shareOfRest), Math.min(1, fitting(1))));
  }
  return begun;
}
