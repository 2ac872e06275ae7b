// A knockout of candidates by verdicts on pairs, each shown in both orders. Reads from the verdicts so far which comparisons are open and who
// leads. Comparisons are numbered by the bracket, so that a log can be continued. Pure.

import type { Node, ProbeReply } from '@coppice/core/tree';

/** An open comparison: the probe's number, and the two in the order shown. */
export interface Match {
  readonly probe: number;
  readonly shown: readonly [Node, Node];
}

interface Bracket {
  readonly open: Match[];
  /** The winner, or the first of those that are left. */
  readonly leader: Node | undefined;
}

type Replies = ReadonlyMap<number, ProbeReply | undefined> | undefined;

/** `candidates`: those preferred on a split verdict come first. */
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

/** The judge must prefer the other one in both orders. */
function isBeaten(matches: readonly Match[], node: Node, replies: Replies): boolean {
  return matches.every(({ probe, shown }) => {
    const preferred = preferredOf(replies?.get(probe));
    return preferred !== undefined && shown[preferred] !== node;
  });
}

/** Reads the first number 1 or 2 of the reply; a failed probe or neither number prefers neither. */
function preferredOf(reply: ProbeReply | undefined): 0 | 1 | undefined {
  const named = /\b[12]\b/.exec(reply?.text ?? '')?.[0];
  return named === undefined ? undefined : named === '1' ? 0 : 1;
}
