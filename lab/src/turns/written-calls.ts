// Reads calls that stand in the text of a turn, as coppice does where a server's parser missed them.

import { writtenCalls } from '@coppice/core/tree';
import type { MadeTurn } from './tool-domain.ts';

/** Returns the turn unchanged if it has calls already, or a text that holds none. */
export function withWrittenCalls(turn: MadeTurn): MadeTurn {
  const calls = turn.calls.length > 0 ? [] : writtenCalls(turn.content ?? '');
  return calls.length > 0 ? { calls } : turn;
}
