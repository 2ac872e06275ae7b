// What the calibrated exit would have read, on searches that went to their end: at every moment at which rules are read, the
// readings, the tokens so far and whether the answer so far was right; and where the negative exits of each cut would have
// given up. From these notes it is fitted and its threshold chosen, without running anything again. Ends nothing. Pure.

import type { ExitRule } from '../exit/exit.ts';
import { type HazardReading, readHazard } from '../exit/hazard.ts';
import { selectiveNegative } from '../exit/negative.ts';
import type { AnswerStanding, ShadowFacts } from './shadow.ts';

export interface HazardNote extends AnswerStanding {
  readonly reading: HazardReading;
}

export interface NotedSearch {
  readonly question: string;
  readonly full: AnswerStanding;
  readonly notes: readonly HazardNote[];
  /** By cut: the note at which that negative exit gives up; undefined where it does not. */
  readonly givenUp: readonly (number | undefined)[];
}

/** Cuts of the selective exit that are tried, each with all thresholds; 0 is the strict one. */
export const triedCuts = [0, 0.35, 0.7] as const;

export interface OpenNotes {
  readonly notes: HazardNote[];
  readonly givenUp: (number | undefined)[];
}

export function emptyNotes(): OpenNotes {
  return { notes: [], givenUp: triedCuts.map(() => undefined) };
}

/** A rule that ends nothing and writes into `open`. */
export function hazardNoting({ program, isRight }: ShadowFacts, open: OpenNotes): ExitRule {
  const giving = triedCuts.map((cut) => selectiveNegative(cut));
  return {
    name: 'hazard-notes',
    check(view) {
      const reading = readHazard(view);
      if (reading === undefined) return undefined;
      const answer = program.answer(view.tree);
      const right = answer?.complete === true && isRight(answer.answer);
      open.notes.push({ tokens: view.tree.tokens, right, reading });
      giving.forEach((rule, at) => {
        if (rule.check(view) !== undefined) open.givenUp[at] ??= open.notes.length - 1;
      });
      return undefined;
    },
  };
}
