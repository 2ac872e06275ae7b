// Labelled questions of the simulator: a question profile, whose answers it knows, or trees that a real model drew. All at once,
// in virtual time.

import type { contenderOf, TurnedWish } from '@coppice/sim/service';
import { runTrial, type TrialResult, type TrialSpec } from '../sim/trial.ts';
import type { CandidateSettings } from './candidates.ts';
import type { AnswerPair } from './paired.ts';
import type { ShadowedSearch } from './shadow.ts';
import type { LabelledAnswers } from './threshold-run.ts';

/** A trial without what is tried: its questions and settings are given for each run. */
export type SimulatedPlace = Omit<TrialSpec, 'arrivals' | 'requests' | 'questions' | 'contender'> & {
  readonly contender: ReturnType<typeof contenderOf>;
};

export function simulatedAnswers(place: SimulatedPlace): LabelledAnswers<number> {
  return {
    async shadow(questions, candidates) {
      const { served, shadows } = run(place, questions, { certain: 'off' }, candidates);
      return questions.map((question, at): ShadowedSearch => {
        const { tokens, correct } = served[at]!;
        return { question: String(question), full: { tokens, right: correct }, stops: shadows![at]! };
      });
    },
    async pairs(questions, settings) {
      const [full, exited] = [run(place, questions, { certain: 'off' }), run(place, questions, settings)];
      return questions.map((_, at): AnswerPair => {
        const [without, by] = [full.served[at]!, exited.served[at]!];
        return {
          full: { tokens: without.tokens, right: without.correct },
          exited: { tokens: by.tokens, right: by.correct, fired: by.exit === 'certain' },
        };
      });
    },
  };
}

function run(
  { contender, ...place }: SimulatedPlace,
  questions: readonly number[],
  settings: TurnedWish,
  shadowed?: readonly CandidateSettings[],
): TrialResult {
  const knobs = { ...contender.knobs, ...settings };
  return runTrial({
    ...place,
    contender: { ...contender, knobs },
    questions,
    requests: questions.length,
    arrivals: { kind: 'backlog' },
    ...(shadowed === undefined ? {} : { shadowed }),
  });
}
