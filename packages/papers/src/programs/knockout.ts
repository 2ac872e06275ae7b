// A knockout of candidates by verdicts on pairs, each pair shown in both orders. A pure reading of what has been said so far: which
// comparisons are open, and who is ahead. Comparisons are numbered in the order of the bracket, so that a log can be gone on from.

import type { Node, ProbeReply } from '@coppice/core/tree';

/** One comparison that is to be made: the probe's number, and the two in the order in which they are shown. */
export interface Match {
  readonly probe: number;
  readonly shown: readonly [Node, Node];
}

interface Bracket {
  readonly open: Match[];
  /** The winner, or who is first among those that are left. */
  readonly leader: Node | undefined;
}

type Replies = ReadonlyMap<number, ProbeReply | undefined> | undefined;

/** `candidates`: the ones to be preferred where the judge is of two minds come first. */
export function knockout(candidates: readonly Node[], replies: Replies): Bracket {
  let left = [...candidates];
  let probe = 0;
  while (left.length > 1) {
    const open: Match[] = [];
    const winners: Node[] = [];
    for (let at = 0; at < left.length; at += 2) {
      const [first, second] = [left[at]!, left[at + 1]];
      if (second === undefined) {
        winners.push(first);
        continue;
      }
      const matches: Match[] = [
        { probe, shown: [first, second] },
        { probe: probe + 1, shown: [second, first] },
      ];
      probe += matches.length;
      open.push(...matches.filter((match) => !replies?.has(match.probe)));
      winners.push(isBeaten(matches, first, replies) ? second : first);
    }
    if (open.length > 0) return { open, leader: left[0] };
    left = winners;
  }
  return { open: [], leader: left[0] };
}

/** Only by a judge that prefers the other one wherever it stands. */
function isBeaten(matches: readonly Match[], node: Node, replies: Replies): boolean {
  return matches.every(({ probe, shown }) => {
    const preferred = preferredOf(replies?.get(probe));
    return preferred !== undefined && shown[preferred] !== node;
  });
}

/** Which of the two the judge names: the first number 1 or 2 of its reply. One that failed or names none prefers neither. */
function preferredOf(reply: ProbeReply | undefined): 0 | 1 | undefined {
  const named = /\b[12]\b/.exec(reply?.text ?? '')?.[0];
  return named === undefined ? undefined : named === '1' ? 0 : 1;
}
