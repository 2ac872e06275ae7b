// Sessions of an agent: each turn sends the whole conversation again, with the last answer and the tool's result; the next turn comes
// when the tool is done. Same seed, same sessions.

import { Random } from '@coppice/core/base';

export const lengths = ['ten', 'geometric', 'lognormal'] as const;
export type Lengths = (typeof lengths)[number];

export interface PlannedTurn {
  /** Of the conversation that it sends; all but the new part was sent, or written, before. */
  readonly promptTokens: number;
  readonly answerTokens: number;
  /** Between its answer and the next turn. */
  readonly toolMs: number;
}

export interface PlannedSession {
  readonly startMs: number;
  readonly turns: readonly PlannedTurn[];
}

const meanTurns = 10;
/** Spread of lognormal lengths: a tenth of the sessions has half of the turns. */
const spread = 1.2;
/** Instructions and tools at the start of all sessions, and the task. */
export const sharedTokens = 4096;
const taskTokens = 2048;
const meanAnswer = 250;
const meanToolResult = 600;
const meanToolMs = 3000;

export function plannedSessions(seed: number, count: number, perSecond: number, of: Lengths): PlannedSession[] {
  const random = new Random(seed);
  const exponential = (mean: number) => -mean * Math.log(1 - random.uniform());
  let startMs = 0;
  return Array.from({ length: count }, () => {
    startMs += exponential(1000 / perSecond);
    let promptTokens = sharedTokens + taskTokens;
    const turns = Array.from({ length: turnsOf(of, random) }, () => {
      const turn = {
        promptTokens,
        answerTokens: 16 + Math.round(exponential(meanAnswer)),
        toolMs: exponential(meanToolMs),
      };
      promptTokens += turn.answerTokens + Math.round(exponential(meanToolResult));
      return turn;
    });
    return { startMs, turns };
  });
}

function turnsOf(of: Lengths, random: Random): number {
  if (of === 'ten') return meanTurns;
  if (of === 'geometric') return 1 + Math.floor(Math.log(1 - random.uniform()) / Math.log(1 - 1 / meanTurns));
  const normal = Math.sqrt(-2 * Math.log(1 - random.uniform())) * Math.cos(2 * Math.PI * random.uniform());
  return Math.max(1, Math.round(meanTurns * Math.exp(spread * normal - spread ** 2 / 2)));
}
