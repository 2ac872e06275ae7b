// What the exit of settled searches would have read in simulated searches that nothing gives up.

import { type NotedSearch, nothingGivesUp } from 'coppice/internals';
import { runTrial } from '../sim/trial.ts';
import type { SimulatedPlace } from './simulated-answers.ts';

/** Half of the questions all at once, where a search has one strand, half one by one, where it has all it can use. */
export function simulatedNotes({ contender, ...place }: SimulatedPlace, questions: readonly number[]): NotedSearch[] {
  const knobs = { ...contender.knobs, ...nothingGivesUp };
  const noted = (own: readonly number[], kind: 'backlog' | 'one-by-one') => {
    const asked = { questions: own, requests: own.length, arrivals: { kind }, noted: true } as const;
    return own.length === 0 ? [] : runTrial({ ...place, ...asked, contender: { ...contender, knobs } }).noted!;
  };
  const half = (rest: number) => questions.filter((_, at) => at % 2 === rest);
  return [...noted(half(0), 'backlog'), ...noted(half(1), 'one-by-one')];
}
