// Labelled questions answered by a real model, on the embedded engine or on servers.

import type { GoldQuestion } from '../../answering/question-file.ts';
import { candidateRule } from '../../calibration/candidates.ts';
import type { AnswerPair } from '../../calibration/paired.ts';
import { type AnswerStanding, type ShadowedSearch, shadowRule, withShadow } from '../../calibration/shadow.ts';
import type { PolicyOptions } from '../../policy/knobs.ts';
import type { SearchRequest } from '../../runtime/search/request.ts';
import { runBlock } from '../contest/block.ts';
import type { Contender, Contest, ContestJob, Trial } from '../contest/contest.ts';
import type { LabelledAnswers } from './threshold-run.ts';

/** `onTrial`: after every answer, to show progress. */
export function contestAnswers(
  contest: Contest,
  contender: Contender,
  onTrial: () => void,
): LabelledAnswers<GoldQuestion> {
  const answer = (questions: readonly GoldQuestion[], parts: Partial<PolicyOptions>, observed = contest) =>
    answered(observed, { ...contender, parts: { ...contender.parts, ...parts } }, questions, onTrial);
  return {
    async shadow(questions, candidates) {
      const rules = candidates.map(candidateRule);
      const stops = new Map<string, (AnswerStanding | undefined)[]>();
      const observe = (request: SearchRequest, { question }: ContestJob): SearchRequest => {
        const own = rules.map(() => undefined);
        stops.set(question.id, own);
        const { program } = request;
        const isRight = (text: string | undefined) => question.solvable && contest.isCorrect(question, text);
        const exits = withShadow(request.rules.exits, shadowRule(rules, { program, isRight }, own));
        return { ...request, rules: { ...request.rules, exits } };
      };
      const full = await answer(questions, { certain: 'off' }, { ...contest, observe });
      return questions.map(({ id, question }): ShadowedSearch => {
        return { question, full: standingOf(full.get(id)!), stops: stops.get(id)! };
      });
    },
    async pairs(questions, settings) {
      const full = await answer(questions, { certain: 'off' });
      const exited = await answer(questions, settings);
      return questions.map(({ id }): AnswerPair => {
        const by = exited.get(id)!;
        return { full: standingOf(full.get(id)!), exited: { ...standingOf(by), fired: by.exit === 'certain' } };
      });
    },
  };
}

export async function answered(
  contest: Contest,
  contender: Contender,
  questions: readonly GoldQuestion[],
  onTrial: () => void,
): Promise<Map<string, Trial>> {
  const trials = new Map<string, Trial>();
  await runBlock(contest, contender, questions, (trial) => {
    trials.set(trial.question, trial);
    onTrial();
  });
  return trials;
}

export function standingOf({ generatedTokens, correct }: Trial): AnswerStanding {
  return { tokens: generatedTokens, right: correct };
}
