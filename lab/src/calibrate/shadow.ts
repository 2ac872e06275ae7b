// Many settings are tried on one run: the rule of each looks on whenever rules are read, and the first moment at which it would have
// ended the search is written down. A shadow ends nothing.

import { certainAnswer } from '@coppice/core/program';
import type { Certainty, Exit, ExitRule, PathVote, Program, SearchView } from 'coppice';

/** Where a search stood: generated tokens, and whether its answer was right. */
export interface AnswerStanding {
  readonly tokens: number;
  readonly right: boolean;
}

/** One labelled question, answered with all that its search could use. */
export interface ShadowedSearch {
  readonly question: string;
  readonly full: AnswerStanding;
  /** By candidate: where it would have ended; undefined where it would not. */
  readonly stops: readonly (AnswerStanding | undefined)[];
}

export interface ShadowFacts {
  readonly program: Pick<Program, 'answer'>;
  readonly isRight: (answer: string | undefined) => boolean;
}

/** `stops` has a place for each candidate, and is filled while the search runs. Candidates are rules of certainty: they read answers alone, and look when there is another. */
export function shadowRule(
  candidates: readonly ExitRule[],
  facts: ShadowFacts,
  stops: (AnswerStanding | undefined)[],
): ExitRule {
  let seen = -1;
  return {
    name: 'shadow',
    check(view) {
      const { answers } = view.belief.certainty();
      if (answers === seen) return undefined;
      seen = answers;
      const remembered = { ...view, belief: remembering(view.belief) };
      candidates.forEach((candidate, at) => {
        if (stops[at] !== undefined) return;
        const exit = candidate.check(remembered);
        if (exit !== undefined) stops[at] = standingAt(exit, view, facts);
      });
      return undefined;
    },
  };
}

/** What all candidates ask for is worked out once. */
function remembering(belief: SearchView['belief']): SearchView['belief'] {
  const known = new Map<number | undefined, Certainty>();
  let votes: readonly PathVote[] | undefined;
  return {
    ...belief,
    votes: () => {
      votes ??= belief.votes();
      return votes;
    },
    certainty: (upTo) => {
      const found = known.get(upTo) ?? belief.certainty(upTo);
      known.set(upTo, found);
      return found;
    },
  };
}

/** As the search would have answered, had it ended. */
function standingAt(
  { evidence: { node } }: Exit,
  { tree }: SearchView,
  { program, isRight }: ShadowFacts,
): AnswerStanding {
  const answer = typeof node === 'number' ? certainAnswer(tree, node) : program.answer(tree);
  return { tokens: tree.tokens, right: answer?.complete === true && isRight(answer.answer) };
}

/** In the place where the candidates would stand: behind the rules that accept or give up, before the program's own (`concluded`). */
export function withShadow(exits: readonly ExitRule[], shadow: ExitRule): ExitRule[] {
  const at = exits.findIndex(({ name }) => name === 'concluded');
  return at < 0 ? [...exits, shadow] : [...exits.slice(0, at), shadow, ...exits.slice(at)];
}
